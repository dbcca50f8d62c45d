// Before the test run: finds the real engines (installs them where that is possible), starts one Redis and one
// PostgreSQL for everybody, and provides their addresses: inject('redisUrl'), inject('postgresUrl'). Chromium, NATS and Kafka are
// started by the tests that need them: inject('chromiumPath').

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { ProvidedContext } from 'vitest';
import type { TestProject } from 'vitest/node';
import { codeOf } from '#src/base/errors.ts';
import { findChromium } from './chromium.ts';
import { findPostgres, startPostgres } from './postgres.ts';
import { startRedis } from './redis.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Empty when there is no Redis here: `describe.runIf(inject('redisUrl'))`. Keep to a key prefix of your own. */
    redisUrl: string;
    /** Empty when there is no PostgreSQL here. Make a database of your own: `createDatabase(inject('postgresUrl'))`. */
    postgresUrl: string;
    /** Empty when there is no Chromium here. */
    chromiumPath: string;
    /** Empty when there is no Python here. */
    pythonPath: string;
    /** `nats-server`; empty when there is none here. */
    natsPath: string;
    /** `kcat`, which has a Kafka broker in it; empty when there is none here. */
    kcatPath: string;
    /** `promtool` of Prometheus; empty when there is none here. */
    promtoolPath: string;
    /** Where the workers of a run share what templates.ts makes. */
    templateFolder: string;
  }
}

interface Engine {
  readonly name: string;
  /** Of Debian. */
  readonly package: string;
  /** The variable that names one that is there already. */
  readonly override: string;
  readonly key: Exclude<keyof ProvidedContext, 'templateFolder'>;
  /** Its program; undefined when there is none here. */
  readonly find: () => string | undefined;
  /** One for everybody; tests start the others themselves. */
  readonly start?: () => Promise<{ readonly url: string } & AsyncDisposable>;
}

const program = (name: string) => (): string | undefined => {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.some((folder) => existsSync(join(folder, name))) ? name : undefined;
};

const engines: readonly Engine[] = (
  [
    ['Redis', 'redis-server', 'TEST_REDIS_URL', 'redisUrl', program('redis-server'), startRedis],
    ['PostgreSQL', 'postgresql', 'TEST_POSTGRES_URL', 'postgresUrl', findPostgres, startPostgres],
    ['Chromium', 'chromium-headless-shell', 'TEST_CHROMIUM', 'chromiumPath', findChromium],
    ['Python', 'python3', 'TEST_PYTHON', 'pythonPath', program('python3')],
    ['NATS', 'nats-server', 'TEST_NATS', 'natsPath', program('nats-server')],
    ['Kafka', 'kcat', 'TEST_KCAT', 'kcatPath', program('kcat')],
    ['Prometheus', 'prometheus', 'TEST_PROMTOOL', 'promtoolPath', program('promtool')],
  ] as const
).map(([name, debian, override, key, find, start]) => ({
  name,
  package: debian,
  override,
  key,
  find,
  ...(start && { start }),
}));

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await using resources = new AsyncDisposableStack();
  installMissing();
  const { path, freeBytes } = await openRunFolder(resources);
  const useFolder = () => void (process.env['TMPDIR'] = path);
  if (freeBytes >= databaseBytes) useFolder();
  await Promise.all(
    engines.map(async (engine) => {
      const given = process.env[engine.override] || undefined;
      const found = given ?? engine.find();
      if (found !== undefined) {
        const started = given || !engine.start ? found : resources.use(await engine.start()).url;
        project.provide(engine.key, started);
        // The next project of this run uses the same server.
        process.env[engine.override] = started;
      } else {
        const cure = `Install ${engine.package} (Debian: apt-get install ${engine.package}) or set ${engine.override}.`;
        if (process.env['CI'] === 'true') throw new Error(`No ${engine.name} here. ${cure}`);
        console.warn(`No ${engine.name} here: the suites that need it are skipped. ${cure}`);
        project.provide(engine.key, '');
      }
    }),
  );
  useFolder();
  project.provide('templateFolder', path);
  const running = resources.move();
  return () => running.disposeAsync();
}

/** What tests write in files at the same time, and the databases that they create on the shared PostgreSQL, which stay until the end. */
const fileBytes = 2 * 1024 ** 3;
const databaseBytes = 12 * 1024 ** 3;

interface RunFolder {
  readonly path: string;
  readonly freeBytes: number;
}

/** Where everything that the tests write goes: in memory where there is room, because every commit waits for a disk. */
async function openRunFolder(stack: AsyncDisposableStack): Promise<RunFolder> {
  const given = process.env['TEST_FOLDER'];
  // The projects of one run share it, and the servers.
  if (given !== undefined) return { path: given, freeBytes: 0 };
  const memory = '/dev/shm';
  if (existsSync(memory)) await removeLeftovers(memory);
  const memoryBytes = existsSync(memory) ? Math.min(await freeBytesOf(memory), process.availableMemory()) : 0;
  const isRoomy = memoryBytes >= fileBytes;
  const path = await mkdtemp(join(isRoomy ? memory : tmpdir(), `slotstream-tests-${process.pid}-`));
  stack.defer(() => rm(path, { recursive: true, force: true }));
  // Engines that run as another user have their folders in it.
  await chmod(path, 0o711);
  process.env['TEST_FOLDER'] = path;
  return { path, freeBytes: isRoomy ? memoryBytes : await freeBytesOf(path) };
}

/** A run that was killed leaves its databases in memory. */
async function removeLeftovers(memory: string): Promise<void> {
  for (const name of await readdir(memory)) {
    const owner = /^slotstream-tests-(\d+)-/.exec(name)?.[1];
    if (owner === undefined || isRunning(Number(owner))) continue;
    // Another user's stays.
    await rm(join(memory, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It is another user's otherwise.
    return codeOf(error) !== 'ESRCH';
  }
}

async function freeBytesOf(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
}

function installMissing(): void {
  const missing = engines.filter((engine) => !process.env[engine.override] && !engine.find());
  if (missing.length === 0 || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  const packages = missing.map((engine) => engine.package);
  console.warn(`Installing ${packages.join(' and ')} with apt-get, for the tests …`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  try {
    execFileSync('apt-get', ['update', '-qq'], { env, stdio: 'ignore' });
    execFileSync('apt-get', ['install', '-y', '-qq', ...packages], { env, stdio: 'ignore' });
  } catch {
    console.warn('apt-get did not succeed.');
  }
}
