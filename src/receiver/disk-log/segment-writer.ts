// Appends records to the current segment of one folder. Records that arrive during a write are written together and flushed with
// one fsync (group commit). The folder is created and locked with the first record.
import { constants } from 'node:fs';
import { dirname, join } from 'node:path';
import { ownCode, SlotstreamError } from '#src/base/errors.ts';
import type { ProcessLock } from '#src/base/process-lock.ts';
import { nodeDisk, type Disk, type DiskFile } from './disk.ts';

export const segmentEnding = '.segment';
/** Of a segment whose batches are finished. */
export const retainedEnding = '.kept';

export interface Segment {
  readonly path: string;
  readonly records: number;
  readonly bytes: number;
}

export interface SegmentWriter {
  readonly folder: string;
  readonly current: Segment | undefined;
  /** Resolves with its segment once the record is on disk; rejects when the disk fails. */
  append(record: Buffer): Promise<Segment>;
  /** Ends the current segment and passes it to `onSealed`. */
  seal(): Promise<void>;
}

/** On Linux a write to a file with this flag returns when the bytes are on disk: one call per batch instead of two. */
const isWrittenThrough = process.platform === 'linux';
const flags =
  constants.O_WRONLY |
  constants.O_APPEND |
  constants.O_CREAT |
  constants.O_EXCL |
  (isWrittenThrough ? constants.O_DSYNC : 0);

/** Resolves once the bytes are on disk. */
function appendTo(file: DiskFile, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const flush = (): void =>
      isWrittenThrough ? resolve() : file.flush((error) => (error ? reject(error) : resolve()));
    const writeFrom = (at: number): void =>
      file.write(bytes, at, (error, written) => {
        if (error) reject(error);
        else if (at + written < bytes.length) writeFrom(at + written);
        else flush();
      });
    writeFrom(0);
  });
}

interface OpenSegment extends Segment {
  readonly file: DiskFile;
  records: number;
  bytes: number;
}

interface PendingWrite {
  readonly record: Buffer;
  readonly resolve: (segment: Segment) => void;
  readonly reject: (error: unknown) => void;
}

export function createSegmentWriter(options: {
  readonly folder: string;
  readonly segmentBytes: number;
  readonly locks: Map<string, ProcessLock>;
  readonly onSealed: (segment: Segment) => void;
  readonly disk?: Disk | undefined;
}): SegmentWriter {
  const { folder, segmentBytes, locks, onSealed, disk = nodeDisk } = options;
  let current: OpenSegment | undefined;
  let count = 0;
  let isNameFlushed = false;
  let waiting: PendingWrite[] = [];
  let busy: Promise<unknown> = Promise.resolve();

  /** Serializes writing and sealing, or the loop could read a segment that is still being written. */
  function inTurn<T>(step: () => Promise<T>): Promise<T> {
    const turn = busy.then(step);
    busy = turn.catch(() => undefined);
    return turn;
  }

  async function openSegment(): Promise<OpenSegment> {
    await lockFolder();
    count += 1;
    const path = join(folder, `${String(count).padStart(10, '0')}${segmentEnding}`);
    try {
      const file = await disk.open(path, flags, 0o600);
      try {
        await disk.syncFolder(folder);
      } catch (error) {
        await file.close().catch(() => undefined);
        await disk.remove(path).catch(() => undefined);
        throw error;
      }
      return { path, file, records: 0, bytes: 0 };
    } catch (error) {
      // The folder was removed: it is created and locked again with the next record.
      if (ownCode(error) === 'ENOENT') releaseFolder();
      throw error;
    }
  }

  async function lockFolder(): Promise<void> {
    if (!locks.has(folder)) {
      disk.makeFolder(folder);
      const lock = disk.takeLock(join(folder, 'lock'));
      if (!lock) throw new SlotstreamError('refused', `The folder ${folder} could not be locked.`);
      locks.set(folder, lock);
      isNameFlushed = false;
    }
    // Still locked after a failure: a receiver that adopts the empty folder would remove it under the next record.
    if (isNameFlushed) return;
    await disk.syncFolder(dirname(folder));
    await disk.syncFolder(dirname(dirname(folder)));
    isNameFlushed = true;
  }

  function releaseFolder(): void {
    locks.get(folder)?.release();
    locks.delete(folder);
  }

  async function seal(): Promise<void> {
    if (!current) return;
    const sealed = current;
    current = undefined;
    // In the same turn of the event loop, or the disk log would look empty for a moment.
    if (sealed.bytes > 0) onSealed(sealed);
    await sealed.file.close().catch(() => undefined);
    if (sealed.bytes === 0) await disk.remove(sealed.path).catch(() => undefined);
  }

  async function writeWaiting(): Promise<void> {
    try {
      current ??= await openSegment();
    } catch (error) {
      for (const { reject } of waiting.splice(0)) reject(error);
      return;
    }
    const group = waiting;
    waiting = [];
    const [first] = group;
    if (!first) return;
    const bytes = group.length === 1 ? first.record : Buffer.concat(group.map(({ record }) => record));
    try {
      await appendTo(current.file, bytes);
    } catch (error) {
      // Never write to it again: after a failed fsync the next one may report success wrongly. Readers ignore a torn record.
      await current.file.truncate(current.bytes).catch(() => undefined);
      await seal();
      for (const { reject } of group) reject(error);
      return;
    }
    const written = current;
    written.records += group.length;
    written.bytes += bytes.length;
    const sealing = written.bytes >= segmentBytes ? seal() : undefined;
    for (const { resolve } of group) resolve(written);
    await sealing;
  }

  return {
    folder,
    get current() {
      return current && current.bytes > 0 ? current : undefined;
    },
    append: (record) =>
      new Promise((resolve, reject) => {
        waiting.push({ record, resolve, reject });
        if (waiting.length === 1) void inTurn(writeWaiting);
      }),
    seal: () => inTurn(seal),
  };
}
