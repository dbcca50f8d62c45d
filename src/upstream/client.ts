// Calls to the scheduling service: authorised, within the rate budget, repeated where that is safe, and read.
import type { z } from 'zod';
import { patiences, type Patience } from './retry-budgets.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { addressesBeneath, type Addresses, type Query } from './url-guard.ts';
import { isStatus } from './api-error.ts';
import { attempt, type Attempt, type AttemptNeeds, type Timeouts } from './send-once.ts';
import { createBudget, type Budget } from './rate-limiter.ts';
import { requestedDelayMs, httpRetryDelayMs, readRateLimit, type RateLimitStatus } from '#src/base/retry-after.ts';
import { createStopwatch, type Stopwatch } from './busy-time.ts';
import { verdictOn, type Asked, type Verdict } from './classify-attempt.ts';

export interface ApiCall<Answer> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** A path beneath the base address, or a whole URI of the configured origin (anything else is refused before a byte is sent). */
  readonly path: string;
  readonly query?: Query;
  readonly body?: object;
  /** Undefined for 204. */
  readonly reads?: z.ZodType<Answer>;
  /** A POST that does no harm when it is carried out twice. */
  readonly isRepeatable?: true;
  /** Its answers tell of limits of its own, not of the user's calls. */
  readonly hasOwnLimits?: true;
}

export interface Answered<Answer> {
  readonly value: Answer;
  /** The JSON as the service sent it, unread; undefined for 204. */
  readonly body: unknown;
  /** When the request was sent, on the service's clock (its Date header less the round trip), floored to the second, as `YYYY-MM-DDTHH:MM:SS.000000Z`. */
  readonly observed: string;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface Client {
  call<Answer>(call: ApiCall<Answer>, options?: CallOptions): Promise<Answered<Answer>>;
  /** The address all calls go to. */
  readonly origin: string;
  /** Milliseconds in which at least one call waited for the service (answers and pauses), for backfill.wait_share. */
  readonly waitedMs: number;
}

/** Where the bearer token comes from: configured, or of a login that renews itself. */
export interface TokenSource {
  current(signal?: AbortSignal): Promise<string>;
  /** Another token after `rejected` met 401; undefined when there is none to be had. */
  renewed(rejected: string, signal?: AbortSignal): Promise<string | undefined>;
}

export interface ClientNeeds extends AttemptNeeds {
  readonly token: TokenSource;
  /** Rejects when `signal` aborts. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** 0 ≤ random < 1. */
  readonly random: () => number;
}

export interface ClientOptions {
  readonly baseUrl: string;
  readonly patience?: Patience;
  /** The share of the rate limit left to the user's other tools; 0 for the few calls of somebody who waits. */
  readonly reserveShare?: number;
  readonly timeouts?: Timeouts;
}

const defaults = {
  patience: patiences.ordinary,
  reserveShare: 0.4,
  timeouts: { answerMs: 30_000, wholeMs: 60_000 },
} as const;

interface Line extends Required<Omit<ClientOptions, 'baseUrl'>> {
  readonly needs: ClientNeeds;
  readonly addresses: Addresses;
  readonly budget: Budget;
  readonly stopwatch: Stopwatch;
}

export function createClient(needs: ClientNeeds, { baseUrl, ...options }: ClientOptions): Client {
  const settled = { ...defaults, ...options };
  const line: Line = {
    ...settled,
    needs,
    addresses: addressesBeneath(baseUrl),
    budget: createBudget(needs, settled.reserveShare),
    stopwatch: createStopwatch(needs.nowMs),
  };
  return {
    origin: line.addresses.origin,
    call: (call, options = {}) => line.stopwatch.during(() => carryOut(line, call, options)),
    get waitedMs() {
      return line.stopwatch.elapsedMs;
    },
  };
}

/** A call that is being carried out. */
interface Underway {
  readonly asked: Asked;
  readonly startedMs: number;
  /** When the present attempt was sent: waiting for the budget is no trouble. */
  sentMs: number;
  /** The trouble the last attempts met in a row, and when the first of them was sent. */
  trouble: { readonly kind: keyof Patience; readonly sinceMs: number } | undefined;
  token: string;
  tries: number;
  isRenewed: boolean;
  /** Some attempt may have been carried out without our hearing of it. */
  isUnsure: boolean;
}

async function carryOut<Answer>(line: Line, call: ApiCall<Answer>, { signal }: CallOptions): Promise<Answered<Answer>> {
  const { needs } = line;
  const url = line.addresses.of(call.path, call.query);
  const underway: Underway = {
    asked: askedBy(call, url, (text) => text.replaceAll(underway.token, '[redacted]')),
    startedMs: needs.nowMs(),
    sentMs: 0,
    trouble: undefined,
    token: await needs.token.current(signal),
    tries: 0,
    isRenewed: false,
    isUnsure: false,
  };
  for (;;) {
    underway.tries += 1;
    const tried = await tryOnce(line, { call, url, underway, signal });
    const verdict = verdictOn(tried, underway.asked);
    if (verdict.kind === 'done') return readAnswer(call, verdict.answer, underway.asked.what);
    // An earlier attempt that broke off had deleted it already.
    if (call.method === 'DELETE' && underway.isUnsure && isStatus(verdict.error, 404))
      return nothing(verdict.error.observed);
    if (isStatus(verdict.error, 401) && (await isRenewed(needs, underway, signal))) continue;
    const pauseMs = pauseAfter(line, { tried, verdict, underway });
    if (pauseMs === undefined) throw verdict.error;
    underway.isUnsure ||= verdict.mayHaveHappened;
    await needs.sleep(pauseMs, signal);
  }
}

/** A service that echoes what it was sent must not get the token into a log: `scrub` blanks it. */
function askedBy({ method, isRepeatable, reads }: ApiCall<unknown>, url: URL, scrub: Asked['scrub']): Asked {
  return {
    what: `${method} ${url.pathname}`,
    isRepeatable: method !== 'POST' || isRepeatable === true,
    expectsJson: reads !== undefined,
    scrub,
  };
}

/** A refused token was not used for anything, so any request may be sent again with another: once. */
async function isRenewed(needs: ClientNeeds, underway: Underway, signal: AbortSignal | undefined): Promise<boolean> {
  if (underway.isRenewed) return false;
  underway.isRenewed = true;
  const other = await needs.token.renewed(underway.token, signal);
  if (other === undefined) return false;
  underway.token = other;
  return true;
}

interface Failed {
  readonly tried: Attempt;
  readonly verdict: Extract<Verdict, { kind: 'failed' }>;
  readonly underway: Underway;
}

/** Undefined when the failure is to be told now. */
function pauseAfter({ needs, patience }: Line, { tried, verdict, underway }: Failed): number | undefined {
  if (verdict.repeat === undefined) return undefined;
  const requestedMs = tried.kind === 'answered' ? requestedDelayMs(tried, needs.nowMs()) : undefined;
  const pauseMs = httpRetryDelayMs({ failures: underway.tries, requestedMs, random: needs.random() });
  if (underway.trouble?.kind !== verdict.repeat) underway.trouble = { kind: verdict.repeat, sinceMs: underway.sentMs };
  const until = Math.min(
    underway.trouble.sinceMs + patience[verdict.repeat],
    underway.startedMs + patience.failuresMs + patience.limitsMs,
  );
  const leftMs = until - needs.nowMs();
  // No pause is begun whose end lies beyond our patience: the caller would learn the same, later.
  return Math.max(pauseMs, requestedMs ?? 0) < leftMs ? pauseMs : undefined;
}

interface Trying {
  readonly call: ApiCall<unknown>;
  readonly url: URL;
  readonly underway: Underway;
  readonly signal: AbortSignal | undefined;
}

async function tryOnce({ needs, budget, timeouts }: Line, { call, url, underway, signal }: Trying): Promise<Attempt> {
  const { method, body } = call;
  const { token } = underway;
  const leave = await budget.enter(signal);
  underway.sentMs = needs.nowMs();
  let told: RateLimitStatus | undefined;
  try {
    const headers = {
      authorization: `Bearer ${token}`,
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const tried = await attempt(needs, { url, init, timeouts, signal });
    if (tried.kind === 'answered' && call.hasOwnLimits !== true) told = readRateLimit(tried.headers);
    return tried;
  } finally {
    leave(told);
  }
}

const nothing = <Answer>(observed: string): Answered<Answer> => ({
  value: undefined as Answer,
  body: undefined,
  observed,
});

function readAnswer<Answer>(
  { reads }: ApiCall<Answer>,
  { body, observed }: Extract<Attempt, { kind: 'answered' }>,
  what: string,
): Answered<Answer> {
  if (reads === undefined) return nothing(observed);
  const read = reads.safeParse(body);
  if (read.success) return { value: read.data, body, observed };
  throw misunderstood(what, read.error);
}

/** Names where, never what stands there. */
export function misunderstood(what: string, { issues }: z.ZodError): SlotstreamError {
  const places = issues
    .slice(0, 3)
    .map(({ path, message }) => `${path.map(String).join('.') || 'the whole'}: ${message}`);
  return new SlotstreamError('service_answer', `${what}: the answer cannot be understood (${places.join('; ')}).`, {
    hint: 'Check that API_BASE_URL is the scheduling service; if it is, report this line.',
  });
}
