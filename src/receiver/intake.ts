// Natural batching: while one batch is on its way, arrivals gather; when it has landed they leave together as one job.
// An idle receiver adds no wait. Each delivery is answered once it is safe: in the queue, else on disk, else not at all.
import type { DeliveryBatch, QueuedDelivery } from '#src/queue/contract.ts';
import type { Metrics, ReceivedOutcome } from '#src/observability/metrics/registry.ts';
import type { QueueCircuit } from './queue-circuit-breaker.ts';
import { bytesOf } from '#src/queue/batch-codec.ts';
import { countForBatch } from './batch-size.ts';

export interface IntakeNeeds {
  readonly circuit: Pick<QueueCircuit, 'enqueue' | 'state'>;
  readonly spool: {
    /** True once the batch is on disk. */
    append(batch: DeliveryBatch): Promise<boolean>;
    isEmpty(): boolean;
  };
  readonly metrics: Pick<Metrics, 'batched'>;
}

export interface IntakeOptions {
  /** What may wait in memory; beyond it the sender is asked to come again. */
  readonly maxWaitingBytes?: number;
}

export interface Intake {
  accept(delivery: QueuedDelivery): Promise<ReceivedOutcome>;
  /** Resolves when nothing accepted is still on its way. */
  settled(): Promise<void>;
}

interface Arrival {
  readonly delivery: QueuedDelivery;
  readonly resolve: (outcome: ReceivedOutcome) => void;
}

export function createIntake(needs: IntakeNeeds, options: IntakeOptions = {}): Intake {
  const maxWaitingBytes = options.maxWaitingBytes ?? 32 * 1024 * 1024;
  const arrivals: Arrival[] = [];
  const sizes: number[] = [];
  let waitingBytes = 0;
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (arrivals.length > 0) {
      const count = countForBatch(sizes);
      const taken = arrivals.splice(0, count);
      const bytes = sizes.splice(0, count).reduce((sum, size) => sum + size, 0);
      const outcome = await place({ v: 1, deliveries: taken.map(({ delivery }) => delivery) });
      waitingBytes -= bytes;
      for (const { resolve } of taken) resolve(outcome);
    }
    running = undefined;
  }

  async function place(batch: DeliveryBatch): Promise<ReceivedOutcome> {
    needs.metrics.batched(batch.deliveries.length);
    if (mayTryQueue() && (await needs.circuit.enqueue(batch))) return 'queued';
    if (await needs.spool.append(batch)) return 'spooled';
    // The disk refuses too, so the drain may be stuck on it: then a sender must be the one that asks the queue again.
    return needs.circuit.state() === 'half' && (await needs.circuit.enqueue(batch)) ? 'queued' : 'unavailable';
  }

  /** As long as the spool holds something, its drain tries the queue: no sender waits for a try that may fail. */
  function mayTryQueue(): boolean {
    const state = needs.circuit.state();
    return state === 'closed' || (state === 'half' && needs.spool.isEmpty());
  }

  /** What the event loop has already read belongs together; nothing is waited for. */
  function gathered(): Promise<void> {
    return new Promise((resolve) => void setImmediate(resolve));
  }

  return {
    accept(delivery) {
      const bytes = bytesOf(delivery).length;
      if (waitingBytes + bytes > maxWaitingBytes) return Promise.resolve('unavailable');
      waitingBytes += bytes;
      return new Promise((resolve) => {
        arrivals.push({ delivery, resolve });
        sizes.push(bytes);
        running ??= gathered().then(run);
      });
    },
    settled: async () => running,
  };
}
