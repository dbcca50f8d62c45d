// A row about a store behind a real PgBouncer in transaction mode, as the documentation asks for, on a server that is not on UTC.
import { succeeds } from '../../harness/ports.ts';
import { hasPgBouncer, startPgBouncer } from '../../harness/pgbouncer.ts';
import { startPostgres } from '../../harness/postgres.ts';
import { startRedis } from '../../harness/redis.ts';
import type { InstallationOf, WithPostgres } from '../engines.ts';
import { requireFault } from '../faults/evidence.ts';
import { ask } from '../oracle/read.ts';
import { scenario, type Run, type Scenario } from '../scenario.ts';

const obstacle = async (): Promise<string | undefined> =>
  (await hasPgBouncer()) ? undefined : 'pgbouncer is not installed';

interface BehindPgBouncer extends WithPostgres {
  readonly pooler: Awaited<ReturnType<typeof startPgBouncer>>;
}

const poolSize = 4;

const behindPgBouncer: InstallationOf<BehindPgBouncer> = {
  on: 'Redis + PgBouncer + PostgreSQL on Europe/Berlin',
  async open(resources) {
    const redis = resources.use(await startRedis());
    const postgres = resources.use(await startPostgres({ durable: true, settings: { timezone: 'Europe/Berlin' } }));
    const pooler = resources.use(await startPgBouncer(postgres.port, { poolSize, ignored: 'options' }));
    const store = await postgres.createDatabase();
    return { postgres, pooler, store, settings: { QUEUE_URL: redis.url, DATABASE_URL: pooler.through(store) } };
  },
};

/** How many connections the product has to PgBouncer, and PgBouncer to the server, and no other process to this database. */
async function poolOf({ engines }: Run<BehindPgBouncer>): Promise<string> {
  const database = new URL(engines.store).pathname.slice(1);
  const count = async (command: string): Promise<number> =>
    (await engines.pooler.show(command)).filter((row) => row['database'] === database).length;
  const [clients, servers] = [await count('show clients'), await count('show servers')];
  const answer = await ask<{ zone: string; pooled: number }>(
    engines.pooler.through(engines.store),
    `select current_setting('timezone') as zone, count(*) as pooled from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and application_name <> 'oracle'`,
  );
  const [{ zone, pooled } = { zone: '', pooled: 0 }] = answer;
  requireFault(
    clients > 0 && pooled <= poolSize && zone === 'Europe/Berlin',
    `${clients} clients of PgBouncer, ${pooled} connections, ${zone}`,
  );
  return `${clients} clients on ${servers} server connections, server on ${zone}`;
}

async function killPooler(run: Run<BehindPgBouncer>): Promise<string> {
  const { pooler } = run.engines;
  const pool = await poolOf(run);
  const before = pooler.pid();
  const acceptedBefore = run.load.accepted();
  await pooler.kill9();
  await run.wait(3_000);
  const isThere = await succeeds(pooler.show('show version'));
  await pooler.start();
  run.ended();
  requireFault(!isThere && pooler.pid() !== before, 'PgBouncer was not away');
  await run.wait(5_000);
  const accepted = run.load.accepted() - acceptedBefore;
  return `${pool}; killed and 3 s away, ${accepted} acknowledged in 8 s; then ${await poolOf(run)}`;
}

const killed = 'PgBouncer (transaction mode, 4 connections) killed -9, restart after 3 s';

export const pgbouncerRows: readonly Scenario[] = [scenario(killed, behindPgBouncer, killPooler, { obstacle })];
