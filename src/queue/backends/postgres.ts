// The queue on PostgreSQL, in a schema of its own, so that it can share the database of the mirror.

import { createPostgresBackend, withBackend } from 'bullmq';
import pg from 'pg';
import { defaultSchema, schemaIn } from '#src/base/database-schema.ts';
import { directOption, isDirect } from '#src/base/direct-connection.ts';
import { codeOf } from '#src/base/errors.ts';
import { toQueueError, type BullEngine } from '#src/queue/bullmq/connection.ts';
import { defaultTiming, maxStalledCount } from '#src/queue/bullmq/worker.ts';
import { openBullQueue, type QueueNeeds } from '#src/queue/bullmq/delivery-queue.ts';
import { withFetchBackoff, withOverrides } from '#src/queue/bullmq/backend-overrides.ts';
import type { DeliveryQueue, EngineProblem, QueueNotes } from '#src/queue/contract.ts';

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
  const schema = space === defaultSchema ? 'slotstream_queue' : `slotstream_queue_${space}`;
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
  const query: Query = async (sql, values = []) => {
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
    notes: (queue) => notesIn(query, { schema, queue }),
    ping: async () => void (await query('select 1')),
    close: () => checks.end(),
  };
  return openBullQueue(engine, input);
}

type Query = (sql: string, values?: (number | string)[]) => Promise<readonly Record<string, unknown>[]>;

function notesIn(query: Query, { schema, queue }: { readonly schema: string; readonly queue: string }): QueueNotes {
  const table = `${schema}.note`;
  const exists = async (): Promise<boolean> =>
    (await query('select to_regclass($1) is not null as found', [table]))[0]?.['found'] === true;
  /** Who may write into the schema need not be allowed to create tables in it. */
  const create = async (): Promise<unknown> =>
    (await exists()) ||
    query(`create table if not exists ${table} (queue text, name text, text text not null, primary key (queue, name))`);
  async function insert(name: string, text: string, otherwise: string): Promise<void> {
    await create();
    const values = [queue, name, text];
    await query(
      `insert into ${table} (queue, name, text) values ($1, $2, $3) on conflict (queue, name) do ${otherwise}`,
      values,
    );
  }
  return {
    async read() {
      if (!(await exists())) return new Map();
      const rows = await query(`select name, text from ${table} where queue = $1`, [queue]);
      return new Map(rows.map(({ name, text }) => [String(name), String(text)]));
    },
    add: (name, text) => insert(name, text, 'nothing'),
    write: (name, text) => insert(name, text, 'update set text = excluded.text'),
    async remove(names) {
      if (!(await exists())) return;
      for (const name of names) await query(`delete from ${table} where queue = $1 and name = $2`, [queue, name]);
    },
  };
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
