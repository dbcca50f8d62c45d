// The processes a measurement starts: the product's own verbs, servers to compare with, and the sender of requests; all end with it.
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { writeRunnableBundle } from '../.ci/bundle.ts';
import { freePort, until } from '../test/harness/ports.ts';
import { watchPeak } from './cpu.ts';
import { bodies, request, signingKey } from './deliveries.ts';

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

/** Starts a script that listens on the port of its last argument. */
export async function startServer(script: string, flags: readonly string[], ...args: string[]): Promise<Running> {
  const port = await freePort();
  const child = spawn(process.execPath, [...flags, script, ...args, String(port)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const running = runningChild(child, port);
  const url = `http://127.0.0.1:${port}/`;
  await until(async () => (await fetch(url).catch(() => undefined)) !== undefined, `${script} is ready`);
  return running;
}

function runningChild(child: ChildProcess, port: number): Running {
  return { port, pid: child.pid as number, [Symbol.asyncDispose]: () => ended(child) };
}

async function ended(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const patience = setTimeout(() => child.kill('SIGKILL'), 15_000);
  await gone;
  clearTimeout(patience);
}

/** Runs `slotstream VERB …` to its end, and answers what it printed and the most memory it held. */
export async function runProduct(args: readonly string[], env: Readonly<Record<string, string>>) {
  const child = spawn(command, args, {
    env: { ...process.env, LOG_LEVEL: 'error', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  using peak = watchPeak(child.pid as number);
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  if (code !== 0) throw new Error(`slotstream ${args.join(' ')} ended with exit code ${code}.`);
  return { output, peakMb: peak.mb };
}

export interface SendOrder {
  readonly port: number;
  readonly requests: readonly Uint8Array[];
  readonly connections: number;
  /** Without it, each connection sends its next request after the response. */
  readonly perSecond?: number | undefined;
  /** Sends the requests again and again for so long, instead of each once. */
  readonly seconds?: number;
}

/** Times in milliseconds since 1970, with fractions. */
export interface SendReport {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly dueAt: readonly number[];
  readonly latencies: readonly number[];
}

/** Fails unless every response is a success. */
export async function sendRequests(order: SendOrder): Promise<SendReport> {
  const report = await send(order);
  const refused = Object.keys(report.statuses).filter((status) => !status.startsWith('2'));
  if (refused.length > 0) throw new Error(`not every request was accepted: ${JSON.stringify(report.statuses)}`);
  return report;
}

async function send(order: SendOrder): Promise<SendReport> {
  const child = fork('bench/request-sender.ts', { serialization: 'advanced' });
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`the sender ended (${code})`)));
  child.send(order);
  const [report] = (await Promise.race([once(child, 'message'), ended])) as [SendReport];
  ended.catch(() => {});
  return report;
}

export interface LoadReport {
  readonly statuses: Readonly<Record<string, number>>;
  readonly seconds: number;
}

/** As many deliveries as the server takes in that time; `bodies` of them differ. */
export async function runLoad(load: {
  port: number;
  connections: number;
  seconds: number;
  bodies: number;
}): Promise<LoadReport> {
  const { statuses, startedAt, endedAt } = await send({ ...load, requests: bodies(load.bodies, 11).map(request) });
  return { statuses, seconds: (endedAt - startedAt) / 1000 };
}
