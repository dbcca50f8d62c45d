// Sends the entries of one key to a sink: in order, retried until they are accepted.
import { sleepUnlessAborted } from '#src/base/time.ts';
import { codeOf } from '#src/base/errors.ts';
import type { FeedEntry } from '#src/feed/entry.ts';
import { httpRetryDelayMs } from '#src/base/retry-after.ts';
import { SendError, type Sink } from './sink.ts';
import type { ConcurrencyGate } from './concurrency-gate.ts';
import type { InFlight } from './in-flight.ts';

export interface SendFailure {
  readonly code: string;
  /** 1 for the first failure. */
  readonly attempt: number;
  readonly retryMs: number;
  readonly hint?: string;
}

export interface KeyedSenderNeeds {
  readonly sink: Sink;
  readonly gate: ConcurrencyGate;
  readonly inFlight: InFlight;
  readonly random: () => number;
  /** Consecutive failures of the whole sink; shared by all keys. */
  readonly silence: { attempts: number };
  readonly over: AbortSignal;
  /** Checked before each send: false when another process may be sending. */
  readonly isHeld: () => boolean;
  onArrived(count: number): void;
  onFailed(failed: SendFailure): void;
  /** Called when a send succeeds after failures. */
  onRecovered(): void;
}

/** Sends until the key has no more entries, or `over` aborts. Never rejects. */
export async function drain(needs: KeyedSenderNeeds, lane: string): Promise<void> {
  const { sink, gate, inFlight, over, silence } = needs;
  for (let attempts = 0; !over.aborted;) {
    const entries = inFlight.next(lane, sink.batch);
    if (entries.length === 0) return;
    const trouble = await gate.take(() => attempt(needs, entries));
    if (trouble === 'over') return;
    if (trouble === undefined) {
      inFlight.done(lane, entries);
      needs.onArrived(entries.length);
      if (attempts > 0) needs.onRecovered();
      attempts = 0;
      silence.attempts = 0;
      continue;
    }
    attempts += 1;
    // Sends that were in flight when the sink stopped answering count as one failure.
    if (trouble.everywhere && !gate.isHeld()) silence.attempts += 1;
    const inARow = trouble.everywhere ? silence.attempts : attempts;
    const retryMs = httpRetryDelayMs({ failures: inARow, requestedMs: trouble.requestedMs, random: needs.random() });
    const { code, hint } = trouble;
    needs.onFailed({ code, attempt: attempts, retryMs, ...(hint !== undefined && { hint }) });
    if (trouble.everywhere) gate.hold(retryMs);
    else await sleepUnlessAborted(retryMs, over);
  }
}

/** Undefined on success; `over` after an abort or when the lease is lost. */
async function attempt(
  { sink, over, isHeld }: KeyedSenderNeeds,
  entries: readonly FeedEntry[],
): Promise<SendError | 'over' | undefined> {
  if (over.aborted || !isHeld()) return 'over';
  try {
    await sink.send(entries, over);
    return undefined;
  } catch (error) {
    if (over.aborted) return 'over';
    // An unexpected error concerns these entries only: other keys continue.
    return error instanceof SendError ? error : new SendError({ code: codeOf(error), everywhere: false });
  }
}
