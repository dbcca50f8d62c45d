// Calls the scheduling service: authorized, within the rate limit, retried where that is safe, and parsed.
import type { z } from 'zod';
import { SlotstreamError } from '#src/base/errors.ts';
import { readRateLimit, type RateLimitStatus } from '#src/base/retry-after.ts';
import { userAgent } from '#src/base/user-agent.ts';
import { isStatus } from './api-error.ts';
import { classifyAttempt, type RequestSummary } from './classify-attempt.ts';
import { endpointOf } from './endpoint-name.ts';
import { createRateLimiter, type Pause, type RateLimiter } from './rate-limiter.ts';
import { retryBudgets, startRetries, type RetryBudget } from './retry-budgets.ts';
import { sendOnce, type Attempt, type AttemptResponse, type SendNeeds, type Timeouts } from './send-once.ts';
import { guardUrls, type Query, type UrlGuard } from './url-guard.ts';

export interface ApiCall<Value> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** A path below the base URL, or a whole URI of the configured origin (any other is rejected before a byte is sent). */
  readonly path: string;
  readonly query?: Query;
  readonly body?: object;
  /** Part of the body that no error may show. */
  readonly secret?: string | undefined;
  /** The schema of the response; undefined for 204. */
  readonly reads?: z.ZodType<Value>;
  /** Marks a POST that is safe to repeat. */
  readonly isRepeatable?: true;
}

export interface ApiResult<Value> {
  readonly value: Value;
  /** When the request was sent, by the service's clock (its Date header minus the round trip), rounded down to the second, as `YYYY-MM-DDTHH:MM:SS.000000Z`. */
  readonly observed: string;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly retryBudget?: RetryBudget | undefined;
}

export interface Client {
  call<Value>(call: ApiCall<Value>, options?: CallOptions): Promise<ApiResult<Value>>;
  readonly origin: string;
}

/** Where the bearer token comes from: the configuration, or a login that is renewed automatically. */
export interface TokenSource {
  current(signal?: AbortSignal): Promise<string>;
  /** Returns another token after the service answered 401 to `rejected`; undefined when there is no other. */
  renewed(rejected: string, signal?: AbortSignal): Promise<string | undefined>;
}

export interface ClientNeeds extends SendNeeds {
  readonly token: TokenSource;
  /** Rejects when `signal` aborts. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly random: () => number;
  readonly onPause?: ((pause: Pause) => void) | undefined;
  /** Called with the rate limit that each response states. */
  readonly onRateLimit?: ((status: RateLimitStatus) => void) | undefined;
  /** Called after each attempt; without a status where nothing was answered. */
  readonly onCall?: ((endpoint: string, status: number | undefined) => void) | undefined;
}

export interface ClientOptions {
  readonly baseUrl: string;
  readonly retryBudget?: RetryBudget;
  /** The share of the rate limit left to the user's other tools; 0 for the few calls of a command that a person waits for. */
  readonly reserveShare?: number;
  readonly timeouts?: Timeouts;
  /** A connection that fails before the first answer is not tried again. For commands, which a person runs. */
  readonly endsIfUnreachable?: boolean;
}

export const defaults = {
  retryBudget: retryBudgets.ordinary,
  reserveShare: 0.4,
  timeouts: { responseMs: 30_000, totalMs: 60_000 },
  endsIfUnreachable: false,
} as const;

interface ClientState extends Required<Omit<ClientOptions, 'baseUrl'>> {
  readonly needs: ClientNeeds;
  readonly urls: UrlGuard;
  readonly rateLimiter: RateLimiter;
  readonly reached: { isReached: boolean };
}

export function createClient(needs: ClientNeeds, { baseUrl, ...options }: ClientOptions): Client {
  const chosen = { ...defaults, ...options };
  const state: ClientState = {
    ...chosen,
    needs,
    urls: guardUrls(baseUrl),
    rateLimiter: createRateLimiter(needs, chosen.reserveShare),
    reached: { isReached: false },
  };
  return {
    origin: state.urls.origin,
    call: (call, { signal, retryBudget = state.retryBudget } = {}) =>
      callWithRetries({ ...state, retryBudget }, call, signal),
  };
}

async function callWithRetries<Value>(
  state: ClientState,
  call: ApiCall<Value>,
  signal: AbortSignal | undefined,
): Promise<ApiResult<Value>> {
  const { needs } = state;
  const url = state.urls.resolve(call.path, call.query);
  const retries = startRetries(needs, state.retryBudget);
  let token = await needs.token.current(signal);
  let isTokenRenewed = false;
  /** An earlier attempt may have been carried out although its response was lost. */
  let isOutcomeUncertain = false;
  const request: RequestSummary = {
    what: `${call.method} ${url.pathname}`,
    isRepeatable: call.method !== 'POST' || call.isRepeatable === true,
    expectsJson: call.reads !== undefined,
    // A service that echoes what it was sent must not get the token or a key into a log or a terminal.
    redact: (text) => text.replaceAll(token, '[redacted]').replaceAll(call.secret ?? token, '[redacted]'),
  };
  for (;;) {
    const { attempt, sentMs } = await sendWithinRateLimit(state, { call, url, token, signal });
    if (attempt.kind === 'response') state.reached.isReached = true;
    const result = classifyAttempt(attempt, request);
    if (result.kind === 'done') return parseResponse(call, result.response, request.what);
    const { error, retry } = result;
    if (call.method === 'DELETE' && isOutcomeUncertain && isStatus(error, 404)) return emptyResult(error.observed);
    // A rejected token was not used for anything, so any request may be sent again with another token: once.
    if (isStatus(error, 401) && !isTokenRenewed) {
      isTokenRenewed = true;
      const renewed = await needs.token.renewed(token, signal);
      if (renewed !== undefined) {
        token = renewed;
        continue;
      }
    }
    const delayMs = retry === undefined ? undefined : retries.delayAfter({ attempt, sentMs, kind: retry });
    // Nothing has ever listened there: the address is wrong, or the service is not started.
    const isUnreachable = attempt.kind === 'failed' && !attempt.wasSent && !state.reached.isReached;
    if (delayMs === undefined || (isUnreachable && state.endsIfUnreachable)) throw error;
    isOutcomeUncertain ||= result.mayHaveHappened;
    needs.onPause?.({
      ms: delayMs,
      ...(isStatus(error, 429) ? { why: 'rate_limit' } : { why: 'unavailable', problem: error.message }),
    });
    await needs.sleep(delayMs, signal);
  }
}

interface AuthorizedCall {
  readonly call: ApiCall<unknown>;
  readonly url: URL;
  readonly token: string;
  readonly signal: AbortSignal | undefined;
}

async function sendWithinRateLimit(
  { needs, rateLimiter, timeouts }: ClientState,
  { call: { method, body }, url, token, signal }: AuthorizedCall,
): Promise<{ readonly attempt: Attempt; readonly sentMs: number }> {
  const release = await rateLimiter.acquire(signal);
  const sentMs = needs.nowMs();
  let rateLimit: RateLimitStatus | undefined;
  try {
    const headers = {
      authorization: `Bearer ${token}`,
      accept: 'application/json',
      'user-agent': userAgent,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const attempt = await sendOnce(needs, { url, init, timeouts, signal });
    if (attempt.kind === 'response') rateLimit = readRateLimit(attempt.headers);
    if (rateLimit) needs.onRateLimit?.(rateLimit);
    needs.onCall?.(endpointOf(method, url.pathname), attempt.kind === 'response' ? attempt.status : undefined);
    return { attempt, sentMs };
  } finally {
    release(rateLimit);
  }
}

const emptyResult = <Value>(observed: string): ApiResult<Value> => ({
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a call without `reads` has the value type undefined
  value: undefined as Value,
  observed,
});

function parseResponse<Value>(
  { reads }: ApiCall<Value>,
  { body, observed }: AttemptResponse,
  what: string,
): ApiResult<Value> {
  if (reads === undefined) return emptyResult(observed);
  const parsed = reads.safeParse(body);
  if (parsed.success) return { value: parsed.data, observed };
  throw invalidResponse(what, parsed.error.issues);
}

/** Names the fields that are wrong, never their values. */
export function invalidResponse(what: string, issues: readonly z.core.$ZodIssue[]): SlotstreamError {
  const fields = issues
    .slice(0, 3)
    .map(({ path, message }) => `${path.map(String).join('.') || 'the whole'}: ${message}`);
  return new SlotstreamError('service_answer', `${what}: the response is invalid (${fields.join('; ')}).`, {
    hint: 'Check that API_BASE_URL is the scheduling service; if it is, report this line.',
  });
}
