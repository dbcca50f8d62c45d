// One request and its answer, once: bounded in time and size, never redirected. Says whether the request can have arrived.
import { readJson } from '#schemas/json-text.ts';
import { isConnectFailure, rootCodeOf, SlotstreamError } from '#src/base/errors.ts';
import { stopIfAsked } from './abort.ts';

export interface Timeouts {
  /** From sending to the first of the answer. */
  readonly answerMs: number;
  /** To the last of the answer. */
  readonly wholeMs: number;
}

export interface AttemptNeeds {
  readonly fetch: typeof fetch;
  readonly nowMs: () => number;
  /** Told by how much our clock was ahead of the service's, at every answer that says. */
  readonly onClock?: (aheadMs: number) => void;
}

export interface Sending {
  readonly url: URL;
  readonly init: RequestInit;
  readonly timeouts: Timeouts;
  readonly signal: AbortSignal | undefined;
}

export type Attempt =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: Headers;
      /** The JSON it holds; undefined when it holds none, or nothing. */
      readonly body: unknown;
      readonly isJson: boolean;
      readonly observed: string;
    }
  /** `wasSent`: it may have been carried out. */
  | { readonly kind: 'failed'; readonly why: string; readonly wasSent: boolean };

const mostBytes = 8 * 1024 * 1024;
/** A page holds a hundred records, so more than one delivery. */
const bounds = { depth: 64, tokens: 2_000_000 } as const;

export async function attempt(needs: AttemptNeeds, sending: Sending): Promise<Attempt> {
  const { url, init, timeouts, signal } = sending;
  stopIfAsked(signal);
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  signal?.addEventListener('abort', abort, { once: true });
  const whole = setTimeout(abort, timeouts.wholeMs);
  const answer = setTimeout(abort, timeouts.answerMs);
  const sentMs = needs.nowMs();
  let step = 'no answer came in time';
  try {
    const response = await needs.fetch(url, { ...init, redirect: 'manual', signal: controller.signal });
    clearTimeout(answer);
    step = 'the answer did not end in time';
    const date = response.headers.get('date');
    const times = { sentMs, answeredMs: needs.nowMs() };
    const observed = observedOf(date, times);
    const aheadMs = aheadOf(date, times);
    if (aheadMs !== undefined) needs.onClock?.(aheadMs);
    refuseRedirect(response, url);
    const text = await textOf(response, url);
    const read = text === '' ? undefined : readJson(text, bounds);
    const body = read?.ok === true ? read.value : undefined;
    return {
      kind: 'answered',
      status: response.status,
      headers: response.headers,
      body,
      isJson: read?.ok === true,
      observed,
    };
  } catch (error) {
    const isLate = controller.signal.aborted;
    // What is left of the answer is not wanted: the connection must not wait for a reader.
    abort();
    stopIfAsked(signal);
    if (error instanceof SlotstreamError) throw error;
    // Nothing else of the error is kept: some quote headers.
    const code = rootCodeOf(error);
    return { kind: 'failed', why: isLate ? step : `the connection failed (${code})`, wasSent: !isConnectFailure(code) };
  } finally {
    clearTimeout(whole);
    clearTimeout(answer);
    signal?.removeEventListener('abort', abort);
  }
}

/**
 * The moment the request was sent, on the service's clock: its `Date` less the round trip, floored to the second. Early
 * rather than late: a page read at that moment must never pass for newer than what happened while it travelled.
 */
export function observedOf(
  date: string | null,
  times: { readonly sentMs: number; readonly answeredMs: number },
): string {
  const told = date === null ? Number.NaN : Date.parse(date);
  const atMs = Number.isNaN(told) ? times.sentMs : told - Math.max(0, times.answeredMs - times.sentMs);
  return `${new Date(Math.floor(atMs / 1000) * 1000).toISOString().slice(0, 19)}.000000Z`;
}

/** A date is cut to its second, and was written somewhere between sending and answer: both are met in the middle. */
export function aheadOf(
  date: string | null,
  { sentMs, answeredMs }: { readonly sentMs: number; readonly answeredMs: number },
): number | undefined {
  const told = date === null ? Number.NaN : Date.parse(date);
  return Number.isNaN(told) ? undefined : (sentMs + answeredMs) / 2 - (told + 500);
}

function refuseRedirect({ status }: Response, url: URL): void {
  if (status < 300 || status > 399) return;
  throw new SlotstreamError(
    'refused',
    `${url.origin} sends the call elsewhere (${status}); the token does not go along.`,
    {
      hint: 'Set API_BASE_URL to the address of the service itself.',
    },
  );
}

async function textOf(response: Response, url: URL): Promise<string> {
  if (response.body === null) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    // Leaving the loop cancels the rest of the body.
    if (bytes > mostBytes)
      throw new SlotstreamError('service_answer', `${url.pathname}: the answer is larger than ${mostBytes} bytes.`, {
        hint: 'Check that API_BASE_URL is the scheduling service.',
      });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
