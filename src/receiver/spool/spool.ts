// The disk spool: stores batches durably while the queue does not accept them. One folder per receiver under the root, with
// append-only segments; another receiver adopts the folder of one that crashed.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { throttled } from '#src/observability/log.ts';
import type { Log } from '#src/observability/log.ts';
import type { Metrics } from '#src/observability/metrics/registry.ts';
import type { DeliveryBatch, QueuedDelivery } from '#src/queue/contract.ts';
import type { ProcessLock } from '#src/base/process-lock.ts';
import type { Disk } from '#src/receiver/disk-log/disk.ts';
import { encodeRecord } from '#src/receiver/disk-log/segment.ts';
import { openSegmentFolders } from '#src/receiver/disk-log/segment-folders.ts';
import { createSegmentWriter } from '#src/receiver/disk-log/segment-writer.ts';
import type { Segment } from '#src/receiver/disk-log/segment-writer.ts';

export interface SpoolNeeds {
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'spooled'>;
  /** False while its disk is almost full. */
  readonly hasRoom?: () => Promise<boolean>;
}

export interface SpoolOptions {
  readonly root: string;
  readonly maxBytes?: number;
  /** A segment is deleted as a whole, so smaller ones mean fewer repeated deliveries after a crash during a drain. */
  readonly segmentBytes?: number;
  readonly disk?: Disk;
}

export interface Spool {
  /** True once the batch is on disk; false for a full, read-only or failing disk. It never throws. */
  append(batch: DeliveryBatch): Promise<boolean>;
  /** Whether a delivery of usual size would be stored now. After a failure it tries the disk. */
  accepts(): Promise<boolean>;
  isEmpty(): boolean;
  depth(): { readonly deliveries: number; readonly bytes: number };
  /** Returns the oldest segment, closed for writing; undefined when there is none. */
  oldest(): Promise<Segment | undefined>;
  read(segment: Segment): Promise<readonly QueuedDelivery[]>;
  /** Call it when all deliveries of the segment are in the queue. */
  remove(segment: Segment): Promise<void>;
  /** Adopts the folders of receivers that crashed. */
  adopt(): Promise<void>;
  close(): Promise<void>;
}

/** A spool with less room than this is full: larger than nearly every delivery. */
const usualBytes = 64 * 1024;

export async function openSpool(needs: SpoolNeeds, options: SpoolOptions): Promise<Spool> {
  const { root, maxBytes = 1024 ** 3, segmentBytes = 4 * 1024 ** 2, disk } = options;
  const { hasRoom = async () => true } = needs;
  const logThrottled = throttled(needs.log, 10_000);
  const locks = new Map<string, ProcessLock>();
  const segments: Segment[] = [];
  const own = join(root, randomUUID());
  const folders = openSegmentFolders({ name: 'spool', root, own, locks, log: logThrottled, disk });
  const writer = createSegmentWriter({
    folder: own,
    segmentBytes,
    locks,
    disk,
    onSealed: (segment) => segments.push(segment),
  });
  let closed = false;
  let failed = false;

  function depth(): { deliveries: number; bytes: number } {
    const sum = { deliveries: 0, bytes: 0 };
    for (const segment of writer.current ? [...segments, writer.current] : segments) {
      sum.deliveries += segment.deliveries;
      sum.bytes += segment.bytes;
    }
    return sum;
  }

  async function append(batch: DeliveryBatch): Promise<boolean> {
    if (closed || !(await hasRoom())) return false;
    const record = encodeRecord(batch, batch.deliveries.length);
    if (depth().bytes + record.length > maxBytes) {
      logThrottled('error', 'the disk spool is full; deliveries are rejected until the queue is back', { maxBytes });
      return false;
    }
    try {
      await writer.append(record, batch.deliveries.length);
      failed = false;
    } catch (err) {
      failed = true;
      logThrottled('error', 'the disk spool cannot be written; deliveries are rejected', { err });
      return false;
    }
    needs.metrics.spooled(depth());
    return true;
  }

  async function accepts(): Promise<boolean> {
    if (closed || depth().bytes + usualBytes > maxBytes || !(await hasRoom())) return false;
    // A batch without deliveries: the drain removes it without asking the queue.
    return !failed || append({ v: 1, deliveries: [] });
  }

  async function adopt(): Promise<void> {
    segments.push(...(await folders.adopt()));
    needs.metrics.spooled(depth());
  }

  async function read(segment: Segment): Promise<readonly QueuedDelivery[]> {
    try {
      return deliveriesIn((await folders.read(segment)).records);
    } catch (error) {
      // Moved to the end, behind the current segment: one bad file must not block the others.
      await writer.seal();
      segments.push(...segments.splice(segments.indexOf(segment), 1));
      throw error;
    }
  }

  async function remove(segment: Segment): Promise<void> {
    await folders.remove(segment);
    segments.splice(segments.indexOf(segment), 1);
    needs.metrics.spooled(depth());
  }

  async function oldest(): Promise<Segment | undefined> {
    if (segments.length === 0) await writer.seal();
    return segments[0];
  }

  async function close(): Promise<void> {
    closed = true;
    await writer.seal();
    await folders.close();
  }

  await adopt();
  const isEmpty = (): boolean => segments.length === 0 && !writer.current;
  return { append, accepts, isEmpty, depth, oldest, read, remove, adopt, close };
}

function deliveriesIn(records: readonly Buffer[]): readonly QueuedDelivery[] {
  return records.flatMap((record) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `append` wrote it and its checksum is right
    const { deliveries } = JSON.parse(record.toString('utf8')) as DeliveryBatch;
    return deliveries;
  });
}
