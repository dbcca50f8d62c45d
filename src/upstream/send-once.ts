// Sends one request once: limited in time and size, never redirected. Reports whether the request may have arrived.
import { readJson } from '#schemas/json-text.ts';
import { describeConnectFailure, isConnectFailure, rootCodeOf, SlotstreamError } from '#src/base/errors.ts';

export interface Timeouts {
  /** From sending to the first byte of the response. */
  readonly responseMs: number;
  /** From sending to the last byte of the response. */
  readonly totalMs: number;
}

export interface SendNeeds {
  readonly fetch: typeof fetch;
  readonly nowMs: () => number;
  /** Called with the time by which our clock is ahead of the service's, for every response with a Date header. */
  readonly onClock?: (aheadMs: number) => void;
}

export interface SendInput {
  readonly url: URL;
  readonly init: RequestInit;
  readonly timeouts: Timeouts;
  readonly signal: AbortSignal | undefined;
}

export interface AttemptResponse {
  readonly kind: 'response';
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON; undefined when the body is empty or not JSON. */
  readonly body: unknown;
  readonly isJson: boolean;
  readonly observed: string;
}

export type Attempt =
  | AttemptResponse
  /** `wasSent`: the request may have been carried out. */
  | { readonly kind: 'failed'; readonly reason: string; readonly wasSent: boolean };

const maxBytes = 8 * 1024 * 1024;
/** Larger than for a delivery: a page has up to a hundred records. */
const bounds = { depth: 64, tokens: 2_000_000 } as const;

const connectTexts: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'there is no such host',
};

export async function sendOnce(needs: SendNeeds, { url, init, timeouts, signal }: SendInput): Promise<Attempt> {
  throwIfAborted(signal);
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  signal?.addEventListener('abort', abort, { once: true });
  const totalTimer = setTimeout(abort, timeouts.totalMs);
  const responseTimer = setTimeout(abort, timeouts.responseMs);
  const sentMs = needs.nowMs();
  let lateReason = 'no response arrived in time';
  try {
    const response = await needs.fetch(url, { ...init, redirect: 'manual', signal: controller.signal });
    clearTimeout(responseTimer);
    lateReason = 'the response did not end in time';
    const date = response.headers.get('date');
    const times = { sentMs, receivedMs: needs.nowMs() };
    const aheadMs = clockAheadMs(date, times);
    if (aheadMs !== undefined) needs.onClock?.(aheadMs);
    rejectRedirect(response, url);
    const text = await readText(response, url);
    const json = text === '' ? undefined : readJson(text, bounds);
    return {
      kind: 'response',
      status: response.status,
      headers: response.headers,
      body: json?.ok === true ? json.value : undefined,
      isJson: json?.ok === true,
      observed: observedAt(date, times),
    };
  } catch (error) {
    const isLate = controller.signal.aborted;
    // The rest of the response is not needed: the connection must not wait for a reader.
    abort();
    throwIfAborted(signal);
    if (error instanceof SlotstreamError) throw error;
    const code = rootCodeOf(error);
    if (!isLate && isConnectFailure(code))
      return { kind: 'failed', reason: `Cannot reach ${url.origin} (${connectTexts[code] ?? code})`, wasSent: false };
    return {
      kind: 'failed',
      reason: isLate ? lateReason : `the connection failed (${describeConnectFailure(error)})`,
      wasSent: true,
    };
  } finally {
    clearTimeout(totalTimer);
    clearTimeout(responseTimer);
    signal?.removeEventListener('abort', abort);
  }
}

/** Throws the signal's reason, or an AbortError when that is not an error. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  throw signal.reason instanceof Error ? signal.reason : new DOMException('The work was stopped.', 'AbortError');
}

interface ExchangeTimes {
  readonly sentMs: number;
  readonly receivedMs: number;
}

/**
 * When the request was sent, by the service's clock: its `Date` minus the round trip, rounded down to the second. Early rather than
 * late: a page must never count as newer than a change that happened while the page was in transit.
 */
export function observedAt(date: string | null, { sentMs, receivedMs }: ExchangeTimes): string {
  const serverMs = date === null ? Number.NaN : Date.parse(date);
  const atMs = Number.isNaN(serverMs) ? sentMs : serverMs - Math.max(0, receivedMs - sentMs);
  return `${new Date(Math.floor(atMs / 1000) * 1000).toISOString().slice(0, 19)}.000000Z`;
}

/** Compares our clock with the Date header. The header is truncated to the second and was written between sending and receiving: both are taken at their middle. */
export function clockAheadMs(date: string | null, { sentMs, receivedMs }: ExchangeTimes): number | undefined {
  const serverMs = date === null ? Number.NaN : Date.parse(date);
  return Number.isNaN(serverMs) ? undefined : (sentMs + receivedMs) / 2 - (serverMs + 500);
}

function rejectRedirect({ status }: Response, url: URL): void {
  if (status < 300 || status > 399) return;
  throw new SlotstreamError(
    'refused',
    `${url.origin} redirects the call (${status}); the token is not sent to another address.`,
    {
      hint: 'Set API_BASE_URL or AUTH_URL, whichever names it, to the address of the service itself.',
    },
  );
}

async function readText(response: Response, url: URL): Promise<string> {
  if (response.body === null) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    // Leaving the loop cancels the rest of the body.
    if (bytes > maxBytes)
      throw new SlotstreamError('service_answer', `${url.pathname}: the response is larger than ${maxBytes} bytes.`, {
        hint: 'Check that API_BASE_URL is the scheduling service.',
      });
    chunks.push(chunk);
  }
  // RFC 8259 forbids a byte order mark, and allows to ignore it. The decoder drops it.
  return new TextDecoder().decode(Buffer.concat(chunks));
}
