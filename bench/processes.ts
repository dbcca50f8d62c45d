// The processes a measurement starts: the product's own verbs, the load, and what they stand on; all end with it.
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeRunnableBundle } from '../.ci/bundle.ts';
import { freePort, until } from '../test/harness/ports.ts';
import { signingKey } from './deliveries.ts';

/** Names the tree whose product is measured, where it is not this one. */
export const productTreeVariable = 'SLOTSTREAM_BENCH_TREE';

const productTree = process.env[productTreeVariable] ?? join(import.meta.dirname, '..');

/** As users run it: by its first line, which brings Node's flags. Early commits have no `bin`. */
export const command = ['bin/slotstream.js', 'src/cli/main.ts']
  .map((file) => join(productTree, file))
  .find((file) => existsSync(file)) as string;

export interface Running extends AsyncDisposable {
  readonly port: number;
  readonly pid: number;
}

export interface Folder extends Disposable {
  readonly path: string;
}

export function temporaryFolder(): Folder {
  const path = mkdtempSync(join(tmpdir(), 'slotstream-bench-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** The product as it is installed, with its command at `command`. */
export async function installProduct(): Promise<Folder & { readonly command: string }> {
  using stack = new DisposableStack();
  const { path } = stack.use(temporaryFolder());
  const installed = await writeRunnableBundle(path);
  const kept = stack.move();
  return { path, command: installed, [Symbol.dispose]: () => kept.dispose() };
}

export interface RunningProduct extends Running {
  readonly adminPort: number;
}

/** Starts `slotstream VERB` and waits until it is ready. */
export async function startProduct(
  verb: 'start' | 'receive' | 'work',
  env: Readonly<Record<string, string>>,
  program = command,
): Promise<RunningProduct> {
  const [port, adminPort] = [await freePort(), await freePort()];
  const child = spawn(program, [verb], {
    env: {
      ...process.env,
      HOST: '127.0.0.1',
      PORT: String(port),
      ADMIN_PORT: String(adminPort),
      ADMIN_TOKEN: 'bench-admin-token',
      SIGNING_KEYS: signingKey,
      LOG_LEVEL: 'error',
      ...env,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const running = { ...runningChild(child, port), adminPort };
  const probe = verb === 'work' ? `http://127.0.0.1:${adminPort}/metrics` : `http://127.0.0.1:${port}/readyz`;
  const headers = { authorization: 'Bearer bench-admin-token' };
  await until(async () => (await fetch(probe, { headers }).catch(() => undefined))?.ok === true, `${verb} is ready`);
  return running;
}

/** The flags that the command gives to Node and V8: what is compared with the product runs on the same runtime. */
export function runtimeFlags(): readonly string[] {
  const source = readFileSync(command, 'utf8');
  const ofNode = (source.split('\n', 1)[0] as string).split(' ').filter((word) => word.startsWith('--'));
  return [...ofNode, ...(source.match(/(?<=setFlagsFromString\(')[^']+/g) ?? [])];
}

/** The server that acknowledging is held against: the same listener and the same Hono, which only reads the body. */
export const startBaseline = (): Promise<Running> => startServer('bench/baseline.ts', runtimeFlags());

/** The fastest other end there can be. */
export const startSink = (): Promise<Running> => startServer('bench/sink.ts', []);

async function startServer(script: string, flags: readonly string[]): Promise<Running> {
  const port = await freePort();
  const child = spawn(process.execPath, [...flags, script, String(port)], { stdio: ['ignore', 'ignore', 'inherit'] });
  const running = runningChild(child, port);
  const url = `http://127.0.0.1:${port}/`;
  await until(async () => (await fetch(url).catch(() => undefined)) !== undefined, `${script} is ready`);
  return running;
}

export function runningChild(child: ChildProcess, port: number): Running {
  return { port, pid: child.pid as number, [Symbol.asyncDispose]: () => ended(child) };
}

async function ended(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const patience = setTimeout(() => child.kill('SIGKILL'), 15_000);
  await gone;
  clearTimeout(patience);
}

export interface LoadReport {
  readonly statuses: Readonly<Record<string, number>>;
  readonly seconds: number;
}

export async function runLoad(load: {
  port: number;
  connections: number;
  seconds: number;
  bodies: number;
}): Promise<LoadReport> {
  const args = [load.port, load.connections, load.seconds, load.bodies].map(String);
  const child = spawn(process.execPath, ['bench/load.ts', ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await once(child, 'close');
  return JSON.parse(output) as LoadReport;
}

export interface SendOrder {
  readonly url: string;
  readonly seconds: number;
}

export interface SendReport {
  readonly perSecond: number;
  /** Of the last ones: attempts that were not accepted. */
  readonly failed: number;
}

export interface SandboxSender extends AsyncDisposable {
  /** Sends to `url` as fast as it can. */
  send(order: SendOrder): Promise<SendReport>;
}

export async function startSandboxSender(): Promise<SandboxSender> {
  const child = fork('bench/sandbox-sender.ts', { execArgv: [...runtimeFlags()] });
  await once(child, 'message');
  return {
    async send(order) {
      child.send(order);
      return ((await once(child, 'message')) as [SendReport])[0];
    },
    [Symbol.asyncDispose]: () => ended(child),
  };
}

export interface RunningSandbox extends AsyncDisposable {
  readonly baseUrl: string;
  readonly token: string;
  /** Replaces what goes wrong there. */
  faults(faults: object): Promise<void>;
}

/** The service in a process of its own, without bookings and without a rate limit. */
export async function startSandbox({ contacts }: { readonly contacts: number }): Promise<RunningSandbox> {
  const args = [
    'sandbox',
    '--port',
    '0',
    '--contacts',
    String(contacts),
    '--bookings',
    '0',
    '--no-rate-limits',
    '--json',
  ];
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await Promise.race([once(child.stdout, 'data'), endedByItself(child)])) as [Buffer];
  const { base_url, tokens } = JSON.parse(line.toString()) as { base_url: string; tokens: { owner: string } };
  return {
    baseUrl: base_url,
    token: tokens.owner,
    async faults(faults) {
      const headers = { 'content-type': 'application/json' };
      await fetch(`${base_url}/_sandbox/faults`, { method: 'POST', headers, body: JSON.stringify(faults) });
    },
    [Symbol.asyncDispose]: () => ended(child),
  };
}

async function endedByItself(child: ChildProcess): Promise<never> {
  const [code] = (await once(child, 'exit')) as [number | null];
  throw new Error(`A process of the measurement ended by itself (${code}).`);
}

export interface Walker<Standing> extends AsyncDisposable {
  /** The next report of the child process. */
  next(): Promise<Standing>;
}

export function startWalker<Standing>(args: readonly string[]): Walker<Standing> {
  const child = fork('bench/backfill-walker.ts', args, { execArgv: [...runtimeFlags()] });
  return {
    next: async () => ((await Promise.race([once(child, 'message'), endedByItself(child)])) as [Standing])[0],
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null) await ended(child);
    },
  };
}

/** The most memory it ever held, in MB; 0 once it has ended. */
export function peakMbOf(pid: number): number {
  try {
    const kilobytes = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(kilobytes ?? 0) / 1024;
  } catch {
    return 0;
  }
}
