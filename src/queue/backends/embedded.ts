// The default queue, for which nothing need be installed: BullMQ's PostgreSQL backend on PGlite, in a folder.

import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { createPostgresBackend, DEFAULT_SCHEMA, runMigrations, withBackend } from 'bullmq';
import { withTimeout } from '#src/base/timeout.ts';
import type { BullEngine } from '#src/queue/bullmq/connection.ts';
import type { Pace } from '#src/queue/bullmq/worker.ts';
import { openBullQueue } from '#src/queue/bullmq/delivery-queue.ts';
import { calm } from '#src/queue/bullmq/fetch-backoff.ts';
import type { DeliveryQueue } from '#src/queue/contract.ts';
import { queueFailure } from '#src/queue/sanitize-error.ts';
import { ownQueue } from './owner-lock.ts';
import { PglitePool } from './pglite-pool.ts';

const pingDeadlineMs = 2000;
const vacuumEveryMs = 30_000;

export async function openEmbeddedQueue(input: {
  readonly folder: string;
  readonly name: string;
  readonly report: (error: Error) => void;
  readonly pace: Pace | undefined;
}): Promise<DeliveryQueue> {
  const { folder, name, report, pace } = input;
  await mkdir(dirname(folder), { recursive: true });
  const lock = ownQueue(`${folder}.lock`);
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
  const { Queue, Worker } = withBackend(calm(createPostgresBackend));
  const engine: BullEngine = {
    engine: 'embedded',
    makeQueue: (name, options) => new Queue(name, { ...options, connection: pool }),
    makeWorker: (name, processor, options) => new Worker(name, processor, { ...options, connection: pool }),
    check: async () => [],
    ping: async () => {
      try {
        await withTimeout(db.query('select 1'), pingDeadlineMs);
      } catch (error) {
        throw queueFailure(error);
      }
    },
    close: async () => {
      clearInterval(vacuuming);
      await db.close();
      lock.release();
    },
  };
  const vacuuming = setInterval(
    () => void vacuum(db).catch((error) => report(queueFailure(error))),
    vacuumEveryMs,
  ).unref();
  return openBullQueue({ engine, name, report, pace });
}

/** BullMQ takes a pool as it is: migrated, and with its schema in the search path. There is only one session to set it on. */
async function prepare(db: PGlite): Promise<void> {
  const client = await new PglitePool(db).connect();
  await runMigrations(client, DEFAULT_SCHEMA);
  client.release();
  await db.exec(`set search_path to "${DEFAULT_SCHEMA}"`);
}

/** PGlite has no autovacuum: the rows of finished jobs would slow down every fetch and never leave. */
async function vacuum(db: PGlite): Promise<void> {
  // One text, one transaction; and VACUUM refuses to be in one with anything else.
  for (const table of ['job', 'event', 'meta']) await db.exec(`vacuum ${table}`);
}
