// Brings what the spool holds into the queue, oldest first, when the queue is back. It is also the one that keeps asking
// whether it is back, so that no sender has to wait for the answer.
import { sleepUnlessAborted } from '#src/base/time.ts';
import { throttled } from '#src/observability/log.ts';
import type { Log } from '#src/observability/log.ts';
import type { QueuedDelivery } from '#src/queue/contract.ts';
import type { QueueCircuit } from '#src/receiver/queue-circuit-breaker.ts';
import { bytesOf } from '#src/queue/batch-codec.ts';
import { countForBatch } from '#src/receiver/batch-size.ts';
import type { Segment } from './segment-writer.ts';
import type { Spool } from './spool.ts';

export interface DrainNeeds {
  readonly circuit: QueueCircuit;
  readonly spool: Pick<Spool, 'isEmpty' | 'oldest' | 'read' | 'remove' | 'adopt'>;
  readonly log: Log;
}

export interface DrainOptions {
  readonly everyMs?: number;
  /** Nobody waits for the drain, and a queue that is only slow must not be sent the same batch again and again. */
  readonly patienceMs?: number;
  /** How often to look for folders of receivers that died. */
  readonly adoptEveryMs?: number;
}

export interface Drain {
  /** Ends after the batch on its way. */
  stop(): Promise<void>;
}

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
  const { everyMs = 100, patienceMs = 15_000, adoptEveryMs = 30_000 } = options;
  const complain = throttled(needs.log, 10_000);
  const stopping = new AbortController();
  const { signal } = stopping;
  /** How far the oldest segment is, so that a failure half-way does not send the first half again. */
  let opened: OpenedSegment | undefined;

  async function loop(): Promise<void> {
    let untilAdopt = adoptEveryMs;
    while (!signal.aborted) {
      const waitMs = needs.circuit.state() === 'closed' ? everyMs : needs.circuit.pauseMs();
      await sleepUnlessAborted(waitMs, signal, { ref: false });
      untilAdopt -= waitMs;
      if (untilAdopt <= 0) {
        untilAdopt = adoptEveryMs;
        await needs.spool.adopt();
      }
      try {
        await drain();
      } catch (err) {
        complain('error', 'the disk spool cannot be read; trying again', { err });
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
        const entered = needs.circuit.enqueue({ v: 1, deliveries: deliveries.slice(opened.at, end) }, patienceMs);
        // Asked to stop, it does not wait: the segment stays on disk, and a copy that lands late is absorbed by the ledger.
        if (!(await unlessAborted(entered, signal))) return;
        opened.at = end;
      }
      await needs.spool.remove(segment);
      opened = undefined;
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

/** The promise's value, or undefined as soon as the signal is aborted. */
function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(undefined);
    signal.addEventListener('abort', stop);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
