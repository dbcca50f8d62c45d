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

export interface InstallationOf<E extends Engines> {
  /** As the table names it, such as `Redis + PostgreSQL`. */
  readonly on: string;
  /** Opens the engines; `resources` closes them. */
  readonly open: (resources: AsyncDisposableStack) => Promise<E>;
}

export const redisAndPostgres: InstallationOf<WithRedis & WithPostgres> = {
  on: 'Redis + PostgreSQL',
  async open(resources) {
    const redis = resources.use(await startRedis());
    const postgres = resources.use(await startPostgres({ durable: true }));
    const store = await postgres.createDatabase();
    return { redis, postgres, store, settings: { QUEUE_URL: redis.url, DATABASE_URL: store } };
  },
};

export const postgresAlone: InstallationOf<WithPostgres> = {
  on: 'PostgreSQL alone',
  async open(resources) {
    const postgres = resources.use(await startPostgres({ durable: true }));
    const store = await postgres.createDatabase();
    return { postgres, store, settings: { QUEUE_URL: store, DATABASE_URL: store } };
  },
};

export const redisAndSqlite: InstallationOf<WithRedis> = {
  on: 'Redis + SQLite',
  async open(resources) {
    const redis = resources.use(await startRedis());
    const store = `sqlite:${join(await temporaryFolder('store', resources), 'mirror.db')}`;
    return { redis, store, settings: { QUEUE_URL: redis.url, DATABASE_URL: store } };
  },
};

export const embedded: InstallationOf<Engines> = {
  on: 'embedded',
  async open(resources) {
    const store = `sqlite:${join(await temporaryFolder('store', resources), 'mirror.db')}`;
    return { store, settings: { DATABASE_URL: store }, isOneProcess: true };
  },
};

export async function temporaryFolder(name: string, resources: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `slotstream-chaos-${name}-`));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
