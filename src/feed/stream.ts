// The feed as server-sent events. One page is read when the socket has taken the one before: a slow reader holds one page, and nobody
// else.
//
//   reading ──entries──▶ sent ──taken by the socket──▶ reading
//      └──at the end──▶ waiting ──log grew──▶ reading
//                          └──15 s──▶ a comment, so that nobody takes the silence for a broken line
import type { FeedFilter } from '#src/store/log/feed.ts';
import type { FeedEntry } from './entry.ts';
import type { FeedPage } from './page.ts';
import type { Tail } from './tail.ts';

export interface StreamNeeds {
  read(filter: FeedFilter, place: { readonly after: number; readonly limit: number }): Promise<FeedPage>;
  readonly tail: Pick<Tail, 'beyond' | 'closing'>;
  readonly heartbeatMs?: number;
  /** Told once, when nothing more is sent. */
  onEnd?(): void;
}

export interface StreamInput {
  readonly filter: FeedFilter;
  readonly after: number;
  /** Aborted when the reader goes away. */
  readonly signal: AbortSignal;
}

const pageLimit = 100;
/** How soon a reader that lost us asks again. */
const retryMs = 1_000;

export function openStream(
  { read, tail, heartbeatMs = 15_000, onEnd }: StreamNeeds,
  { filter, after, signal }: StreamInput,
): ReadableStream<Uint8Array> {
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  gone.signal.addEventListener('abort', () => onEnd?.(), { once: true });
  if (signal.aborted) leave();
  else signal.addEventListener('abort', leave, { once: true });
  const isOver = (): boolean => gone.signal.aborted || tail.closing.aborted;
  let place = after;
  let isGreeted = false;

  /** What to send next, after some silence a comment. What a filter leaves out is silence too, however fast the log grows. */
  async function next(): Promise<string | undefined> {
    const silence = new AbortController();
    const stop = (): void => silence.abort();
    const timer = setTimeout(stop, heartbeatMs);
    gone.signal.addEventListener('abort', stop, { once: true });
    try {
      while (!isOver()) {
        const page = await read(filter, { after: place, limit: pageLimit });
        place = page.nextAfter;
        if (page.entries.length > 0) return page.entries.map(eventText).join('');
        if (!isGreeted) return placeText(place);
        if (silence.signal.aborted) return `:\n${placeText(place)}`;
        await tail.beyond(place, silence.signal);
      }
      return undefined;
    } finally {
      clearTimeout(timer);
      gone.signal.removeEventListener('abort', stop);
    }
  }

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        // A store that does not answer ends the stream: whoever reads comes back, and is told then.
        const text = await next().catch(() => undefined);
        const greeting = isGreeted ? '' : `retry: ${retryMs}\n`;
        isGreeted = true;
        if (text !== undefined) return controller.enqueue(encoder.encode(greeting + text));
        signal.removeEventListener('abort', leave);
        controller.close();
        leave();
      },
      cancel: leave,
    },
    // Nothing is read ahead of what the socket asks for.
    { highWaterMark: 0 },
  );
}

const encoder = new TextEncoder();

/** A place without an event: whoever comes back names it, and what a filter left out is not looked through again. */
const placeText = (place: number): string => `id: ${place}\n\n`;

function eventText({ seq, event, text }: FeedEntry): string {
  return `id: ${seq}\nevent: ${event !== null && kind.test(event) ? event : 'entry'}\ndata: ${text}\n\n`;
}

/** Anybody may name an event. Only what looks like a kind names one here: no line breaks, and not `error` or `open`, which mean something else. */
const kind = /^[\w-]+\.[\w.-]+$/;
