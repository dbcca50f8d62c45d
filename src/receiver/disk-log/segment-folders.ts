// The folders of segments under one root, one per receiver. A receiver adopts the folder of another that crashed (its lock is free), so
// two receivers never read one segment.
import { basename, dirname, join } from 'node:path';
import { damagedPrefix } from '#src/base/durable-file.ts';
import { ownCode } from '#src/base/errors.ts';
import type { ProcessLock } from '#src/base/process-lock.ts';
import type { throttled } from '#src/observability/log.ts';
import { nodeDisk, type Disk } from './disk.ts';
import { readSegment, type SegmentContent } from './segment.ts';
import { retainedEnding, segmentEnding, type Segment } from './segment-writer.ts';

export interface SegmentFolders {
  /** Locks the folders of receivers that crashed and returns the paths of their segments, oldest first, also of those that were kept. */
  adopt(): Promise<readonly string[]>;
  /** Rejects when the file cannot be read. */
  read(path: string): Promise<SegmentContent>;
  isDamaged(path: string): boolean;
  /** Within its folder. */
  rename(from: string, to: string): Promise<void>;
  /** Deletes the segment, or sets it aside when it is damaged; then the folder of another receiver, when that is empty. */
  remove(segment: Pick<Segment, 'path'>): Promise<void>;
  /** Releases every lock. What is left stays on disk for the next receiver. */
  close(): Promise<void>;
}

const isSegment = (file: string): boolean => file.endsWith(segmentEnding) || file.endsWith(retainedEnding);

export function openSegmentFolders(options: {
  readonly root: string;
  readonly own: string;
  readonly locks: Map<string, ProcessLock>;
  readonly log: ReturnType<typeof throttled>;
  readonly disk?: Disk | undefined;
}): SegmentFolders {
  const { root, own, locks, log, disk = nodeDisk } = options;
  const damaged = new Set<string>();
  const namesIn = async (folder: string) => (await disk.readFolder(folder)).map((entry) => entry.name);

  async function adoptFolder(folder: string): Promise<readonly string[]> {
    const lock = disk.takeLock(join(folder, 'lock'));
    if (!lock) return [];
    locks.set(folder, lock);
    const files = await segmentsIn(folder);
    await removeIfEmpty(folder);
    return files.map((file) => join(folder, file));
  }

  async function segmentsIn(folder: string): Promise<readonly string[]> {
    try {
      return (await namesIn(folder)).filter(isSegment).sort();
    } catch (error) {
      // Free for the next attempt, of this receiver or of another.
      locks.get(folder)?.release();
      locks.delete(folder);
      throw error;
    }
  }

  /** Checks the disk, not a list: a segment that could not be listed must not be deleted. Nor is a folder that cannot be read now. */
  async function removeIfEmpty(folder: string): Promise<void> {
    const files = await namesIn(folder).catch(() => undefined);
    if (files === undefined || files.some(isSegment)) return;
    // Removed before the lock is released: a receiver that takes the lock then finds a folder without segments.
    await disk.remove(folder);
    locks.get(folder)?.release();
    locks.delete(folder);
  }

  /** Keeps the file for the operator, who may still be able to read parts of it. */
  async function setAside({ path }: Pick<Segment, 'path'>): Promise<void> {
    const file = `${damagedPrefix}${basename(dirname(path))}-${basename(path)}`;
    await disk.rename(path, join(root, file)).catch((error: unknown) => {
      // Renamed before, and then the folder could not be flushed.
      if (ownCode(error) !== 'ENOENT') throw error;
    });
    // Both folders, or a power cut could undo one half of it.
    for (const folder of [root, dirname(path)]) await disk.syncFolder(folder);
    const message = 'a file of the disk log is damaged; the readable deliveries are in the queue, the file was renamed';
    log('error', message, { file }, file);
  }

  return {
    async adopt() {
      const entries = await disk.readFolder(root).catch(() => []);
      const found: string[] = [];
      for (const entry of entries) {
        const folder = join(root, entry.name);
        if (!entry.isDirectory() || folder === own || locks.has(folder)) continue;
        try {
          found.push(...(await adoptFolder(folder)));
        } catch (err) {
          log('error', 'a folder of the disk log left by another receiver cannot be read', { err, folder: entry.name });
        }
      }
      return found;
    },
    async read(path) {
      const content = readSegment(await disk.readFile(path));
      if (content.state === 'damaged') damaged.add(path);
      return content;
    },
    isDamaged: (path) => damaged.has(path),
    rename: (from, to) => disk.rename(from, to),
    async remove(segment) {
      if (damaged.has(segment.path)) await setAside(segment);
      else await disk.remove(segment.path);
      damaged.delete(segment.path);
      const folder = dirname(segment.path);
      if (folder !== own) await removeIfEmpty(folder);
    },
    async close() {
      if (locks.has(own)) await removeIfEmpty(own);
      for (const lock of locks.values()) lock.release();
      locks.clear();
    },
  };
}
