// How a verified body becomes a delivery, and how many deliveries fit into one job.
import { instantOf } from '#src/base/time.ts';
import { batchLimits } from '#src/queue/contract.ts';
import type { QueuedDelivery } from '#src/queue/contract.ts';
import { RawDelivery } from '#src/queue/batch-codec.ts';

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

/** How many deliveries of these sizes, from `start` on, fit into one batch: at least one, whatever its size. */
export function countForBatch(sizes: readonly number[], start = 0): number {
  let bytes = sizes[start] ?? 0;
  let end = start + 1;
  while (end < sizes.length && end - start < batchLimits.deliveries) {
    bytes += sizes[end] ?? 0;
    if (bytes > batchLimits.bytes) break;
    end += 1;
  }
  return end - start;
}
