// `slotstream/client`: reads the feed of a mirror from another process, entry by entry, and continues where it stopped.
import { httpRetryDelayMs, requestedDelayMs } from '#src/base/retry-after.ts';

export interface FeedOptions {
  /** The address of the admin listener: `http://127.0.0.1:8081`. */
  readonly url: string;
  /** ADMIN_TOKEN; ADMIN_READ_TOKEN is enough without `consumer`. */
  readonly token: string;
  /** The mirror has the offset of this name: a reader of the same name continues there. */
  readonly consumer?: string;
  /** Begins after this entry, where there is no `consumer`. Default: 0, the beginning. */
  readonly after?: number;
  /** Only these kinds: `['invitee.*', 'contact.deleted']`. */
  readonly event?: readonly string[];
  /** Only entries about this URI. */
  readonly subject?: string;
  readonly outcome?: readonly string[];
  /** `row`: with the rows that an entry is about, as they are now. `none`: without changes and payload. */
  readonly include?: 'row' | 'none';
  /** Whether to wait for new entries at the end. Default: true. */
  readonly follow?: boolean;
  /** Ends the loop without an error. */
  readonly signal?: AbortSignal;
  /** Is called before a failed request is repeated: the mirror does not answer, or answers 429 or 5xx. */
  readonly onRetry?: (error: unknown, delayMs: number) => void;
}

export interface FeedEntry {
  /** Its position in the log. Rises; numbers may be missing. */
  readonly seq: number;
  readonly event: string | null;
  readonly source: string;
  readonly subject_uri: string | null;
  readonly occurred_at: string | null;
  readonly received_at: string;
  readonly outcome: string;
  /** Table → column → [before, after]. */
  readonly changes: Readonly<Record<string, Readonly<Record<string, readonly [unknown, unknown]>>>> | null;
  readonly payload: unknown;
  /** With `include: 'row'`: table → the row as it is now. */
  readonly row?: Readonly<Record<string, Readonly<Record<string, unknown>> | null>> | null;
  /** Acknowledges this entry and all before it. A reader that ends without it gets the entry again. */
  done(): Promise<void>;
}

interface Page {
  readonly collection: readonly Omit<FeedEntry, 'done'>[];
  readonly pagination: { readonly next_after: number };
}

const waitSeconds = 30;
/** An answer that takes longer than the wait is lost. */
const timeoutMs = (waitSeconds + 30) * 1000;

/** Repeats what fails until it works; a request that the mirror rejects (a wrong token, an unknown kind) throws. */
export async function* readFeed(options: FeedOptions): AsyncGenerator<FeedEntry, void, undefined> {
  const { consumer, event, outcome, subject, include, follow = true, signal } = options;
  let position = options.after ?? (consumer === undefined ? 0 : undefined);
  if (consumer !== undefined && options.after !== undefined)
    throw new TypeError('a consumer has an offset of its own: leave out `after` or `consumer`');
  let acknowledged = -1;
  let yielded = -1;
  const acknowledge = async (seq: number): Promise<void> => {
    if (consumer === undefined || seq <= acknowledged) return;
    const body = JSON.stringify({ acknowledged: seq });
    await request(options, `api/feed/consumers/${encodeURIComponent(consumer)}`, { method: 'POST', body });
    acknowledged = Math.max(acknowledged, seq);
  };
  for (;;) {
    const query = new URLSearchParams({
      ...(position === undefined ? { consumer: consumer ?? '' } : { after: String(position) }),
      ...(event && { event: event.join() }),
      ...(outcome && { outcome: outcome.join() }),
      ...(subject !== undefined && { subject }),
      ...(include && { include }),
      wait: String(follow ? waitSeconds : 0),
    });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the feed answers; docs/feed.md
    const page = (await request(options, `api/feed?${query}`)) as Page | undefined;
    if (page === undefined) return;
    for (const entry of page.collection) {
      if (signal?.aborted) return;
      yielded = entry.seq;
      yield { ...entry, done: () => acknowledge(entry.seq) };
    }
    const next = page.pagination.next_after;
    // A filter on a rare kind would never move otherwise. Not while an entry is unfinished: it would be acknowledged too.
    if (position !== undefined && next > position && yielded <= acknowledged) await acknowledge(next);
    position = next;
    if (page.collection.length === 0 && !follow) return;
  }
}

/** The answer as JSON; undefined once the signal aborts. */
async function request(options: FeedOptions, path: string, init: RequestInit = {}): Promise<unknown> {
  const { url, token, signal, onRetry } = options;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  for (let failures = 1; !signal?.aborted; failures += 1) {
    let failure: unknown;
    let requestedMs: number | undefined;
    try {
      const limit = AbortSignal.timeout(timeoutMs);
      const ended = signal ? AbortSignal.any([signal, limit]) : limit;
      const response = await fetch(new URL(path, url.endsWith('/') ? url : `${url}/`), {
        ...init,
        headers,
        signal: ended,
      });
      const text = await response.text();
      if (response.ok) return JSON.parse(text);
      const error = new RejectedRequest(`the mirror answered ${response.status}: ${text.slice(0, 500)}`);
      if (response.status !== 429 && response.status < 500) throw error;
      failure = error;
      requestedMs = requestedDelayMs(response, Date.now());
    } catch (error) {
      if (error instanceof RejectedRequest) throw error;
      failure = error;
    }
    if (signal?.aborted) return undefined;
    const delayMs = httpRetryDelayMs({ failures, requestedMs, random: Math.random() });
    onRetry?.(failure, delayMs);
    await sleep(delayMs, signal);
  }
  return undefined;
}

class RejectedRequest extends Error {}

/** Ends early when the signal aborts. */
function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });
}
