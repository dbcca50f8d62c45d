// Appends records to the current segment of one folder and flushes each (fsync). The folder is created and locked with the first
// record, so a receiver whose queue never fails writes nothing to disk.
import { mkdir, open, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ownCode, SlotstreamError } from '#src/base/errors.ts';
import { syncFolder } from '#src/base/durable-file.ts';
import { takeLock, type ProcessLock } from '#src/base/process-lock.ts';

export const segmentEnding = '.segment';

export interface Segment {
  readonly path: string;
  readonly deliveries: number;
  readonly bytes: number;
}

export interface SegmentWriter {
  readonly folder: string;
  readonly current: Segment | undefined;
  /** Resolves once the record is on disk; rejects when the disk fails. */
  append(record: Buffer, deliveries: number): Promise<void>;
  /** Ends the current segment and passes it to `onSealed`. */
  seal(): Promise<void>;
}

interface OpenSegment extends Segment {
  readonly handle: FileHandle;
  deliveries: number;
  bytes: number;
}

export function createSegmentWriter(options: {
  readonly folder: string;
  readonly segmentBytes: number;
  readonly locks: Map<string, ProcessLock>;
  readonly onSealed: (segment: Segment) => void;
}): SegmentWriter {
  const { folder, segmentBytes, locks, onSealed } = options;
  let current: OpenSegment | undefined;
  let count = 0;
  let busy: Promise<unknown> = Promise.resolve();

  /** Serializes appending and sealing, or a drain could read a segment that is still being written. */
  function inTurn<T>(step: () => Promise<T>): Promise<T> {
    const turn = busy.then(step);
    busy = turn.catch(() => undefined);
    return turn;
  }

  async function openSegment(): Promise<OpenSegment> {
    if (!locks.has(folder)) await lockFolder();
    count += 1;
    const path = join(folder, `${String(count).padStart(10, '0')}${segmentEnding}`);
    try {
      const handle = await open(path, 'ax', 0o600);
      await syncFolder(folder);
      return { path, handle, deliveries: 0, bytes: 0 };
    } catch (error) {
      // The folder was removed: it is created and locked again with the next record.
      if (ownCode(error) === 'ENOENT') releaseFolder();
      throw error;
    }
  }

  async function lockFolder(): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const lock = takeLock(join(folder, 'lock'));
    if (!lock) throw new SlotstreamError('refused', 'The spool folder could not be locked.');
    locks.set(folder, lock);
    await syncFolder(dirname(folder));
    await syncFolder(dirname(dirname(folder)));
  }

  function releaseFolder(): void {
    locks.get(folder)?.release();
    locks.delete(folder);
  }

  async function seal(): Promise<void> {
    if (!current) return;
    const { handle, path, deliveries, bytes } = current;
    current = undefined;
    // In the same turn of the event loop, or the spool would look empty for a moment.
    if (bytes > 0) onSealed({ path, deliveries, bytes });
    await handle.close().catch(() => undefined);
    if (bytes === 0) await rm(path, { force: true }).catch(() => undefined);
  }

  async function append(record: Buffer, deliveries: number): Promise<void> {
    current ??= await openSegment();
    try {
      await current.handle.appendFile(record);
      await current.handle.datasync();
    } catch (error) {
      // Never write to it again: after a failed fsync the next one may report success wrongly. Readers ignore a torn record.
      await current.handle.truncate(current.bytes).catch(() => undefined);
      await seal();
      throw error;
    }
    current.deliveries += deliveries;
    current.bytes += record.length;
    if (current.bytes >= segmentBytes) await seal();
  }

  return {
    folder,
    get current() {
      return current && current.bytes > 0 ? current : undefined;
    },
    append: (record, deliveries) => inTurn(() => append(record, deliveries)),
    seal: () => inTurn(seal),
  };
}
