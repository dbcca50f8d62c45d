// The real product as child processes: what a user starts, what an operator kills, and everything it printed. What needs no process
// of its own runs inside the test's process, which saves the start.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, until } from './ports.ts';
import { openInside, runVerb, type Ran } from './run-verb.ts';
import { copySqlite } from './templates.ts';
import { spawnMain, type Child, type Running, type RunningVerb, type Settings } from './running-verb.ts';

export type { RunningVerb, Settings };

/** Where a product lives: its folder, its settings, and the output of every process that ran there. */
export type Home = Awaited<ReturnType<typeof openHome>>;
/** A product that runs, in whichever process. */
export type RunningProduct = Awaited<ReturnType<typeof runningProduct>>;
export type Product = Awaited<ReturnType<typeof startProduct>>;

type Verb = 'start' | 'receive' | 'work';

export interface Starting {
  readonly settings?: Settings;
  readonly until?: 'ready' | 'answering';
}

/** Unless `isNew`, it has an empty mirror, which a start would take time to make. */
export async function openHome(given: Settings = {}, { isNew = false } = {}) {
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
    /** The URL of its store, for the oracle. */
    store: settings['DATABASE_URL'] ?? `sqlite:${join(dataDir, 'mirror.db')}`,
    /** Starts it and waits until it is ready, or only until it answers at all. */
    async start(verb: Verb, how: Starting = {}): Promise<Product> {
      const env = { ...settings, ...how.settings };
      return startProduct(spawned([verb], env), { env, verb, awaited: how.until ?? 'ready' });
    },
    /** The same inside the test's process, for tests that kill nothing. */
    async open(verb: Verb, how: Starting = {}): Promise<RunningProduct> {
      const env = { ...settings, ...how.settings };
      const inside = openInside([verb], env);
      opened.push(inside);
      return runningProduct(inside, { env, verb, awaited: how.until ?? 'ready' });
    },
    /** Runs a verb to its end inside the test's process. It gets its settings the way a process gets its environment. */
    async run(args: readonly string[], more: Settings = {}): Promise<Ran> {
      const ran = await runVerb(args, { ...settings, ...more }, { stopping: stopping.signal });
      finished.push(ran);
      return ran;
    },
    /** Starts a verb that runs until it gets a signal, as a process of its own. */
    spawn(args: readonly string[]): RunningVerb {
      const child = spawned(args, settings);
      return { ...child, [Symbol.asyncDispose]: async () => void (await child.signal('SIGKILL')) };
    },
    /** The same inside the test's process. */
    openVerb(args: readonly string[]): RunningVerb {
      const inside = openInside(args, settings);
      opened.push(inside);
      return { ...inside, [Symbol.asyncDispose]: async () => void (await inside.signal('SIGTERM')) };
    },
    /** Everything every process here wrote to its standard output and standard error. */
    output: (): string =>
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

interface Expected {
  readonly env: Settings;
  readonly verb: string;
  readonly awaited: NonNullable<Starting['until']>;
}

async function startProduct(child: Child, how: Expected) {
  return {
    ...(await runningProduct(child, how)),
    pid: child.process.pid ?? 0,
    kill9: async (): Promise<void> => void (await child.signal('SIGKILL')),
  };
}

async function runningProduct(running: Running, { env, verb, awaited }: Expected) {
  const url = `http://127.0.0.1:${env['PORT']}`;
  const ask = (): Promise<Response | undefined> => fetch(`${url}/readyz`).catch(() => undefined);
  /** The HTTP status of `/readyz`; 0 when there is no answer. */
  const readiness = async (): Promise<number> => (await ask())?.status ?? 0;
  /** What `/readyz` says of the process; undefined when there is no answer. */
  const readyStatus = async (): Promise<string | undefined> => {
    const answer = await ask();
    return answer && ((await answer.json()) as { status: string }).status;
  };
  const isUp = async (): Promise<boolean> => {
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
    async admin(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
      // The public listener answers a moment earlier.
      await until(() => adminUrlIn(running.err()) !== undefined, 'the log says where the admin listener is');
      const url = new URL(path, adminUrlIn(running.err()));
      return fetch(url, { headers: { authorization: `Bearer ${env['ADMIN_TOKEN']}`, ...headers } });
    },
    /** Asks it to stop; answers its exit code. */
    term: () => running.signal('SIGTERM'),
    /** Its exit code, once it has ended by itself. */
    ended: running.ended,
    output: (): string => running.out() + running.err(),
  };
}

const adminUrlIn = (log: string): string | undefined => /dashboard, API and metrics at (http:[^"]+)/.exec(log)?.[1];
