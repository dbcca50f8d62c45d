// One lane on its way into a sink: in order, and again and again until it is taken.
import { sleepUnlessAborted } from '#src/base/time.ts';
import { codeOf } from '#src/base/errors.ts';
import type { FeedEntry } from '#src/feed/entry.ts';
import { httpRetryDelayMs } from '#src/base/retry-after.ts';
import { Trouble, type Sink } from './sink.ts';
import type { Turns } from './concurrency-gate.ts';
import type { Window } from './in-flight.ts';

export interface Failed {
  readonly code: string;
  /** 1 for the first time. */
  readonly attempt: number;
  readonly retryMs: number;
}

export interface LaneNeeds {
  readonly sink: Sink;
  readonly turns: Turns;
  readonly window: Window;
  /** 0 ≤ random < 1. */
  readonly random: () => number;
  /** How often in a row nobody answered; shared by all lanes. */
  readonly silence: { attempts: number };
  readonly over: AbortSignal;
  /** Asked before each send: false when another process may be sending. Then all is over soon. */
  readonly isHeld: () => boolean;
  onArrived(count: number): void;
  onFailed(failed: Failed): void;
  /** After failures it was taken. */
  onRecovered(): void;
}

/** Until the lane is empty, or all is over. Never rejects. */
export async function drain(needs: LaneNeeds, lane: string): Promise<void> {
  const { sink, turns, window, over, silence } = needs;
  for (let attempts = 0; !over.aborted;) {
    const entries = window.next(lane, sink.batch);
    if (entries.length === 0) return;
    const trouble = await turns.take(() => attempt(needs, entries));
    if (trouble === 'over') return;
    if (trouble === undefined) {
      window.done(lane, entries);
      needs.onArrived(entries.length);
      if (attempts > 0) needs.onRecovered();
      attempts = 0;
      silence.attempts = 0;
      continue;
    }
    attempts += 1;
    // All that were under way when it fell silent are one.
    if (trouble.everywhere && !turns.isHeld()) silence.attempts += 1;
    const inARow = trouble.everywhere ? silence.attempts : attempts;
    const retryMs = httpRetryDelayMs({ failures: inARow, requestedMs: trouble.askedMs, random: needs.random() });
    needs.onFailed({ code: trouble.code, attempt: attempts, retryMs });
    if (trouble.everywhere) turns.hold(retryMs);
    else await sleepUnlessAborted(retryMs, over);
  }
}

/** Undefined when it was taken; `over` when it does not matter any more. */
async function attempt(
  { sink, over, isHeld }: LaneNeeds,
  entries: readonly FeedEntry[],
): Promise<Trouble | 'over' | undefined> {
  if (over.aborted || !isHeld()) return 'over';
  try {
    await sink.send(entries, over);
    return undefined;
  } catch (error) {
    if (over.aborted) return 'over';
    // What nobody foresaw is about these entries: the others go on.
    return error instanceof Trouble ? error : new Trouble({ code: codeOf(error), everywhere: false });
  }
}
