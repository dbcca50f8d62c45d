// A row about a store behind a real PgBouncer in transaction mode, as the documentation asks for, on a server that is not on UTC.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { endWithThisProcess } from '../../harness/children.ts';
import { freePort, succeeds, until } from '../../harness/ports.ts';
import { startPostgres, unprivileged } from '../../harness/postgres.ts';
import { startRedis } from '../../harness/redis.ts';
import { temporaryFolder, type InstallationOf, type WithPostgres } from '../engines.ts';
import { requireFault } from '../faults/evidence.ts';
import { ask } from '../oracle/read.ts';
import { scenario, type Run, type Scenario } from '../scenario.ts';

const obstacle = async (): Promise<string | undefined> =>
  (await succeeds(promisify(execFile)('pgbouncer', ['--version']))) ? undefined : 'pgbouncer is not installed';

async function startPgBouncer(postgresPort: number, poolSize: number) {
  const identity = unprivileged();
  await using resources = new AsyncDisposableStack();
  const folder = await temporaryFolder('pgbouncer', resources);
  const port = await freePort();
  const config = join(folder, 'pgbouncer.ini');
  const users = join(folder, 'users');
  await writeFile(users, '"postgres" ""\n');
  const values = { POSTGRES_PORT: postgresPort, OWN_PORT: port, USERS_FILE: users, POOL_SIZE: poolSize };
  const template = await readFile(new URL('pgbouncer.ini', import.meta.url), 'utf8');
  await writeFile(
    config,
    Object.entries(values).reduce((text, [name, value]) => text.replaceAll(name, String(value)), template),
  );
  if (identity) for (const path of [folder, config, users]) chownSync(path, identity.uid, identity.gid);
  const console = `postgres://postgres@127.0.0.1:${port}/pgbouncer`;
  let child: ChildProcess | undefined;
  const kill9 = async (): Promise<void> => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  /** A command of its console, such as `show pools`. */
  const show = (command: string) => ask(console, command);
  const start = async (): Promise<void> => {
    const started = endWithThisProcess(spawn('pgbouncer', [config], { ...identity, cwd: folder, stdio: 'ignore' }));
    child = started;
    const isUp = (): Promise<boolean> => {
      if (started.exitCode !== null) throw new Error(`pgbouncer ended at its start with ${started.exitCode}`);
      return succeeds(show('show version'));
    };
    await until(isUp, 'PgBouncer answers', 20_000);
  };
  resources.defer(kill9);
  await start();
  const opened = resources.move();
  return {
    /** The URL of the same database through PgBouncer. */
    through(url: string): string {
      const changed = new URL(url);
      changed.port = String(port);
      return changed.href;
    },
    pid: (): number => child?.pid ?? 0,
    kill9,
    start,
    show,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

interface BehindPgBouncer extends WithPostgres {
  readonly pooler: Awaited<ReturnType<typeof startPgBouncer>>;
}

const poolSize = 4;

const behindPgBouncer: InstallationOf<BehindPgBouncer> = {
  on: 'Redis + PgBouncer + PostgreSQL on Europe/Berlin',
  async open(resources) {
    const redis = resources.use(await startRedis());
    const postgres = resources.use(await startPostgres({ durable: true, settings: { timezone: 'Europe/Berlin' } }));
    const pooler = resources.use(await startPgBouncer(postgres.port, poolSize));
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
