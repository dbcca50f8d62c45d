// Moves spooled deliveries into the queue, oldest first, when the queue is back. The drain also probes the queue, so that no sender
// has to wait for a probe.
import { sleepUnlessAborted, sleepUntilNext } from '#src/base/time.ts';
import { throttled } from '#src/observability/log.ts';
import type { Log } from '#src/observability/log.ts';
import type { QueuedDelivery } from '#src/queue/contract.ts';
import type { QueueCircuit } from '#src/receiver/queue-circuit-breaker.ts';
import { bytesOf } from '#src/queue/batch-codec.ts';
import { countForBatch } from '#src/receiver/intake.ts';
import type { Segment } from '#src/receiver/disk-log/segment-writer.ts';
import type { Spool } from './spool.ts';

export interface DrainNeeds {
  readonly circuit: QueueCircuit;
  readonly spool: Pick<Spool, 'isEmpty' | 'oldest' | 'read' | 'remove' | 'adopt'>;
  readonly log: Log;
}

export interface DrainOptions {
  readonly everyMs?: number;
  /** Long, because no sender waits for the drain, and a slow queue must not receive the same batch repeatedly. */
  readonly enqueueTimeoutMs?: number;
  /** How often to look for folders of receivers that crashed. */
  readonly adoptEveryMs?: number;
}

export interface Drain {
  /** Stops without waiting for the queue; what is left stays on disk. */
  stop(): Promise<void>;
}

/** An empty spool is looked at less often: it gets its first delivery when the queue fails, which takes longer than this to pass. */
const idleFactor = 10;

interface OpenedSegment {
  readonly segment: Segment;
  readonly deliveries: readonly QueuedDelivery[];
  readonly sizes: readonly number[];
  at: number;
}

function openedSegment(segment: Segment, deliveries: readonly QueuedDelivery[]): OpenedSegment {
  return { segment, deliveries, sizes: deliveries.map((delivery) => bytesOf(delivery).length), at: 0 };
}

export function startDrain(needs: DrainNeeds, options: DrainOptions = {}): Drain {
  const { everyMs = 100, enqueueTimeoutMs = 15_000, adoptEveryMs = 30_000 } = options;
  const logThrottled = throttled(needs.log, 10_000);
  const stopping = new AbortController();
  const { signal } = stopping;
  /** The offset in the oldest segment, so that a failure in the middle does not enqueue the first half again. */
  let opened: OpenedSegment | undefined;

  async function loop(): Promise<void> {
    let untilAdopt = adoptEveryMs;
    while (!signal.aborted) {
      const isClosed = needs.circuit.state() === 'closed';
      const closedMs = needs.spool.isEmpty() ? everyMs * idleFactor : everyMs;
      const waitMs = isClosed ? closedMs : needs.circuit.pauseMs();
      await (isClosed ? sleepUntilNext : sleepUnlessAborted)(waitMs, signal, { ref: false });
      untilAdopt -= waitMs;
      if (untilAdopt <= 0) {
        untilAdopt = adoptEveryMs;
        await needs.spool.adopt();
      }
      try {
        await drain();
      } catch (err) {
        logThrottled('error', 'the disk spool cannot be read; retrying', { err });
      }
    }
  }

  async function drain(): Promise<void> {
    while (!signal.aborted && !needs.spool.isEmpty()) {
      const segment = await needs.spool.oldest();
      if (!segment) return;
      if (opened?.segment !== segment) opened = openedSegment(segment, await needs.spool.read(segment));
      const { deliveries, sizes } = opened;
      while (opened.at < deliveries.length) {
        if (signal.aborted) return;
        const end = opened.at + countForBatch(sizes, opened.at);
        const entered = needs.circuit.enqueue({ v: 1, deliveries: deliveries.slice(opened.at, end) }, enqueueTimeoutMs);
        // After stop() it does not wait: the segment stays on disk, and a batch that still arrives is a duplicate, which the log absorbs.
        if (!(await unlessAborted(entered, signal))) return;
        opened.at = end;
      }
      await needs.spool.remove(segment);
      opened = undefined;
      if (segment.deliveries > 0)
        needs.log.info({ deliveries: segment.deliveries }, 'spooled deliveries are in the queue');
    }
  }

  const running = loop();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/** Resolves with the promise's value, or with undefined as soon as the signal aborts. */
function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(undefined);
    signal.addEventListener('abort', stop);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
