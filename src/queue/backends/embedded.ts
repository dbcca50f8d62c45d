// The default queue, which needs no installation: BullMQ's PostgreSQL backend on PGlite, in a folder owned by one process.

import { readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { createPostgresBackend, DEFAULT_SCHEMA, runMigrations, withBackend } from 'bullmq';
import { z } from 'zod';
import { SlotstreamError } from '#src/base/errors.ts';
import { type ProcessLock, takeLock } from '#src/base/process-lock.ts';
import { withTimeout } from '#src/base/timeout.ts';
import { toQueueError, type BullEngine } from '#src/queue/bullmq/connection.ts';
import type { WorkerTiming } from '#src/queue/bullmq/worker.ts';
import { openBullQueue } from '#src/queue/bullmq/delivery-queue.ts';
import { withFetchBackoff } from '#src/queue/bullmq/engine-outages.ts';
import type { DeliveryQueue } from '#src/queue/contract.ts';
import { PglitePool } from './pglite-pool.ts';

const pingTimeoutMs = 2000;
const vacuumEveryMs = 30_000;

export async function openEmbeddedQueue(input: {
  readonly folder: string;
  readonly name: string;
  readonly report: (error: Error) => void;
  readonly timing: WorkerTiming | undefined;
}): Promise<DeliveryQueue> {
  const { folder, name, report, timing } = input;
  await mkdir(dirname(folder), { recursive: true });
  const lock = lockQueue(`${folder}.lock`);
  let db: PGlite;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    db = await PGlite.create({ dataDir: folder, relaxedDurability: false });
    await prepare(db);
  } catch (error) {
    lock.release();
    throw error;
  }

  const pool = new PglitePool(db);
  const { Queue, Worker } = withBackend(withFetchBackoff(createPostgresBackend));
  const engine: BullEngine = {
    engine: 'embedded',
    makeQueue: (name, options) => new Queue(name, { ...options, connection: pool }),
    makeWorker: (name, processor, options) => new Worker(name, processor, { ...options, connection: pool }),
    check: async () => [],
    ping: async () => {
      try {
        await withTimeout(db.query('select 1'), pingTimeoutMs);
      } catch (error) {
        throw toQueueError(error);
      }
    },
    close: async () => {
      clearInterval(vacuuming);
      await db.close();
      lock.release();
    },
  };
  const vacuuming = setInterval(
    () => void vacuum(db).catch((error) => report(toQueueError(error))),
    vacuumEveryMs,
  ).unref();
  return openBullQueue({ engine, name, report, timing });
}

/** BullMQ expects a given pool to be migrated and to have its schema in the search path. PGlite has one session to set it on. */
async function prepare(db: PGlite): Promise<void> {
  const client = await new PglitePool(db).connect();
  await runMigrations(client, DEFAULT_SCHEMA);
  client.release();
  await db.exec(`set search_path to "${DEFAULT_SCHEMA}"`);
}

/** PGlite has no autovacuum: without it the rows of finished jobs would slow down every fetch. */
async function vacuum(db: PGlite): Promise<void> {
  // One statement per call: `exec` runs a text in one transaction, and VACUUM must be alone in it.
  for (const table of ['job', 'event', 'meta']) await db.exec(`vacuum ${table}`);
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
  writeFileSync(ownerFile(path), JSON.stringify(owner));
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
