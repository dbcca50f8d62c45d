// Rows about a database that goes back: a failover of PostgreSQL, with and without loss, and a restored backup.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findPostgres } from '../../harness/postgres.ts';
import { startPostgresPair, type PostgresPair } from '../../harness/postgres-failover.ts';
import { startRedis } from '../../harness/redis.ts';
import { redisAndPostgres, type InstallationOf, type WithPostgres } from '../engines.ts';
import { requireFault, seconds } from '../faults/evidence.ts';
import { ask } from '../oracle/read.ts';
import { scenario, type Run, type Scenario } from '../scenario.ts';
import type { Engines } from '../stack.ts';

interface WithStandby extends Engines {
  readonly pair: PostgresPair;
}

const withStandby = (isSynchronous: boolean): InstallationOf<WithStandby> => ({
  on: redisAndPostgres.on,
  async open(resources) {
    const redis = resources.use(await startRedis());
    const pair = resources.use(await startPostgresPair({ isSynchronous }));
    return { pair, store: pair.url, settings: { QUEUE_URL: redis.url, DATABASE_URL: pair.url } };
  },
});

const entriesIn = async (url: string): Promise<number> => {
  const [row] = await ask<{ n: string }>(url, 'select count(*) as n from event_log');
  return Number(row?.n);
};

async function losePrimary({ engines: { pair }, load }: Run<WithStandby>): Promise<string> {
  const acceptedBefore = load.accepted();
  const killedMs = Date.now();
  await pair.losePrimary();
  return `the standby is primary after ${seconds(Date.now() - killedMs)}, ${load.accepted() - acceptedBefore} acknowledged meanwhile`;
}

async function cutOffAndLosePrimary(run: Run<WithStandby>): Promise<string> {
  const { pair } = run.engines;
  await pair.cutOff();
  await run.wait(5_000);
  const [there, behind] = [await entriesIn(pair.onPrimary), await entriesIn(pair.onStandby)];
  requireFault(there > behind, 'the standby has everything');
  return `${there - behind} entries of the log that the standby did not get; ${await losePrimary(run)}`;
}

const command = promisify(execFile);

/** Puts a copy in the place of the database, as an operator does who restores a dump and points nothing elsewhere. */
async function restoreDump({ engines, wait }: Run<WithPostgres>): Promise<string> {
  const { postgres, store } = engines;
  const name = new URL(store).pathname.slice(1);
  const copy = await postgres.createDatabase();
  const copyName = new URL(copy).pathname.slice(1);
  const bin = findPostgres('pg_dump', 'psql') ?? '';
  const { stdout } = await command(join(bin, 'pg_dump'), ['--no-owner', store], { maxBuffer: 1_000_000_000 });
  const dumpedMs = Date.now();
  await wait(5_000);
  const restoring = command(join(bin, 'psql'), ['-q', '-v', 'ON_ERROR_STOP=1', copy], { maxBuffer: 1_000_000_000 });
  restoring.child.stdin?.end(stdout);
  await restoring;
  const [there, behind] = [await entriesIn(store), await entriesIn(copy)];
  requireFault(there > behind, 'the dump has everything');
  await ask(postgres.url, `alter database ${name} allow_connections false`);
  await ask(postgres.url, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
  await ask(postgres.url, `alter database ${name} rename to ${name}_former`);
  await ask(postgres.url, `alter database ${copyName} rename to ${name}`);
  return `a dump that was ${seconds(Date.now() - dumpedMs)} old, without ${there - behind} entries of the log`;
}

export const databaseBackRows: readonly Scenario[] = [
  scenario('synchronous standby: PostgreSQL lost for good, the standby promoted', withStandby(true), losePrimary),
  scenario(
    'asynchronous standby cut off for 5 s, then PostgreSQL lost for good and the standby promoted',
    withStandby(false),
    cutOffAndLosePrimary,
  ),
  scenario('the database replaced by a dump of some seconds ago', redisAndPostgres, restoreDump),
];
