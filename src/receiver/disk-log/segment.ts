// The format of a segment file: records one after the other, each with its length, the count of its deliveries, and a checksum
// over count and content. Pure.
import { crc32 } from 'node:zlib';

// length of the content (4) | CRC-32 of what follows (4) | deliveries in it (4) | content: JSON
const headBytes = 12;

export interface SegmentContent {
  /** The readable records, each as JSON. */
  readonly records: readonly { readonly content: Buffer; readonly deliveries: number }[];
  readonly bytes: number;
  /**
   * `torn`: the last record is incomplete; it was never acknowledged, because the response waits for the fsync.
   * `damaged`: a checksum is wrong, so an acknowledged delivery may be unreadable.
   */
  readonly state: 'whole' | 'torn' | 'damaged';
}

export function encodeRecord(content: object, deliveries: number): Buffer {
  const text = JSON.stringify(content);
  const record = Buffer.allocUnsafe(headBytes + Buffer.byteLength(text));
  record.writeUInt32LE(record.length - headBytes, 0);
  record.writeUInt32LE(deliveries, 8);
  record.write(text, headBytes);
  record.writeUInt32LE(crc32(record.subarray(8)), 4);
  return record;
}

export function readSegment(bytes: Buffer): SegmentContent {
  const records: SegmentContent['records'][number][] = [];
  let damaged = false;
  let at = 0;
  while (at < bytes.length) {
    const end = recordEnd(bytes, at);
    if (end === undefined) {
      const next = nextRecord(bytes, at + 1);
      if (next === undefined)
        return { records, bytes: bytes.length, state: damaged || !isTorn(bytes, at) ? 'damaged' : 'torn' };
      damaged = true;
      at = next;
      continue;
    }
    records.push({ content: bytes.subarray(at + headBytes, end), deliveries: bytes.readUInt32LE(at + 8) });
    at = end;
  }
  return { records, bytes: bytes.length, state: damaged ? 'damaged' : 'whole' };
}

/** Where the record that begins at `at` ends; undefined when there is no valid record. */
function recordEnd(bytes: Buffer, at: number): number | undefined {
  if (bytes.length - at <= headBytes) return undefined;
  const end = at + headBytes + bytes.readUInt32LE(at);
  if (end > bytes.length || end === at + headBytes) return undefined;
  return crc32(bytes.subarray(at + 8, end)) === bytes.readUInt32LE(at + 4) ? end : undefined;
}

/**
 * Where the next valid record begins. It is never found inside the content of another: JSON has no byte below 0x20, so four bytes of it
 * are a length beyond every file.
 */
function nextRecord(bytes: Buffer, from: number): number | undefined {
  for (let at = from; at + headBytes < bytes.length; at += 1) if (recordEnd(bytes, at) !== undefined) return at;
  return undefined;
}

/** Whether the rest is the beginning of a record, or was allotted to the file and never written. */
function isTorn(bytes: Buffer, at: number): boolean {
  const rest = bytes.subarray(at);
  return rest.length < headBytes || headBytes + rest.readUInt32LE(0) > rest.length || rest.every((byte) => byte === 0);
}
