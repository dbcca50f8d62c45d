// The real product as child processes: what a user starts, what an operator kills, and everything it printed. What needs no process
// of its own runs inside the test's process, which saves the start.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, until } from './ports.ts';
import { runVerb, type Ran } from './run-verb.ts';
import { copySqlite } from './templates.ts';
import { openInside, spawnMain, type Child, type Running, type RunningVerb, type Settings } from './running-verb.ts';

export type { RunningVerb, Settings };

/** Where a product lives: its folder, its settings, and the output of every process that ran there. */
export interface Home extends AsyncDisposable {
  readonly dataDir: string;
  readonly signingKey: string;
  readonly settings: Settings;
  /** The URL of its store, for the oracle. */
  readonly store: string;
  /** Starts it and waits until it is ready, or only until it answers at all. */
  start(verb: 'start' | 'receive' | 'work', how?: Starting): Promise<Product>;
  /** The same inside the test's process, for tests that kill nothing. */
  open(verb: 'start' | 'receive' | 'work', how?: Starting): Promise<RunningProduct>;
  /** Runs a verb to its end inside the test's process. It gets its settings the way a process gets its environment. */
  run(args: readonly string[], more?: Settings): Promise<Ran>;
  /** Runs a verb to its end as a process of its own. */
  runProcess(args: readonly string[], more?: Settings): Promise<Ran>;
  /** Starts a verb that runs until it gets a signal, as a process of its own. */
  spawn(args: readonly string[]): RunningVerb;
  /** The same inside the test's process. */
  openVerb(args: readonly string[]): RunningVerb;
  /** Everything every process here wrote to its standard output and standard error. */
  output(): string;
}

export interface Starting {
  readonly settings?: Settings;
  readonly until?: 'ready' | 'answering' | 'spawned';
}

/** A product that runs, in whichever process. */
export interface RunningProduct {
  readonly url: string;
  readonly webhook: string;
  /** What `/readyz` says of the process; undefined when there is no answer. */
  readyStatus(): Promise<string | undefined>;
  /** The HTTP status of `/readyz`; 0 when there is no answer. */
  readiness(): Promise<number>;
  admin(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** Asks it to stop; answers its exit code. */
  term(): Promise<number | null>;
  output(): string;
}

export interface Product extends RunningProduct {
  readonly pid: number;
  kill9(): Promise<void>;
  /** Its exit code once it has ended by itself. */
  ended(): Promise<number | null>;
}

/** Unless `isNew`, it has an empty mirror, which a start would take time to make. */
export async function openHome(given: Settings = {}, { isNew = false } = {}): Promise<Home> {
  const dataDir = await mkdtemp(join(tmpdir(), 'slotstream-home-'));
  const signingKey = given['SIGNING_KEYS'] ?? randomBytes(24).toString('hex');
  const settings: Settings = {
    PATH: process.env['PATH'] ?? '',
    HOST: '127.0.0.1',
    DATA_DIR: dataDir,
    SIGNING_KEYS: signingKey,
    ADMIN_TOKEN: randomBytes(24).toString('hex'),
    PORT: String(await freePort()),
    ADMIN_PORT: '0',
    ...given,
  };
  if (settings['DATABASE_URL'] === undefined && !isNew) await copySqlite(join(dataDir, 'mirror.db'));
  const children: Child[] = [];
  const opened: Running[] = [];
  const finished: Ran[] = [];
  const stopping = new AbortController();
  const spawned = (args: readonly string[], env: Settings): Child => {
    const child = spawnMain(args, env);
    children.push(child);
    return child;
  };
  return {
    dataDir,
    signingKey,
    settings,
    store: settings['DATABASE_URL'] ?? `sqlite:${join(dataDir, 'mirror.db')}`,
    async start(verb, how = {}) {
      const env = { ...settings, ...how.settings };
      return startProduct(spawned([verb], env), { env, verb, awaited: how.until ?? 'ready' });
    },
    async open(verb, how = {}) {
      const env = { ...settings, ...how.settings };
      const inside = openInside([verb], env);
      opened.push(inside);
      return runningProduct(inside, { env, verb, awaited: how.until ?? 'ready' });
    },
    async run(args, more = {}) {
      const ran = await runVerb(args, { ...settings, ...more }, { stopping: stopping.signal });
      finished.push(ran);
      return ran;
    },
    async runProcess(args, more = {}) {
      const child = spawned(args, { ...settings, ...more });
      child.input.end();
      const code = await child.ended;
      return { code, out: child.out(), err: child.err() };
    },
    spawn(args) {
      const child = spawned(args, settings);
      return { ...child, [Symbol.asyncDispose]: async () => void (await child.signal('SIGKILL')) };
    },
    openVerb(args) {
      const inside = openInside(args, settings);
      opened.push(inside);
      return { ...inside, [Symbol.asyncDispose]: async () => void (await inside.signal('SIGTERM')) };
    },
    output: () =>
      [
        ...[...children, ...opened].map((running) => running.out() + running.err()),
        ...finished.map(({ out, err }) => out + err),
      ].join(''),
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await Promise.all(children.map((child) => child.signal('SIGKILL')));
      await Promise.all(opened.map((running) => running.signal('SIGTERM')));
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

interface Awaited {
  readonly env: Settings;
  readonly verb: string;
  readonly awaited: NonNullable<Starting['until']>;
}

async function startProduct(child: Child, how: Awaited): Promise<Product> {
  return {
    ...(await runningProduct(child, how)),
    pid: child.process.pid ?? 0,
    kill9: async () => void (await child.signal('SIGKILL')),
    ended: () => child.ended,
  };
}

async function runningProduct(running: Running, { env, verb, awaited }: Awaited): Promise<RunningProduct> {
  const url = `http://127.0.0.1:${env['PORT']}`;
  const ask = (): Promise<Response | undefined> => fetch(`${url}/readyz`).catch(() => undefined);
  const readiness = async (): Promise<number> => (await ask())?.status ?? 0;
  const readyStatus = async (): Promise<string | undefined> => {
    const answer = await ask();
    return answer && ((await answer.json()) as { status: string }).status;
  };
  const isUp = async (): Promise<boolean> => {
    if (awaited === 'spawned') return true;
    if (verb === 'work') return adminUrlIn(running.err()) !== undefined;
    const status = await readyStatus();
    return awaited === 'ready' ? status === 'ready' : status !== undefined;
  };
  await until(async () => {
    if (running.hasEnded()) throw new Error(`\`${verb}\` ended by itself:\n${running.err()}`);
    return isUp();
  }, `\`${verb}\` is up`);
  return {
    url,
    webhook: `${url}/webhooks`,
    readiness,
    readyStatus,
    async admin(path, headers = {}) {
      // The public listener answers a moment earlier.
      await until(() => adminUrlIn(running.err()) !== undefined, 'the log says where the admin listener is');
      const url = new URL(path, adminUrlIn(running.err()));
      return fetch(url, { headers: { authorization: `Bearer ${env['ADMIN_TOKEN']}`, ...headers } });
    },
    term: () => running.signal('SIGTERM'),
    output: () => running.out() + running.err(),
  };
}

const adminUrlIn = (log: string): string | undefined => /dashboard, API and metrics at (http:[^"]+)/.exec(log)?.[1];
