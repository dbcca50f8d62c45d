// The four installations that scenarios run on, each with engines of its own.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres, type TestPostgres } from '../harness/postgres.ts';
import { startRedis, type TestRedis } from '../harness/redis.ts';
import type { Engines } from './stack.ts';

export interface WithRedis extends Engines {
  readonly redis: TestRedis;
}

export interface WithPostgres extends Engines {
  readonly postgres: TestPostgres;
}

/** Opens the engines; `resources` closes them. */
export type OpenEngines<E extends Engines> = (resources: AsyncDisposableStack) => Promise<E>;

export const redisAndPostgres: OpenEngines<WithRedis & WithPostgres> = async (resources) => {
  const redis = resources.use(await startRedis());
  const postgres = resources.use(await startPostgres({ durable: true }));
  const store = await postgres.createDatabase();
  return { redis, postgres, store, settings: { QUEUE_URL: redis.url, DATABASE_URL: store } };
};

export const postgresAlone: OpenEngines<WithPostgres> = async (resources) => {
  const postgres = resources.use(await startPostgres({ durable: true }));
  const store = await postgres.createDatabase();
  return { postgres, store, settings: { QUEUE_URL: store, DATABASE_URL: store } };
};

export const redisAndSqlite: OpenEngines<WithRedis> = async (resources) => {
  const redis = resources.use(await startRedis());
  const store = `sqlite:${join(await temporaryFolder(resources), 'mirror.db')}`;
  return { redis, store, settings: { QUEUE_URL: redis.url, DATABASE_URL: store } };
};

export const embedded: OpenEngines<Engines> = async (resources) => {
  const store = `sqlite:${join(await temporaryFolder(resources), 'mirror.db')}`;
  return { store, settings: { DATABASE_URL: store }, isOneProcess: true };
};

async function temporaryFolder(resources: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'slotstream-chaos-store-'));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Rows name the installation that they run on. */
export const onRedisAndPostgres = { on: 'Redis + PostgreSQL', engines: redisAndPostgres } as const;
export const onPostgresAlone = { on: 'PostgreSQL alone', engines: postgresAlone } as const;
export const onRedisAndSqlite = { on: 'Redis + SQLite', engines: redisAndSqlite } as const;
export const onEmbedded = { on: 'embedded', engines: embedded } as const;
