// The format of a spool segment: records one after the other, each a batch with its length, its count and a checksum over count and
// content. Pure.
import { crc32 } from 'node:zlib';
import type { DeliveryBatch, QueuedDelivery } from '#src/queue/contract.ts';

// length of the content (4) | CRC-32 of what follows (4) | deliveries in it (4) | content: the batch as JSON
const headBytes = 12;

export interface SegmentContent {
  readonly records: readonly Buffer[];
  readonly deliveries: number;
  /**
   * `torn`: the last record is incomplete; it was never acknowledged, because the response waits for the fsync.
   * `damaged`: a checksum is wrong, so an acknowledged delivery may be unreadable.
   */
  readonly state: 'whole' | 'torn' | 'damaged';
}

export function encodeRecord(batch: DeliveryBatch): Buffer {
  const content = Buffer.from(JSON.stringify(batch));
  const record = Buffer.allocUnsafe(headBytes + content.length);
  record.writeUInt32LE(content.length, 0);
  record.writeUInt32LE(batch.deliveries.length, 8);
  content.copy(record, headBytes);
  record.writeUInt32LE(crc32(record.subarray(8)), 4);
  return record;
}

export function readSegment(bytes: Buffer): SegmentContent {
  const records: Buffer[] = [];
  let deliveries = 0;
  let at = 0;
  while (at < bytes.length) {
    if (bytes.length - at < headBytes) return { records, deliveries, state: 'torn' };
    const end = at + headBytes + bytes.readUInt32LE(at);
    // A length beyond the end is a torn record, unless complete records follow: then the length itself is wrong.
    if (end > bytes.length) return { records, deliveries, state: recordFollows(bytes, at + 1) ? 'damaged' : 'torn' };
    if (crc32(bytes.subarray(at + 8, end)) !== bytes.readUInt32LE(at + 4))
      return { records, deliveries, state: 'damaged' };
    deliveries += bytes.readUInt32LE(at + 8);
    records.push(bytes.subarray(at + headBytes, end));
    at = end;
  }
  return { records, deliveries, state: 'whole' };
}

function recordFollows(bytes: Buffer, from: number): boolean {
  for (let at = from; at + headBytes < bytes.length; at += 1) {
    const end = at + headBytes + bytes.readUInt32LE(at);
    if (
      end <= bytes.length &&
      end > at + headBytes &&
      crc32(bytes.subarray(at + 8, end)) === bytes.readUInt32LE(at + 4)
    )
      return true;
  }
  return false;
}

export function deliveriesIn(content: SegmentContent): readonly QueuedDelivery[] {
  return content.records.flatMap((record) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `encodeRecord` wrote it and its checksum is right
    const { deliveries } = JSON.parse(record.toString('utf8')) as DeliveryBatch;
    return deliveries;
  });
}
