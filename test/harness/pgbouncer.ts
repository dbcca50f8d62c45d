// A real PgBouncer in front of a PostgreSQL.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { endWithThisProcess } from './children.ts';
import { freePort, succeeds, until } from './ports.ts';
import { unprivileged } from './postgres.ts';

export const hasPgBouncer = (): Promise<boolean> => succeeds(promisify(execFile)('pgbouncer', ['--version']));

/** In transaction mode. It refuses options in the start-up message, as it does by default, unless `ignored` names them. */
export async function startPgBouncer(postgresPort: number, { poolSize = 4, ignored = '' } = {}) {
  const identity = unprivileged();
  await using resources = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'slotstream-pgbouncer-'));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  const port = await freePort();
  const config = join(folder, 'pgbouncer.ini');
  const users = join(folder, 'users');
  await writeFile(users, '"postgres" ""\n');
  const values = {
    POSTGRES_PORT: postgresPort,
    OWN_PORT: port,
    USERS_FILE: users,
    POOL_SIZE: poolSize,
    IGNORED: ignored,
  };
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
  const show = async (command: string): Promise<readonly Readonly<Record<string, unknown>>[]> => {
    const client = new pg.Client({ connectionString: console, application_name: 'oracle' });
    await client.connect();
    try {
      return (await client.query(command)).rows;
    } finally {
      await client.end();
    }
  };
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
