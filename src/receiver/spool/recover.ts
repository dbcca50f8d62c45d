// Recovers the deliveries in the damaged segments that receivers set aside. Valid records become a spool folder without an owner, which a
// receiver adopts like that of one that crashed; the log drops what was processed before. What cannot be read stays in a smaller file.
//
//   damaged-NAME.segment ──valid records──▶ a folder of the spool, fsynced ──receiver──▶ queue
//                        └─unreadable bytes─▶ damaged-NAME.segment.rest; then the segment is deleted
//
// A crash between these steps leaves the segment: the next run recovers it again, and the log drops the copies.
import { randomUUID } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { replaceFile, syncFolder } from '#src/base/durable-file.ts';
import { codeOf, SlotstreamError } from '#src/base/errors.ts';
import { holdLock, type ProcessLock } from '#src/base/process-lock.ts';
import { unpackBatch } from '#src/queue/batch-codec.ts';
import type { DeliveryBatch } from '#src/queue/contract.ts';
import { encodeRecord, readSegment } from '#src/receiver/segments/segment.ts';
import { damagedPrefix } from '#src/receiver/segments/segment-folders.ts';
import { createSegmentWriter, type SegmentWriter } from '#src/receiver/segments/segment-writer.ts';

export interface RecoveredFile {
  readonly file: string;
  /** Valid records and the deliveries in them. */
  readonly records: number;
  readonly deliveries: number;
  readonly unreadable_bytes: number;
  /** The file that holds the unreadable bytes; null when there are none. */
  readonly rest: string | null;
}

export interface Recovery {
  readonly dry_run: boolean;
  readonly files: readonly RecoveredFile[];
  /** Files with unreadable bytes that earlier runs left. */
  readonly earlier_rests: readonly string[];
}

const restEnding = '.rest';

/** Safe beside a running receiver: it never opens a segment again that it has set aside. */
export async function recoverDamaged(options: {
  readonly dataDir: string;
  readonly dryRun: boolean;
}): Promise<Recovery> {
  const { dataDir, dryRun } = options;
  const spool = join(dataDir, 'spool');
  const found = await damagedFiles(dataDir);
  const earlier_rests = found.filter((path) => path.endsWith(restEnding));
  const isSegment = (path: string): boolean => !path.endsWith(restEnding);
  if (dryRun || !found.some(isSegment)) {
    const files = await Promise.all(found.filter(isSegment).map(async (path) => reportOf(await readDamaged(path))));
    return { dry_run: dryRun, files, earlier_rests };
  }
  using _lock = holdLock(join(spool, 'recover.lock'), alreadyRunning());
  await using target = openTarget(join(spool, randomUUID()));
  const files: RecoveredFile[] = [];
  // Listed again: another run may have recovered some before this one had the lock.
  for (const path of (await damagedFiles(dataDir)).filter(isSegment)) {
    const damaged = await readDamaged(path);
    try {
      await target.append(damaged.batches);
      if (damaged.unreadable.length > 0) replaceFile(restOf(path), damaged.unreadable);
      await rm(path);
      await syncFolder(dirname(path));
    } catch (cause) {
      throw notWritten(path, cause);
    }
    files.push(reportOf(damaged));
  }
  return { dry_run: dryRun, files, earlier_rests };
}

async function damagedFiles(dataDir: string): Promise<readonly string[]> {
  const lists = ['spool', 'journal'].map(async (name) => {
    const folder = join(dataDir, name);
    // Without a folder, nothing was ever written there.
    const files = await readdir(folder).catch(() => []);
    return files.filter((file) => file.startsWith(damagedPrefix)).map((file) => join(folder, file));
  });
  return (await Promise.all(lists)).flat().toSorted();
}

interface DamagedSegment {
  readonly path: string;
  readonly batches: readonly DeliveryBatch[];
  readonly unreadable: Buffer;
}

async function readDamaged(path: string): Promise<DamagedSegment> {
  const { records, unreadable } = readSegment(await readFile(path));
  const batches: DeliveryBatch[] = [];
  const unknown: Buffer[] = [];
  for (const record of records) {
    const batch = batchIn(record);
    if (batch === undefined) unknown.push(record);
    else batches.push(batch);
  }
  return { path, batches, unreadable: Buffer.concat([...unreadable, ...unknown]) };
}

const storedBatch = z.object({
  v: z.literal(1),
  deliveries: z.array(
    z.object({ body: z.string(), encoding: z.literal('base64').exactOptional(), receivedAt: z.string() }),
  ),
});

/** A record of the spool or of the journal; undefined when another version wrote it in a form that is unknown here. */
function batchIn(record: Buffer): DeliveryBatch | undefined {
  try {
    return storedBatch.safeParse(unpackBatch(JSON.parse(record.toString('utf8')))).data;
  } catch {
    return undefined;
  }
}

const restOf = (path: string): string => path + restEnding;

function reportOf({ path, batches, unreadable }: DamagedSegment): RecoveredFile {
  return {
    file: path,
    records: batches.length,
    deliveries: batches.reduce((sum, { deliveries }) => sum + deliveries.length, 0),
    unreadable_bytes: unreadable.length,
    rest: unreadable.length > 0 ? restOf(path) : null,
  };
}

interface Target extends AsyncDisposable {
  /** Resolves once the batches are on disk. */
  append(batches: readonly DeliveryBatch[]): Promise<void>;
}

/** A folder of the spool, locked until it is disposed of; then a receiver can adopt it. */
function openTarget(folder: string): Target {
  const locks = new Map<string, ProcessLock>();
  const writer = createSegmentWriter({ folder, segmentBytes: 4 * 1024 ** 2, locks, onSealed: () => undefined });
  return {
    async append(batches) {
      await Promise.all(batches.map((batch) => appendTo(writer, batch)));
    },
    async [Symbol.asyncDispose]() {
      await writer.seal();
      for (const lock of locks.values()) lock.release();
    },
  };
}

function appendTo(writer: SegmentWriter, batch: DeliveryBatch): Promise<unknown> {
  const { length } = batch.deliveries;
  return writer.append(encodeRecord(batch, length), length);
}

const alreadyRunning = (): SlotstreamError =>
  new SlotstreamError('busy', 'Another slotstream spool recover is running on this DATA_DIR.', {
    hint: 'Wait until it has ended.',
  });

function notWritten(path: string, cause: unknown): SlotstreamError {
  const message = `${basename(path)} was not recovered: the disk cannot be written (${codeOf(cause)}). The file is unchanged.`;
  return new SlotstreamError('output', message, { hint: 'Free disk space, then run it again.', cause });
}
