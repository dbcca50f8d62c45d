// The default queue, which needs no installation: BullMQ on a SQLite file, in a folder owned by one process.

import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import Sqlite from 'better-sqlite3';
import { withBackend } from 'bullmq';
import { z } from 'zod';
import { diskError } from '#src/base/disk-failure.ts';
import { damagedPrefix, makeFolder, syncFolderNow } from '#src/base/durable-file.ts';
import { codeOf, SlotstreamError } from '#src/base/errors.ts';
import { type ProcessLock, takeLock } from '#src/base/process-lock.ts';
import type { BullEngine } from '#src/queue/bullmq/connection.ts';
import { openBullQueue, type QueueNeeds } from '#src/queue/bullmq/delivery-queue.ts';
import { withFetchBackoff } from '#src/queue/bullmq/backend-overrides.ts';
import type { DeliveryQueue } from '#src/queue/contract.ts';
import { JobTable } from '#src/queue/sqlite/job-table.ts';
import { createSqliteBackend } from '#src/queue/sqlite/queue-backend.ts';

/** An idle worker looks for jobs this often, in seconds. An add and a due time wake it, so this is only a safeguard. */
const drainDelay = 30;

interface EmbeddedQueueInput extends QueueNeeds {
  readonly folder: string;
  /** Sets a damaged file aside; is called with its path. Without it, a damaged queue cannot be opened. */
  readonly onDamaged?: ((path: string) => void) | undefined;
}

export async function openEmbeddedQueue({ folder, onDamaged, ...input }: EmbeddedQueueInput): Promise<DeliveryQueue> {
  makeFolder(dirname(folder));
  const lock = lockQueue(`${folder}.lock`);
  let connection: JobTable;
  try {
    makeFolder(folder);
    // Its name, and that of the folder around it, must survive a power cut too.
    for (const parent of [dirname(folder), dirname(dirname(resolve(folder)))]) syncFolderNow(parent);
    const path = join(folder, 'jobs.db');
    if (onDamaged && isDamaged(path)) onDamaged(setAside(path));
    connection = openTable(path);
  } catch (error) {
    lock.release();
    throw error;
  }

  const { Queue, Worker } = withBackend(withFetchBackoff(createSqliteBackend));
  const engine: BullEngine = {
    engine: 'embedded',
    // BullMQ's metadata of a queue (its version, limits) is not used here.
    makeQueue: (name, options) => new Queue(name, { ...options, connection, skipMetasUpdate: true }),
    makeWorker: (name, processor, options) => new Worker(name, processor, { ...options, connection, drainDelay }),
    check: async () => [],
    notes: (queue) => connection.notes(queue),
    ping: async () => void connection.hasWaiting(input.name),
    close: async () => {
      connection.close();
      lock.release();
    },
  };
  return openBullQueue(engine, input);
}

/** Only a file that SQLite can read and that is no sound database counts: a disk that fails may work again. */
function isDamaged(path: string): boolean {
  if (!existsSync(path)) return false;
  let database: Sqlite.Database | undefined;
  try {
    database = new Sqlite(path);
    return database.pragma('quick_check(1)', { simple: true }) !== 'ok';
  } catch (error) {
    return /^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(error));
  } finally {
    database?.close();
  }
}

/** Renames the file and its write-ahead log, so that a new queue begins. Returns the new path. */
function setAside(path: string): string {
  const time = new Date().toISOString().replaceAll(/[-:.]/g, '');
  const aside = join(dirname(path), `${damagedPrefix}${time}-${basename(path)}`);
  for (const ending of ['-shm', '-wal', '']) if (existsSync(path + ending)) renameSync(path + ending, aside + ending);
  syncFolderNow(dirname(path));
  return aside;
}

function openTable(path: string): JobTable {
  try {
    return new JobTable(path);
  } catch (error) {
    const failure = diskError(`The embedded queue ${path} cannot be opened`, error);
    throw new SlotstreamError('queue_unavailable', failure?.message ?? `The embedded queue ${path} cannot be opened.`, {
      hint:
        failure?.hint ??
        'Check that the folder is writable and has room. A process that receives or works sets a damaged file aside.',
      cause: error,
    });
  }
}

/** Takes the lock `path` (a file beside the queue's folder); throws and names its owner when another process holds it. */
function lockQueue(path: string): ProcessLock {
  const lock = takeLock(path);
  if (lock === undefined) {
    throw new SlotstreamError('queue_held', `Another process holds the embedded queue: ${describeOwner(path)}.`, {
      hint: 'Stop that process, or give this one its own DATA_DIR. Several processes at once need QUEUE_URL (Redis or PostgreSQL).',
    });
  }
  const owner = { pid: process.pid, host: hostname(), since: new Date().toISOString() };
  writeFileSync(ownerFile(path), JSON.stringify(owner), { mode: 0o600 });
  return lock;
}

const ownerFile = (path: string): string => `${path}.owner`;
const ownerContent = z.object({ pid: z.unknown(), host: z.unknown(), since: z.unknown() });

/** Only for the message: the lock itself decides. */
function describeOwner(path: string): string {
  try {
    const { pid, host, since } = ownerContent.parse(JSON.parse(readFileSync(ownerFile(path), 'utf8')));
    return `process ${String(pid)} on ${String(host)}, since ${String(since)}`;
  } catch {
    return 'its owner is unknown';
  }
}
