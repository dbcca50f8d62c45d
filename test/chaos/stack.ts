// The processes of one installation under test: receivers and workers that a scenario may kill, freeze and start again, and
// everything they printed.
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, until } from '../harness/ports.ts';
import { spawnMain, type Child, type Settings } from '../harness/running-verb.ts';

export type { Settings };

/** What the processes of a stack connect to. */
export interface Engines {
  readonly settings: Settings;
  /** The database for the oracle: a direct connection, whatever stands between the product and it. */
  readonly store: string;
  /** The embedded queue belongs to one process, `start`. */
  readonly isOneProcess?: boolean;
  /** Where the data folders are; the folder for temporary files unless given. */
  readonly dataRoot?: string;
}

/** A process of the product with its own data folder. */
export type Part = Awaited<ReturnType<typeof createPart>>;

export interface CommandResult {
  readonly code: number | null;
  readonly output: string;
}

export type Stack = Awaited<ReturnType<typeof startStack>>;

export interface Size {
  readonly workers?: number;
  readonly receivers?: number;
}

export async function startStack(engines: Engines, changes: Settings = {}, { workers = 3, receivers = 2 }: Size = {}) {
  const folder = await mkdtemp(join(engines.dataRoot ?? tmpdir(), 'slotstream-chaos-'));
  const key = randomBytes(24).toString('hex');
  const adminToken = randomBytes(24).toString('hex');
  const settings: Settings = {
    PATH: process.env['PATH'] ?? '',
    HOST: '127.0.0.1',
    SIGNING_KEYS: key,
    ADMIN_TOKEN: adminToken,
    ...engines.settings,
    ...changes,
  };
  const parts: Part[] = [];
  const commands: string[] = [];
  const add = async (name: string): Promise<Part> => {
    const part = await createPart(name, folder, settings);
    parts.push(part);
    await part.start();
    return part;
  };
  const several = (verb: 'receive' | 'work', from: number, to: number): Promise<Part[]> =>
    Promise.all(Array.from({ length: to - from + 1 }, (_, at) => add(`${verb}-${from + at}`)));
  const close = async (): Promise<void> => {
    await Promise.all(parts.map((part) => part.kill9()));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    // One worker at first, which creates the tables.
    const first = await add(engines.isOneProcess ? 'start' : 'work-1');
    const [more, front] = engines.isOneProcess
      ? [[], [first]]
      : await Promise.all([several('work', 2, workers), several('receive', 1, receivers)]);
    return {
      key,
      /** Must not appear in what the processes print. */
      secrets: { key, adminToken },
      folder,
      receivers: front,
      workers: [first, ...more],
      targets: front.flatMap(({ webhook }) => webhook ?? []),
      async command(args: readonly string[], more: Settings = {}): Promise<CommandResult> {
        const dataDir = join(folder, 'commands');
        await mkdir(dataDir, { recursive: true });
        const child = spawnMain(args, { ...settings, DATA_DIR: dataDir, ...more });
        child.input.end();
        const code = await child.ended;
        // The answer to an operator on standard output may name people, so it is apart from what was logged.
        commands.push(child.err());
        return { code, output: child.err() + child.out() };
      },
      outputs: (): Readonly<Record<string, string>> => ({
        ...Object.fromEntries(parts.map((part) => [part.name, part.output()])),
        commands: commands.join(''),
      }),
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Its name begins with its verb. */
async function createPart(name: string, folder: string, settings: Settings) {
  const [verb = ''] = name.split('-');
  const dataDir = join(folder, name);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const [port, adminPort] = [String(await freePort()), String(await freePort())];
  const env: Settings = { ...settings, DATA_DIR: dataDir, PORT: port, ADMIN_PORT: adminPort };
  let child: Child | undefined;
  /** Of the processes before the running one. */
  let earlier = '';
  const printed = (): string => (child ? child.out() + child.err() : '');
  const isRunning = (): boolean => child !== undefined && !child.hasEnded();
  const end = async (signal: NodeJS.Signals): Promise<number | null> =>
    isRunning() ? ((await child?.signal(signal)) ?? null) : (child?.process.exitCode ?? null);
  const isReady = async (): Promise<boolean> => {
    if (!isRunning()) throw new Error(`${name} ended at its start:\n${printed().slice(-2000)}`);
    if (verb === 'work') return printed().includes('dashboard, API and metrics at');
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    return answer?.ok ?? false;
  };
  return {
    name,
    dataDir,
    /** Where deliveries go; undefined for a worker. */
    webhook: verb === 'work' ? undefined : `http://127.0.0.1:${port}/webhooks`,
    /** The admin listener, at the same port after each start. */
    admin: `http://127.0.0.1:${adminPort}`,
    pid: (): number => child?.process.pid ?? 0,
    isRunning,
    signal: (signal: NodeJS.Signals): void => void child?.process.kill(signal),
    kill9: async (): Promise<void> => void (await end('SIGKILL')),
    /** It runs and, as a receiver, says that it is ready. */
    isReady: () => isReady().catch(() => false),
    /** SIGTERM. Rejects when the exit code is not 0. */
    async stop(): Promise<void> {
      const code = await end('SIGTERM');
      if (code !== 0) throw new Error(`${name} ended with ${code} after SIGTERM:\n${printed().slice(-1_000)}`);
    },
    /** Starts it (again) on the same folder and port, and waits until it is ready. */
    async start(changes: Settings = {}): Promise<void> {
      earlier += printed();
      child = spawnMain([verb], { ...env, ...changes });
      await until(isReady, `${name} is ready`, 180_000);
    },
    output: (): string => earlier + printed(),
  };
}
