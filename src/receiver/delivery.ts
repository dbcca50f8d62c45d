// How a verified body travels, and how many fit into one job.
import { isUtf8 } from 'node:buffer';
import { batchLimits } from '#src/queue/contract.ts';
import type { QueuedDelivery } from '#src/queue/contract.ts';

/**
 * PostgreSQL refuses NUL and invalid UTF-8 in text, and one such body would fail its whole batch, so those travel as base64.
 * `Buffer.toString` keeps a byte order mark (TextDecoder drops it): what is stored is what was signed.
 */
export function deliveryOf(body: Buffer, receivedAtMs: number): QueuedDelivery {
  const receivedAt = new Date(receivedAtMs).toISOString().replace('Z', '000Z');
  if (isUtf8(body) && !body.includes(0)) return { body: body.toString('utf8'), receivedAt };
  return { body: body.toString('base64'), encoding: 'base64', receivedAt };
}

export function bytesOf(delivery: QueuedDelivery): number {
  return Buffer.byteLength(delivery.body);
}

/** How many of the sizes, from `start` on, leave together: at least one, whatever its size. */
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
