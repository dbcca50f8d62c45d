// The processes of one installation under test: receivers and workers that a scenario may kill, freeze and start again, and
// everything they printed.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endWithThisProcess } from '../harness/children.ts';
import { freePort, until } from '../harness/ports.ts';

export type Settings = Readonly<Record<string, string>>;

/** What the processes of a stack connect to. */
export interface Engines {
  readonly settings: Settings;
  /** The database for the oracle: a direct connection, whatever stands between the product and it. */
  readonly store: string;
  /** The embedded queue belongs to one process, `start`. */
  readonly isOneProcess?: boolean;
  /** Where the data folders are; the folder for temporary files unless given. */
  readonly dataRoot?: string;
  /** `bin/slotstream.js` of another release, for the first start. */
  readonly program?: string;
}

interface PartOptions {
  readonly name: string;
  readonly verb: 'receive' | 'work' | 'start';
  /** Beyond the settings of the stack. */
  readonly settings?: Settings;
  /** `bin/slotstream.js` of another release. */
  readonly program?: string;
}

/** A process of the product with its own data folder. */
export type Part = Awaited<ReturnType<typeof createPart>>;

export interface CommandResult {
  readonly code: number | null;
  readonly output: string;
}

export type Stack = Awaited<ReturnType<typeof startStack>>;

export const currentProgram =
  process.env['TEST_PRODUCT'] ?? fileURLToPath(new URL('../../bin/slotstream.js', import.meta.url));

export async function startStack(engines: Engines, changes: Settings = {}) {
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
  const add = async (options: PartOptions): Promise<Part> => {
    const first = engines.program === undefined ? {} : { program: engines.program };
    const part = await createPart({ ...first, ...options, settings: { ...settings, ...options.settings } }, folder);
    parts.push(part);
    await part.start();
    return part;
  };
  const several = (verb: 'receive' | 'work', from: number, to: number): Promise<Part[]> =>
    Promise.all(Array.from({ length: to - from + 1 }, (_, at) => add({ name: `${verb}-${from + at}`, verb })));
  const close = async (): Promise<void> => {
    await Promise.all(parts.map((part) => part.kill9()));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    // One worker at first, which creates the tables.
    const first = await (engines.isOneProcess
      ? add({ name: 'start', verb: 'start' })
      : add({ name: 'work-1', verb: 'work' }));
    const [more, receivers] = engines.isOneProcess
      ? [[], [first]]
      : await Promise.all([several('work', 2, 3), several('receive', 1, 2)]);
    return {
      key,
      /** Must not appear in what the processes print. */
      secrets: { key, adminToken },
      folder,
      receivers,
      workers: [first, ...more],
      targets: receivers.flatMap(({ webhook }) => webhook ?? []),
      /** Runs a command of the product to its end. */
      async command(args: readonly string[], more: Settings = {}): Promise<CommandResult> {
        const dataDir = join(folder, 'commands');
        await mkdir(dataDir, { recursive: true });
        const { logged, ...result } = await runToEnd(args, { ...settings, DATA_DIR: dataDir, ...more });
        commands.push(logged);
        return result;
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

export function spawnProduct(program: string, args: readonly string[], env: Settings): ChildProcess {
  return endWithThisProcess(
    spawn(process.execPath, [program, ...args], { env, cwd: tmpdir(), stdio: ['ignore', 'pipe', 'pipe'] }),
  );
}

function collect(child: ChildProcess, onText: (text: string) => void): void {
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', onText);
}

async function runToEnd(args: readonly string[], env: Settings): Promise<CommandResult & { readonly logged: string }> {
  const child = spawnProduct(currentProgram, args, env);
  let output = '';
  // The answer to an operator on standard output may name people.
  let logged = '';
  collect(child, (text) => (output += text));
  child.stderr?.on('data', (text: string) => (logged += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output, logged };
}

async function createPart(options: PartOptions, folder: string) {
  const { name, verb } = options;
  const dataDir = join(folder, name);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const [port, adminPort] = [String(await freePort()), String(await freePort())];
  const env: Settings = { ...options.settings, DATA_DIR: dataDir, PORT: port, ADMIN_PORT: adminPort };
  let child: ChildProcess | undefined;
  let output = '';
  /** Where the text of the running process begins. */
  let started = 0;
  const isRunning = (): boolean => child !== undefined && child.exitCode === null && child.signalCode === null;
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (child === undefined || !isRunning()) return child?.exitCode ?? null;
    const gone = once(child, 'close');
    child.kill(signal);
    const [code] = (await gone) as [number | null];
    return code;
  };
  const isReady = async (): Promise<boolean> => {
    if (!isRunning()) throw new Error(`${name} ended at its start:\n${output.slice(started).slice(-2000)}`);
    if (verb === 'work') return output.slice(started).includes('dashboard, API and metrics at');
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
    pid: (): number => child?.pid ?? 0,
    isRunning,
    signal: (signal: NodeJS.Signals): void => void child?.kill(signal),
    kill9: async (): Promise<void> => void (await end('SIGKILL')),
    /** It runs and, as a receiver, says that it is ready. */
    isReady: () => isReady().catch(() => false),
    /** SIGTERM. Rejects when the exit code is not 0. */
    async stop(): Promise<void> {
      const code = await end('SIGTERM');
      if (code !== 0) throw new Error(`${name} ended with ${code} after SIGTERM:\n${output.slice(-1_000)}`);
    },
    /** Starts it (again) on the same folder and port, and waits until it is ready. */
    async start(change: Pick<PartOptions, 'settings' | 'program'> = {}): Promise<void> {
      started = output.length;
      const program = change.program ?? options.program ?? currentProgram;
      child = spawnProduct(program, [verb], { ...env, ...change.settings });
      collect(child, (text) => (output += text));
      await until(isReady, `${name} is ready`, 60_000);
    },
    output: () => output,
  };
}
