// The queue on PostgreSQL, in a schema of its own, so that it can share the database of the mirror.

import { createPostgresBackend, withBackend } from 'bullmq';
import pg from 'pg';
import { schemaIn } from '#src/base/database-schema.ts';
import { directOption, isDirect } from '#src/base/direct-connection.ts';
import { codeOf } from '#src/base/errors.ts';
import { toQueueError, type BullEngine } from '#src/queue/bullmq/connection.ts';
import { defaultTiming, maxStalledCount } from '#src/queue/bullmq/worker.ts';
import { openBullQueue, type QueueNeeds } from '#src/queue/bullmq/delivery-queue.ts';
import { withFetchBackoff, withOverrides } from '#src/queue/bullmq/backend-overrides.ts';
import type { DeliveryQueue, EngineProblem } from '#src/queue/contract.ts';

const timeoutMs = 2000;

interface PostgresQueueInput extends QueueNeeds {
  readonly url: string;
  /** The name in QUEUE_URL. */
  readonly space: string | undefined;
}

export function openPostgresQueue({ url, space: named, ...input }: PostgresQueueInput): Promise<DeliveryQueue> {
  const { report, timing } = input;
  const { lockMs, stalledMs } = timing ?? defaultTiming;
  // Each mirror in the same database has a queue of its own.
  const space = named ?? schemaIn(url);
  const schema = space === undefined ? 'slotstream_queue' : `slotstream_queue_${space}`;
  /**
   * BullMQ writes the end of a lock by the clock of the worker, and looks for locks that have ended by the clock of another. A worker whose
   * clock was ahead when it died must not hold its jobs for as long as it was ahead, and one whose clock is ahead must not take running
   * jobs. So both are judged by the clock of the server.
   */
  const reclaim = async (queue: string): Promise<string[]> => {
    await query(limitLocks(schema), [lockMs]);
    return (await query(reclaimStalled(schema), [queue, maxStalledCount, stalledMs])).map(({ id }) => String(id));
  };
  const { Queue, Worker } = withBackend(
    withOverrides(withFetchBackoff(createPostgresBackend), (_backend, queue) => ({
      moveStalledJobsToWait: () => reclaim(queue),
    })),
  );
  const connection = {
    connectionString: url,
    schema,
    migrate: true,
    max: 5,
    keepAlive: true,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: 10_000,
  };
  // Checks use their own pool: they must not wait for the queue's connections.
  const checks = new pg.Pool({
    connectionString: url,
    // A pooler rejects or discards it, as it does with the search path that BullMQ sets in the same way.
    options: directOption,
    max: 1,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  });
  checks.on('error', (error) => report(toQueueError(error)));
  const query = async (sql: string, values: (number | string)[] = []): Promise<readonly Record<string, unknown>[]> => {
    try {
      return (await checks.query<Record<string, unknown>>(sql, values)).rows;
    } catch (error) {
      throw toQueueError(error);
    }
  };

  const engine: BullEngine = {
    engine: 'postgres',
    makeQueue: (name, options) => new Queue(name, { ...options, connection }),
    makeWorker: (name, processor, options) => new Worker(name, processor, { ...options, connection }),
    check: async () => {
      if (await isPooled(checks)) return [pooled];
      const rows = await query(
        `select name, setting from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit')`,
      );
      return rows.filter((row) => row['setting'] === 'off').map((row) => unsafe(String(row['name'])));
    },
    facts: {
      read: async () => {
        // Its owner may keep others from creating anything, so it is created only where it is missing.
        const [{ present } = {}] = await query('select to_regclass($1) is not null as present', [`${schema}.fact`]);
        if (present !== true)
          await query(`create table if not exists ${schema}.fact (name text primary key, value text not null)`);
        const rows = await query(`select name, value from ${schema}.fact`);
        return new Map(rows.map(({ name, value }) => [String(name), String(value)]));
      },
      addMissing: async (facts) => {
        for (const [name, value] of Object.entries(facts))
          await query(`insert into ${schema}.fact (name, value) values ($1, $2) on conflict do nothing`, [name, value]);
      },
      clear: async () => void (await query(`delete from ${schema}.fact`)),
    },
    ping: async () => void (await query('select 1')),
    close: () => checks.end(),
  };
  return openBullQueue(engine, input);
}

const nowMs = `(extract(epoch from clock_timestamp()) * 1000)::bigint`;

const limitLocks = (schema: string) => `
  update ${schema}.job set locked_until_ms = ${nowMs} + $1 where state = 'active' and locked_until_ms > ${nowMs} + $1`;

const reclaimStalled = (schema: string) =>
  `select id from ${schema}.move_stalled_jobs_to_wait($1, $2, ${nowMs}, $3) as t (id)`;

const pooled: EngineProblem = {
  fatal: true,
  message:
    'QUEUE_URL leads through a connection pooler such as PgBouncer, which drops settings that the queue needs, or sets `options` itself.',
  hint: 'Set QUEUE_URL to the address of PostgreSQL itself. The store may stay behind the pooler.',
};

async function isPooled(checks: pg.Pool): Promise<boolean> {
  try {
    return !(await isDirect(checks));
  } catch (error) {
    // "Unsupported startup parameter."
    if (codeOf(error) === '08P01') return true;
    throw toQueueError(error);
  }
}

function unsafe(setting: string): EngineProblem {
  return {
    fatal: true,
    message: `PostgreSQL runs with ${setting} = off: a crash of the server or its machine can lose accepted deliveries.`,
    hint: `Set ${setting} = on in postgresql.conf.`,
  };
}
