// The figures that docs/scale.md computes with: processor time, PostgreSQL writes and bytes per event, memory of Redis per waiting
// delivery, and for how long a transaction holds the lock of the log, which sets the limit of one PostgreSQL.
import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Store } from '#src/store/contract.ts';
import { openStore } from '#src/store/open-store.ts';
import { privacyScreen } from '#workers/privacy/screen.ts';
import { ingest } from '../test/harness/ingest.ts';
import { connect, countEntries, cpuSeconds, startServers, type Client, type Servers } from './cpu.ts';
import { bodies, request } from './deliveries.ts';
import { median, medianFigure, type Figure, type Measurement } from './measure.ts';
import { startProduct, temporaryFolder } from './processes.ts';
import { sendRequests } from './requests.ts';

const warmUp = 8_000;
const events = 12_000;
const left = 4_000;
const batchSizes = [16, 256, 1_024];
const perBatchSize = 6_144;

export const scale: Measurement = {
  name: 'scale',
  about: `what ${events} events cost in a receiver, a worker, Redis and PostgreSQL, and how long a transaction holds the log`,
  async run() {
    await using servers = await startServers();
    return [...(await costs(servers)), ...(await lockTimes(servers))];
  },
};

async function costs({ postgres, redis, pids }: Servers): Promise<readonly Figure[]> {
  using folder = temporaryFolder();
  const url = await postgres.createDatabase();
  const env = { QUEUE_URL: redis.url, DATABASE_URL: url };
  const data = join(folder.path, 'receiver');
  await using receiver = await startProduct('receive', { ...env, DATA_DIR: data });
  await using database = await connect(url);
  const story = bodies(warmUp + events + left, 29).map(request);
  const send = (requests: readonly Buffer[], perSecond?: number) =>
    sendRequests({ port: receiver.port, requests, connections: 64, perSecond });
  let figures: readonly Figure[];
  {
    await using worker = await startProduct('work', { ...env, DATA_DIR: join(folder.path, 'worker') });
    const parts = Object.entries({ receiver: receiver.pid, worker: worker.pid, ...pids });
    const sendAll = async (some: readonly Buffer[]): Promise<void> => {
      const logged = await countEntries(database);
      await send(some);
      while ((await logged()) < some.length) await wait(25);
    };
    await sendAll(story.slice(0, warmUp));
    const before = { cpu: parts.map(([, pid]) => cpuSeconds(pid)), written: await written(database) };
    await sendAll(story.slice(warmUp, warmUp + events));
    const after = { cpu: parts.map(([, pid]) => cpuSeconds(pid)), written: await written(database) };
    figures = [
      ...parts.map(([name], at) => ({
        name: `scale.${name}_us`,
        value: (((after.cpu[at] ?? 0) - (before.cpu[at] ?? 0)) * 1e6) / events,
        unit: 'µs/event',
      })),
      ...Object.entries(after.written).map(([name, value]) => ({
        name: `scale.postgres_${name}`,
        value: (value - (before.written[name] ?? 0)) / events,
        unit: 'per event',
      })),
    ];
  }
  const memory = async (): Promise<number> => Number(/used_memory:(\d+)/.exec(await redis.cli('info', 'memory'))?.[1]);
  const empty = await memory();
  // At a steady rate: jobs are small, as during an outage of the store.
  await send(story.slice(-left), 1_000);
  const journal = globSync('journal/**/*', { cwd: data }).map((path) => statSync(join(data, path)));
  return [
    ...figures,
    { name: 'scale.redis_waiting', value: ((await memory()) - empty) / left, unit: 'bytes per waiting delivery' },
    {
      name: 'scale.journal_waiting',
      value: journal.reduce((sum, one) => sum + (one.isFile() ? one.size : 0), 0) / left,
      unit: 'bytes per waiting delivery',
    },
  ];
}

/** What PostgreSQL has written so far. */
async function written(database: Client): Promise<Readonly<Record<string, number>>> {
  await database.rows('select pg_stat_clear_snapshot()');
  // The server reports its counters about once a second.
  await wait(2_000);
  const [row] = await database.rows<Record<string, string>>(
    `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as wal_bytes, xact_commit as transactions,
            tup_inserted + tup_updated + tup_deleted as rows_written, pg_database_size(datname) as database_bytes,
            pg_total_relation_size('event_log') as log_bytes
     from pg_stat_database where datname = current_database()`,
  );
  return Object.fromEntries(Object.entries(row ?? {}).map(([name, value]) => [name, Number(value)]));
}

async function lockTimes({ postgres, pids }: Servers): Promise<readonly Figure[]> {
  await using opened = await openStore({ report: () => {} }, await postgres.createDatabase());
  const held: Held[] = [];
  const store = timed(opened, held, () => process.cpuUsage().user / 1e6 + cpuSeconds(pids.postgres));
  const story = bodies(perBatchSize * (batchSizes.length + 1), 31);
  const receivedAt = '2026-01-01T00:00:00.000000Z';
  const ingestAll = async (some: readonly string[], size: number): Promise<void> => {
    for (let at = 0; at < some.length; at += size) {
      const deliveries = some.slice(at, at + size).map((body) => ({ body, receivedAt }));
      await ingest({ store, screen: privacyScreen({ eraseOnDelete: true }) }, { v: 1, deliveries }, receivedAt);
    }
  };
  await ingestAll(story.splice(0, perBatchSize), 256);
  const figures: Figure[] = [];
  for (const size of batchSizes) {
    held.length = 0;
    await ingestAll(story.splice(0, perBatchSize), size);
    const times = held.map(({ ms }) => ms);
    const cpu = held.reduce((sum, { seconds }) => sum + seconds, 0);
    figures.push(
      medianFigure(`scale.lock_ms_${size}`, times, { unit: 'ms' }),
      { name: `scale.lock_cpu_us_${size}`, value: (cpu * 1e6) / perBatchSize, unit: 'µs/event' },
      { name: `scale.lock_limit_${size}`, value: (size * 1000) / median(times), unit: 'events/s' },
    );
  }
  return figures;
}

interface Held {
  readonly ms: number;
  /** Processor time of this process and of PostgreSQL meanwhile: it hardly depends on what else the machine does. */
  readonly seconds: number;
}

/** Notes how long each transaction held the lock of the log, its commit included. */
function timed(store: Store, held: Held[], cpu: () => number): Store {
  let locked = { at: Number.NaN, cpu: Number.NaN };
  return {
    ...store,
    transaction: async (work) => {
      const result = await store.transaction((unit) =>
        work({
          ...unit,
          engine: {
            ...unit.engine,
            lock: async (db, lock) => {
              await unit.engine.lock(db, lock);
              if (lock === 'log') locked = { cpu: cpu(), at: performance.now() };
            },
          },
        }),
      );
      held.push({ ms: performance.now() - locked.at, seconds: cpu() - locked.cpu });
      return result;
    },
  };
}
