// Rows about disks: almost full, full, and failing to write what they have accepted.
import { join } from 'node:path';
import { until } from '../../harness/ports.ts';
import { embedded, redisAndPostgres, redisAndSqlite, type InstallationOf, type WithRedis } from '../engines.ts';
import { failuresSince } from '../faults/answers.ts';
import { diskObstacle, megabyte, mountSmallDisk, type SmallDisk } from '../faults/disk.ts';
import { failFsync, failSegmentWrites, openFiles, straceObstacle, type FailingCalls } from '../faults/strace.ts';
import { countLogged } from '../oracle/judge.ts';
import { scenario, type Run, type Scenario } from '../scenario.ts';
import type { Engines, Part } from '../stack.ts';

interface OnSmallDisk extends Engines {
  readonly disk: SmallDisk;
}

const diskMegabytes = 96;
/** `MIN_FREE_DISK_MB` where the limit is tested; 0 turns it off where the disk shall be full. */
const limitMegabytes = 16;
const fullMs = 8_000;
const eventuallyMs = 30_000;

/** With the disk log, or the store, or in the embedded default both and the queue, on the small disk. */
const onSmallDisk = (
  { on, open }: InstallationOf<Engines>,
  holds: readonly ('data' | 'store')[],
): InstallationOf<OnSmallDisk> => ({
  on,
  async open(resources) {
    const disk = await mountSmallDisk(resources, diskMegabytes);
    const engines = { ...(await open(resources)), disk, ...(holds.includes('data') && { dataRoot: disk.folder }) };
    const store = `sqlite:${disk.folder}/mirror.db`;
    return holds.includes('store')
      ? { ...engines, store, settings: { ...engines.settings, DATABASE_URL: store } }
      : engines;
  },
});

/** What shows that there is no room: answers with 503, or what a worker prints while deliveries wait in the queue. */
type Effect = (run: Run<OnSmallDisk>, isFull: boolean) => Promise<unknown>;

const refuses: Effect = ({ load }) => {
  const failures = failuresSince(load);
  return until(() => failures().of(503) > 0, 'a receiver answers 503', eventuallyMs);
};

const waits: Effect = ({ stack }, isFull) => {
  const line = isFull ? 'SQLITE_FULL' : 'the store is paused';
  const everyWorker = (): boolean => stack.workers.every((worker) => worker.output().includes(line));
  return until(everyWorker, `every worker prints: ${line}`, eventuallyMs);
};

const disks: readonly (readonly [what: string, on: InstallationOf<OnSmallDisk>, effect: Effect])[] = [
  ['the only disk', onSmallDisk(embedded, ['data', 'store']), refuses],
  ['disk of the receivers', onSmallDisk(redisAndPostgres, ['data']), refuses],
  ['disk of the store', onSmallDisk(redisAndSqlite, ['store']), waits],
];

async function withoutRoom(run: Run<OnSmallDisk>, effect: Effect, isFull: boolean): Promise<string> {
  const { load, wait } = run;
  const { disk, store } = run.engines;
  const failures = failuresSince(load);
  if (isFull) disk.fillUp();
  else await disk.fill((limitMegabytes * megabyte) / 2);
  await effect(run, isFull);
  const acceptedBefore = load.accepted();
  const loggedBefore = await countLogged(store);
  await wait(fullMs);
  const logged = (await countLogged(store)) - loggedBefore;
  const accepted = load.accepted() - acceptedBefore;
  const free = Math.round((await disk.freeBytes()) / 1024);
  await disk.clear();
  const freeAfter = Math.round((await disk.freeBytes()) / 1024);
  return `${free} KiB free for ${fullMs / 1000} s, then ${freeAfter} KiB; ${failures().text}; ${accepted} acknowledged and ${logged} logged meanwhile`;
}

const fullDisks = disks.flatMap(([what, on, effect]) =>
  [false, true].map((isFull) =>
    scenario(
      `${what} ${isFull ? 'full (ENOSPC)' : 'almost full (below MIN_FREE_DISK_MB)'}`,
      on,
      (run) => withoutRoom(run, effect, isFull),
      { settings: { MIN_FREE_DISK_MB: isFull ? '0' : String(limitMegabytes) }, obstacle: diskObstacle },
    ),
  ),
);

/**
 * Every fsync of a process fails for a while; of the segments of a receiver first every fsync, then every write, which is a flush there. Its
 * open files must not become more.
 */
async function failFlushes({ load, wait, ended }: Run<Engines>, part: Part, ofDiskLog: boolean): Promise<string> {
  const failures = failuresSince(load);
  const filesBefore = await openFiles(part.pid());
  const seen: string[] = [];
  const during = async (attach: () => Promise<FailingCalls>, what: string, forMs: number): Promise<void> => {
    const failing = await attach();
    try {
      await until(() => failing.injected() > 0, `a ${what} fails`, eventuallyMs);
      await wait(forMs);
    } finally {
      await failing.stop();
    }
    seen.push(`${failing.injected()} × ${what}`);
  };
  if (!ofDiskLog) await during(() => failFsync(part.pid()), 'fsync', fullMs);
  else {
    await during(() => failFsync(part.pid()), 'fsync', fullMs / 2);
    await during(() => failSegmentWrites(part.pid(), join(part.dataDir, 'disk-log')), 'write with O_DSYNC', fullMs / 2);
  }
  ended();
  await wait(2_000);
  if (!part.isRunning()) throw new Error(`${part.name} ended:\n${part.output().slice(-1_000)}`);
  const files = await openFiles(part.pid());
  if (files > filesBefore + 4) throw new Error(`${part.name} has ${files} open files, ${filesBefore} before the fault`);
  return `failed with EIO: ${seen.join(', ')}; ${failures().text}; ${files} files open, ${filesBefore} before`;
}

const failOne =
  (of: 'workers' | 'receivers', ofDiskLog = false) =>
  (run: Run<Engines>): Promise<string> =>
    failFlushes(run, run.random.pick(run.stack[of]), ofDiskLog);

async function failWithoutRedis(run: Run<WithRedis>): Promise<string> {
  await run.engines.redis.kill9();
  try {
    return await failOne('receivers', true)(run);
  } finally {
    await run.engines.redis.restart();
  }
}

const obstacle = straceObstacle;
const ofReceiver = 'every fsync, then every write to the disk log, of a receiver fails for 4 s each';
const ofAll = 'every fsync of queue, disk log and store fails for 8 s';
const ofSqlite = "every fsync of a worker's SQLite file fails for 8 s";

export const diskRows: readonly Scenario[] = [
  ...fullDisks,
  scenario(ofReceiver, redisAndPostgres, failOne('receivers', true), { obstacle }),
  scenario(`${ofReceiver}, while Redis is away`, redisAndPostgres, failWithoutRedis, { obstacle }),
  scenario(ofAll, embedded, failOne('receivers'), { obstacle }),
  scenario(ofSqlite, redisAndSqlite, failOne('workers'), { obstacle }),
];
