// The disk spool: stores batches durably while the queue does not accept them. One folder per receiver under the root, with
// append-only segments; another receiver adopts the folder of one that crashed (its lock is free).
import { randomUUID } from 'node:crypto';
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { throttled } from '#src/observability/log.ts';
import type { Log } from '#src/observability/log.ts';
import type { Metrics } from '#src/observability/metrics/registry.ts';
import type { DeliveryBatch, QueuedDelivery } from '#src/queue/contract.ts';
import { takeLock } from '#src/base/process-lock.ts';
import type { ProcessLock } from '#src/base/process-lock.ts';
import { deliveriesIn, encodeRecord, readSegment } from './segment.ts';
import { createSegmentWriter, segmentEnding } from './segment-writer.ts';
import type { Segment } from './segment-writer.ts';

export interface SpoolNeeds {
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'spooled'>;
}

export interface SpoolOptions {
  readonly root: string;
  readonly maxBytes?: number;
  /** A segment is deleted as a whole, so smaller ones mean fewer repeated deliveries after a crash during a drain. */
  readonly segmentBytes?: number;
}

export interface Spool {
  /** True once the batch is on disk; false for a full, read-only or failing disk. It never throws. */
  append(batch: DeliveryBatch): Promise<boolean>;
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

export async function openSpool(needs: SpoolNeeds, options: SpoolOptions): Promise<Spool> {
  const { root, maxBytes = 1024 ** 3, segmentBytes = 4 * 1024 ** 2 } = options;
  const logThrottled = throttled(needs.log, 10_000);
  const locks = new Map<string, ProcessLock>();
  const segments: Segment[] = [];
  const damaged = new Set<Segment>();
  const writer = createSegmentWriter({
    folder: join(root, randomUUID()),
    segmentBytes,
    locks,
    onSealed: (segment) => segments.push(segment),
  });
  let closed = false;

  function depth(): { deliveries: number; bytes: number } {
    const sum = { deliveries: 0, bytes: 0 };
    for (const segment of writer.current ? [...segments, writer.current] : segments) {
      sum.deliveries += segment.deliveries;
      sum.bytes += segment.bytes;
    }
    return sum;
  }

  async function append(batch: DeliveryBatch): Promise<boolean> {
    if (closed) return false;
    const record = encodeRecord(batch);
    if (depth().bytes + record.length > maxBytes) {
      logThrottled('error', 'the disk spool is full; deliveries are rejected until the queue is back', { maxBytes });
      return false;
    }
    try {
      await writer.append(record, batch.deliveries.length);
    } catch (err) {
      logThrottled('error', 'the disk spool cannot be written; deliveries are rejected', { err });
      return false;
    }
    needs.metrics.spooled(depth());
    return true;
  }

  async function adopt(): Promise<void> {
    const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const folder = join(root, entry.name);
      if (!entry.isDirectory() || locks.has(folder)) continue;
      try {
        await adoptFolder(folder);
      } catch (err) {
        logThrottled('error', 'a spool folder left by another receiver cannot be read', { err, folder: entry.name });
      }
    }
    needs.metrics.spooled(depth());
  }

  async function adoptFolder(folder: string): Promise<void> {
    const lock = takeLock(join(folder, 'lock'));
    if (!lock) return;
    locks.set(folder, lock);
    const names = (await readdir(folder)).filter((name) => name.endsWith(segmentEnding)).sort();
    for (const name of names) {
      const path = join(folder, name);
      // A segment that cannot be read now is listed too: the drain retries it and logs the failure.
      const bytes = await readFile(path).catch(() => Buffer.alloc(0));
      segments.push({ path, deliveries: readSegment(bytes).deliveries, bytes: bytes.length });
    }
    await removeIfEmpty(folder);
  }

  /** Checks the disk, not our list: a segment that could not be listed must not be deleted. */
  async function removeIfEmpty(folder: string): Promise<void> {
    const names = await readdir(folder).catch(() => []);
    if (names.some((name) => name.endsWith(segmentEnding))) return;
    // Removed before the lock is released: a receiver that takes the lock then finds a folder without segments.
    await rm(folder, { recursive: true, force: true });
    locks.get(folder)?.release();
    locks.delete(folder);
  }

  async function read(segment: Segment): Promise<readonly QueuedDelivery[]> {
    try {
      const content = readSegment(await readFile(segment.path));
      if (content.state === 'damaged') damaged.add(segment);
      return deliveriesIn(content);
    } catch (error) {
      // Moved to the end, behind the current segment: one bad file must not block the others.
      await writer.seal();
      segments.push(...segments.splice(segments.indexOf(segment), 1));
      throw error;
    }
  }

  async function remove(segment: Segment): Promise<void> {
    if (damaged.has(segment)) await setAside(segment);
    else await rm(segment.path, { force: true });
    damaged.delete(segment);
    segments.splice(segments.indexOf(segment), 1);
    const folder = dirname(segment.path);
    if (folder !== writer.folder) await removeIfEmpty(folder);
    needs.metrics.spooled(depth());
  }

  /** Keeps the file for the operator, who may still be able to read parts of it. */
  async function setAside(segment: Segment): Promise<void> {
    const name = `damaged-${basename(dirname(segment.path))}-${basename(segment.path)}`;
    await rename(segment.path, join(root, name));
    logThrottled(
      'error',
      'a spool segment is damaged; the readable deliveries are in the queue, the file was renamed',
      { name },
    );
  }

  async function oldest(): Promise<Segment | undefined> {
    if (segments.length === 0) await writer.seal();
    return segments[0];
  }

  async function close(): Promise<void> {
    closed = true;
    await writer.seal();
    if (locks.has(writer.folder)) await removeIfEmpty(writer.folder);
    for (const lock of locks.values()) lock.release();
    locks.clear();
  }

  await adopt();
  return { append, isEmpty: () => segments.length === 0 && !writer.current, depth, oldest, read, remove, adopt, close };
}
