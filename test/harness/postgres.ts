// A real PostgreSQL for tests: its own cluster in a temporary folder, made by the binaries found on this machine.

import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, existsSync, globSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { endWithThisProcess } from './children.ts';
import { freePort, until } from './ports.ts';

/** How PostgreSQL goes down: `immediate` is its own word for a crash, `kill` is SIGKILL for the server and every process of it. */
export type ShutdownMode = keyof typeof signals;

export type TestPostgres = Awaited<ReturnType<typeof startPostgres>>;

const run = promisify(execFile);
const signals = { fast: 'SIGINT', immediate: 'SIGQUIT', kill: 'SIGKILL' } as const;

interface PostgresOptions {
  /** Keeps fsync on, for tests that look at what survives a crash of the machine rather than of the process. */
  readonly durable?: boolean;
  /** Of postgresql.conf. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Makes it a hot standby of the server at this URL. */
  readonly standbyOf?: string;
}

export async function startPostgres(options: PostgresOptions = {}) {
  const bin = findPostgres(...(options.standbyOf === undefined ? [] : ['pg_basebackup']));
  if (bin === undefined) throw new Error('No PostgreSQL here: install it (apt-get install postgresql).');
  const identity = unprivileged();
  const dir = await mkdtemp(join(tmpdir(), 'slotstream-postgres-'));
  if (identity) chownSync(dir, identity.uid, identity.gid);
  const port = await freePort();
  const data = join(dir, 'data');
  const initdb = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'];
  const copy = ['-D', data, '-d', options.standbyOf ?? '', '-R', '-X', 'stream', '-c', 'fast', '--no-sync'];
  const [program, how] = options.standbyOf === undefined ? ['initdb', initdb] : ['pg_basebackup', copy];
  await run(join(bin, program), how, { ...identity, cwd: dir });

  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: 100,
    // It would visit every database that a test left behind, every minute.
    autovacuum: 'off',
    ...(options.durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
    ...options.settings,
  };
  const args = ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  let output = '';
  const boot = async (): Promise<ChildProcess> => {
    const child = endWithThisProcess(
      spawn(join(bin, 'postgres'), args, { ...identity, cwd: dir, stdio: ['ignore', 'ignore', 'pipe'] }),
    );
    child.stderr?.on('data', (chunk) => (output = (output + chunk).slice(-100_000)));
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`postgres ended at start:\n${output.slice(-4000)}`);
      return answers(url);
    }, 'postgres answers');
    return child;
  };
  let server = await boot();

  /** Goes down and stays down, its data kept, until `restart`. */
  const halt = async (mode: ShutdownMode): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const gone = once(server, 'exit');
    if (mode === 'kill') await signalChildren(server, 'SIGKILL');
    server.kill(signals[mode]);
    await gone;
  };
  const stop = async (): Promise<void> => {
    await halt('immediate');
    await rm(dir, { recursive: true, force: true });
  };
  return {
    url,
    port,
    createDatabase: () => createDatabase(url),
    halt,
    restart: async (mode: ShutdownMode = 'fast'): Promise<void> => {
      await halt(mode);
      server = await boot();
    },
    /** SIGSTOP for the server and every process of it: it accepts connections and does not answer, until `thaw`. */
    freeze: () => signalChildren(server, 'SIGSTOP'),
    async thaw(): Promise<void> {
      await signalChildren(server, 'SIGCONT');
      server.kill('SIGCONT');
    },
    stop,
    log: (): string => output,
    [Symbol.asyncDispose]: stop,
  };
}

/** The server is stopped first, so that it neither replaces its processes nor has them end in order. */
async function signalChildren(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  server.kill('SIGSTOP');
  const { stdout } = await run('ps', ['-A', '-o', 'ppid=,pid=']);
  for (const line of stdout.split('\n')) {
    const [parent, child] = line.trim().split(/\s+/).map(Number);
    if (parent === server.pid && child !== undefined) process.kill(child, signal);
  }
}

/** A new, empty database on the server at `serverUrl`; `settings` as `create database` takes them. */
export async function createDatabase(serverUrl: string, settings = ''): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(`create database ${name} ${settings}`);
  } finally {
    await client.end();
  }
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** The folder of `postgres`, `initdb` and `more`, or undefined: PATH first, then Debian's places. */
export function findPostgres(...more: readonly string[]): string | undefined {
  const debian = globSync('/usr/lib/postgresql/*/bin').toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }));
  const folders = [...(process.env['PATH'] ?? '').split(':'), ...debian].filter(Boolean);
  return folders.find((folder) =>
    ['postgres', 'initdb', ...more].every((program) => existsSync(join(folder, program))),
  );
}

/** PostgreSQL and PgBouncer refuse to run as root, so root runs them as another user. */
export function unprivileged(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const user of ['postgres', '65534']) {
    try {
      const id = (flag: string): number =>
        Number(execFileSync('id', [flag, user], { stdio: ['ignore', 'pipe', 'ignore'] }));
      return { uid: id('-u'), gid: id('-g') };
    } catch {
      continue;
    }
  }
  throw new Error('Running as root, and neither the user postgres nor the user 65534 exists to run PostgreSQL as.');
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
