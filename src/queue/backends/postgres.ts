// BullMQ on PostgreSQL, in a schema of its own, so that it can share the database of the mirror.

import { createPostgresBackend, withBackend } from 'bullmq';
import pg from 'pg';
import type { BullEngine } from '#src/queue/bullmq/connection.ts';
import type { Pace } from '#src/queue/bullmq/worker.ts';
import { openBullQueue } from '#src/queue/bullmq/delivery-queue.ts';
import { calm } from '#src/queue/bullmq/fetch-backoff.ts';
import type { DeliveryQueue, EngineProblem } from '#src/queue/contract.ts';
import { queueFailure } from '#src/queue/sanitize-error.ts';

const schema = 'slotstream_queue';
const deadlineMs = 2000;

export function openPostgresQueue(input: {
  readonly url: string;
  readonly name: string;
  readonly report: (error: Error) => void;
  readonly pace: Pace | undefined;
}): Promise<DeliveryQueue> {
  const { name, url, report, pace } = input;
  const { Queue, Worker } = withBackend(calm(createPostgresBackend));
  const connection = {
    connectionString: url,
    schema,
    migrate: true,
    max: 5,
    keepAlive: true,
    connectionTimeoutMillis: deadlineMs,
    query_timeout: 10_000,
  };
  // Questions have a pool of their own: they must be answered, or not, whatever the queue is waiting for.
  const questions = new pg.Pool({
    connectionString: url,
    max: 1,
    connectionTimeoutMillis: deadlineMs,
    query_timeout: deadlineMs,
  });
  questions.on('error', (error) => report(queueFailure(error)));
  const question = async (sql: string): Promise<readonly Record<string, unknown>[]> => {
    try {
      return (await questions.query<Record<string, unknown>>(sql)).rows;
    } catch (error) {
      throw queueFailure(error);
    }
  };

  const engine: BullEngine = {
    engine: 'postgres',
    makeQueue: (name, options) => new Queue(name, { ...options, connection }),
    makeWorker: (name, processor, options) => new Worker(name, processor, { ...options, connection }),
    check: async () => {
      const rows = await question(
        `select name, setting from pg_settings where name in ('fsync', 'synchronous_commit')`,
      );
      return rows.filter((row) => row['setting'] === 'off').map((row) => unsafe(String(row['name'])));
    },
    ping: async () => void (await question('select 1')),
    close: () => questions.end(),
  };
  return openBullQueue({ engine, name, report, pace });
}

function unsafe(setting: string): EngineProblem {
  return {
    fatal: false,
    message: `PostgreSQL runs with ${setting} = off: a crash of the server or its machine may lose accepted deliveries.`,
    hint: `Set ${setting} = on in postgresql.conf.`,
  };
}
