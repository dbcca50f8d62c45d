// A real Redis for tests: its own process, port and folder, which a test may kill, freeze and restart.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { endWithThisProcess } from './children.ts';
import { freePort, until } from './ports.ts';

export interface RedisOptions {
  readonly appendonly?: boolean;
  readonly port?: number;
  /** More `redis-server` arguments, such as `--maxmemory 4mb`. */
  readonly args?: readonly string[];
  /** Makes it a Sentinel that watches the Redis on this port as `mymaster`. */
  readonly sentinelOf?: number;
}

export type TestRedis = Awaited<ReturnType<typeof startRedis>>;

export async function startRedis(options: RedisOptions = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'slotstream-redis-'));
  const port = options.port ?? (await freePort());
  let server = await boot({ ...options, dir, port });

  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const gone = once(server, 'exit');
    server.kill('SIGCONT'); // a frozen process hears nothing but this and SIGKILL
    server.kill(signal);
    await gone;
  };
  const stop = async (): Promise<void> => {
    await end('SIGKILL');
    await rm(dir, { recursive: true, force: true });
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    dir,
    /** The process flushes nothing and closes no connection in order. */
    kill9: () => end('SIGKILL'),
    /** Starts it again on the same port and folder, after `kill9` or a clean stop of the running one. */
    restart: async (): Promise<void> => {
      await end('SIGTERM');
      server = await boot({ ...options, dir, port });
    },
    freeze: (): void => void server.kill('SIGSTOP'),
    thaw: (): void => void server.kill('SIGCONT'),
    cli: (...args: readonly string[]) => ask(port, args),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** As `redis-cli` prints an answer, without a process of its own: each value is a line, also an error. */
async function ask(port: number, [command = '', ...args]: readonly string[]): Promise<string> {
  const options = { enableReadyCheck: false, disableClientInfo: true, retryStrategy: () => null };
  const client = new Redis(port, '127.0.0.1', { ...options, lazyConnect: true, maxRetriesPerRequest: 0 });
  client.on('error', () => {});
  try {
    await client.connect();
    return linesOf(await client.call(command, ...args)).trim();
  } catch (error) {
    if (error instanceof Error && error.name === 'ReplyError') return error.message;
    throw error;
  } finally {
    client.disconnect();
  }
}

function linesOf(answer: unknown): string {
  if (typeof answer !== 'object') return String(answer);
  const values = Array.isArray(answer) ? answer : Object.entries(answer ?? {});
  return values.map(linesOf).join('\n');
}

async function boot(options: RedisOptions & { dir: string; port: number }): Promise<ChildProcess> {
  const args = options.sentinelOf === undefined ? serverArgs(options) : await sentinelArgs(options, options.sentinelOf);
  const server = endWithThisProcess(
    spawn('redis-server', [...args, ...(options.args ?? [])], { stdio: ['ignore', 'pipe', 'pipe'] }),
  );
  let output = '';
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (chunk) => (output += chunk));
  await until(async () => {
    if (server.exitCode !== null) throw new Error(`redis-server ended at start:\n${output}`);
    return answersPing(options.port);
  }, 'redis-server answers');
  return server;
}

function serverArgs(options: RedisOptions & { dir: string; port: number }): readonly string[] {
  const settings = {
    port: options.port,
    bind: '127.0.0.1',
    dir: options.dir,
    appendonly: options.appendonly === false ? 'no' : 'yes',
    save: '',
    'maxmemory-policy': 'noeviction',
  };
  return Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
}

/** A Sentinel insists on a file that it may write to. */
async function sentinelArgs(options: { dir: string; port: number }, master: number): Promise<readonly string[]> {
  const file = join(options.dir, 'sentinel.conf');
  await writeFile(file, `port ${options.port}\nbind 127.0.0.1\nsentinel monitor mymaster 127.0.0.1 ${master} 1\n`);
  return [file, '--sentinel'];
}

/** True once the data is loaded: while loading, Redis answers PING with -LOADING. */
function answersPing(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    socket.once('data', (data) => {
      resolve(/^\+PONG|^-NOAUTH/.test(String(data)));
      socket.destroy();
    });
    socket.once('error', () => resolve(false));
  });
}
