// Natural batching: deliveries that arrive while a batch is being enqueued form the next batch. An idle receiver adds no delay; under a
// steady load a small batch waits a moment for more, unless every sender already waits for its answer.
// Each delivery is acknowledged once the disk log has made it durable, or is rejected.
import { instantOf } from '#src/base/time.ts';
import { batchLimits, type DeliveryBatch, type QueuedDelivery } from '#src/queue/contract.ts';
import type { Metrics, ReceivedOutcome } from '#src/observability/metrics/registry.ts';
import type { DiskLog } from './disk-log/disk-log.ts';
import { bytesOf, RawDelivery } from '#src/queue/batch-codec.ts';

export interface IntakeNeeds {
  readonly diskLog: Pick<DiskLog, 'accept'>;
  readonly metrics: Pick<Metrics, 'batched'>;
  /** Called with every batch and where it went. */
  onBatch?(batch: DeliveryBatch, outcome: ReceivedOutcome): void;
  /** How many senders there are, as far as is known. When each has a delivery waiting, no more come until one is answered. */
  senders?(): number;
}

export interface IntakeOptions {
  /** How many bytes may wait in memory; beyond that, deliveries are rejected with 503. */
  readonly maxWaitingBytes?: number;
}

export interface Intake {
  /** It never rejects. */
  accept(delivery: QueuedDelivery): Promise<ReceivedOutcome>;
  /** Resolves when no accepted delivery is waiting any more. */
  settled(): Promise<void>;
}

interface Arrival {
  readonly delivery: QueuedDelivery;
  readonly settle: (outcome: ReceivedOutcome) => void;
}

/**
 * Under a steady load, how long a batch waits for more deliveries, and how many are enough: each batch costs a write to the disk log,
 * an add to the queue and a job of a worker, together two milliseconds of processor time. Fewer senders than that are enough when each
 * has a delivery waiting.
 */
const gatherMs = 15;
const busyWithinMs = 25;
const enoughDeliveries = 64;

export function createIntake(needs: IntakeNeeds, options: IntakeOptions = {}): Intake {
  const maxWaitingBytes = options.maxWaitingBytes ?? 32 * 1024 * 1024;
  const arrivals: Arrival[] = [];
  const sizes: number[] = [];
  let waitingBytes = 0;
  let running: Promise<void> | undefined;
  let lastBatchMs = Number.NEGATIVE_INFINITY;
  let enough = 0;
  let endGathering: (() => void) | undefined;

  async function run(): Promise<void> {
    while (arrivals.length > 0) {
      const isBusy = performance.now() - lastBatchMs < busyWithinMs;
      if (isBusy) await gather();
      const count = countForBatch(sizes);
      const taken = arrivals.splice(0, count);
      const bytes = sizes.splice(0, count).reduce((sum, size) => sum + size, 0);
      needs.metrics.batched(count);
      const batch: DeliveryBatch = { v: 1, deliveries: taken.map(({ delivery }) => delivery) };
      const outcome = await needs.diskLog.accept(batch);
      waitingBytes -= bytes;
      for (const { settle } of taken) settle(outcome);
      lastBatchMs = performance.now();
      needs.onBatch?.(batch, outcome);
    }
    running = undefined;
  }

  async function gather(): Promise<void> {
    enough = Math.min(enoughDeliveries, needs.senders?.() ?? enoughDeliveries);
    if (arrivals.length >= enough) return;
    await new Promise<void>((resolve) => {
      endGathering = resolve;
      setTimeout(resolve, gatherMs);
    });
    endGathering = undefined;
  }

  /** Lets the event loop deliver what it has already read, so that it becomes one batch. */
  function nextTurn(): Promise<void> {
    return new Promise((resolve) => void setImmediate(resolve));
  }

  return {
    async accept(delivery) {
      const bytes = bytesOf(delivery).length;
      if (waitingBytes + bytes > maxWaitingBytes) return 'unavailable';
      waitingBytes += bytes;
      const { promise, resolve } = Promise.withResolvers<ReceivedOutcome>();
      arrivals.push({ delivery, settle: resolve });
      sizes.push(bytes);
      if (arrivals.length >= enough) endGathering?.();
      running ??= nextTurn().then(run);
      return promise;
    },
    settled: async () => running,
  };
}

/** A verified body as a delivery. */
export function deliveryOf(bytes: Buffer, receivedAtMs: number): QueuedDelivery {
  return new RawDelivery(bytes, cachedInstant(receivedAtMs));
}

let lastMs = Number.NaN;
let lastInstant = '';

/** Formats each millisecond once: many deliveries share one. */
function cachedInstant(ms: number): string {
  if (ms !== lastMs) {
    lastMs = ms;
    lastInstant = instantOf(ms);
  }
  return lastInstant;
}

/** How many deliveries of these sizes fit into one batch: at least one, whatever its size. */
function countForBatch(sizes: readonly number[]): number {
  let bytes = sizes[0] ?? 0;
  let count = 1;
  while (count < sizes.length && count < batchLimits.deliveries) {
    bytes += sizes[count] ?? 0;
    if (bytes > batchLimits.bytes) break;
    count += 1;
  }
  return count;
}
