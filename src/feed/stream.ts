// The feed as server-sent events. The next page is read when the socket has accepted the previous one, so a slow reader costs
// one page of memory and delays no other reader.
//
//   reading ──entries──▶ sent ──taken by the socket──▶ reading
//      └──at the end──▶ waiting ──log grew──▶ reading
//                          └──15 s──▶ a comment, so that proxies and readers do not time out
import type { FeedFilter } from '#src/store/log/feed.ts';
import { eventNameOf } from './cloud-event.ts';
import type { FeedEntry, FeedPage } from './entry.ts';
import type { Tail } from './tail.ts';

export interface StreamNeeds {
  read(filter: FeedFilter, position: { readonly after: number; readonly limit: number }): Promise<FeedPage>;
  readonly tail: Pick<Tail, 'beyond' | 'closing'>;
  readonly heartbeatMs?: number;
  /** Events get no name: a browser receives them with one listener, whatever their kind. */
  readonly isUnnamed?: boolean;
  onEnd?(): void;
}

export interface StreamInput {
  readonly filter: FeedFilter;
  readonly after: number;
  readonly signal: AbortSignal;
}

const pageLimit = 100;
/** How soon a disconnected reader reconnects. */
const retryMs = 1_000;

export function openStream(
  { read, tail, heartbeatMs = 15_000, isUnnamed = false, onEnd }: StreamNeeds,
  { filter, after, signal }: StreamInput,
): ReadableStream<Uint8Array> {
  const ended = new AbortController();
  const end = (): void => ended.abort();
  ended.signal.addEventListener('abort', () => onEnd?.(), { once: true });
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
  const isOver = (): boolean => ended.signal.aborted || tail.closing.aborted;
  let position = after;
  let isGreeted = false;

  /** What to send next: entries, or a comment after some silence. Entries that the filter excludes count as silence. */
  async function next(): Promise<string | undefined> {
    const silence = new AbortController();
    const stop = (): void => silence.abort();
    const timer = setTimeout(stop, heartbeatMs);
    ended.signal.addEventListener('abort', stop, { once: true });
    try {
      while (!isOver()) {
        const page = await read(filter, { after: position, limit: pageLimit });
        position = page.nextAfter;
        if (page.entries.length > 0) return page.entries.map((entry) => eventText(entry, isUnnamed)).join('');
        if (!isGreeted) return positionText(position);
        if (silence.signal.aborted) return `:\n${positionText(position)}`;
        await tail.beyond(position, silence.signal);
      }
      return undefined;
    } finally {
      clearTimeout(timer);
      ended.signal.removeEventListener('abort', stop);
    }
  }

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        // A store that does not answer ends the stream; the reader reconnects and gets the error then.
        const text = await next().catch(() => undefined);
        const greeting = isGreeted ? '' : `retry: ${retryMs}\n`;
        isGreeted = true;
        if (text !== undefined) return controller.enqueue(encoder.encode(greeting + text));
        signal.removeEventListener('abort', end);
        controller.close();
        end();
      },
      cancel: end,
    },
    // Nothing is read ahead of the socket's demand.
    { highWaterMark: 0 },
  );
}

const encoder = new TextEncoder();

/** An ID without an event: a reader that reconnects sends it, and excluded entries are not searched again. */
const positionText = (position: number): string => `id: ${position}\n\n`;

/** A kind as the name: no line breaks, and not `error` or `open`, which browsers reserve. */
function eventText(entry: FeedEntry, isUnnamed: boolean): string {
  const name = isUnnamed ? '' : `event: ${eventNameOf(entry)}\n`;
  return `id: ${entry.seq}\n${name}data: ${entry.text}\n\n`;
}
