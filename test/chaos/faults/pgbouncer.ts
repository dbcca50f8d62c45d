// A real PgBouncer before PostgreSQL, in transaction mode as the documentation asks for, which a row may kill and start again.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endWithThisProcess } from '../../harness/children.ts';
import { freePort, succeeds, until } from '../../harness/ports.ts';
import { unprivileged } from '../../harness/postgres.ts';
import { query } from './postgres.ts';

export type PgBouncer = Awaited<ReturnType<typeof startPgBouncer>>;

export async function hasNoPgBouncer(): Promise<string | undefined> {
  try {
    execFileSync('pgbouncer', ['--version'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'pgbouncer is not installed';
  }
}

export async function startPgBouncer(postgresPort: number, poolSize: number) {
  const identity = unprivileged();
  const folder = await mkdtemp(join(tmpdir(), 'slotstream-pgbouncer-'));
  const port = await freePort();
  const config = join(folder, 'pgbouncer.ini');
  const users = join(folder, 'users');
  await writeFile(users, '"postgres" ""\n');
  await writeFile(
    config,
    `[databases]
* = host=127.0.0.1 port=${postgresPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
admin_users = postgres
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = 200
ignore_startup_parameters = options
log_connections = 0
log_disconnections = 0
`,
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
  const show = (command: string) => query<Record<string, unknown>>(console, command);
  const start = async (): Promise<void> => {
    const started = endWithThisProcess(spawn('pgbouncer', [config], { ...identity, cwd: folder, stdio: 'ignore' }));
    child = started;
    const isUp = (): Promise<boolean> => {
      if (started.exitCode !== null) throw new Error(`pgbouncer ended at its start with ${started.exitCode}`);
      return succeeds(show('show version'));
    };
    await until(isUp, 'PgBouncer answers', 20_000);
  };
  await start();
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
    async [Symbol.asyncDispose]() {
      await kill9();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
