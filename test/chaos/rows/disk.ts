// Rows about disks: almost full, full, and failing to write what they have accepted.
import { join } from 'node:path';
import { until } from '../../harness/ports.ts';
import {
  embedded,
  onEmbedded,
  onRedisAndPostgres,
  onRedisAndSqlite,
  redisAndPostgres,
  redisAndSqlite,
  type OpenEngines,
  type WithRedis,
} from '../engines.ts';
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

/** With the queue, the disk log and, in the embedded default, the store on the small disk. */
const dataOnSmallDisk =
  (open: OpenEngines<Engines>): OpenEngines<OnSmallDisk> =>
  async (resources) => {
    const disk = await mountSmallDisk(resources, diskMegabytes);
    const engines = await open(resources);
    if (!engines.isOneProcess) return { ...engines, disk, dataRoot: disk.folder };
    const store = `sqlite:${disk.folder}/mirror.db`;
    return { ...engines, disk, dataRoot: disk.folder, store, settings: { ...engines.settings, DATABASE_URL: store } };
  };

const storeOnSmallDisk: OpenEngines<OnSmallDisk> = async (resources) => {
  const disk = await mountSmallDisk(resources, diskMegabytes);
  const engines = await redisAndSqlite(resources);
  const store = `sqlite:${disk.folder}/mirror.db`;
  return { ...engines, disk, store, settings: { ...engines.settings, DATABASE_URL: store } };
};

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

const disks: readonly { what: string; on: string; engines: OpenEngines<OnSmallDisk>; effect: Effect }[] = [
  { what: 'the only disk', on: 'embedded', engines: dataOnSmallDisk(embedded), effect: refuses },
  {
    what: 'disk of the receivers',
    on: onRedisAndPostgres.on,
    engines: dataOnSmallDisk(redisAndPostgres),
    effect: refuses,
  },
  { what: 'disk of the store', on: 'Redis + SQLite', engines: storeOnSmallDisk, effect: waits },
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

const fullDisks = disks.flatMap(({ what, on, engines, effect }) =>
  [false, true].map((isFull) =>
    scenario({
      name: `${what} ${isFull ? 'full (ENOSPC)' : 'almost full (below MIN_FREE_DISK_MB)'}`,
      on,
      engines,
      settings: { MIN_FREE_DISK_MB: isFull ? '0' : String(limitMegabytes) },
      obstacle: diskObstacle,
      fault: (run) => withoutRoom(run, effect, isFull),
    }),
  ),
);

/** What flushes fail: every fsync; for the segments of a receiver first every fsync, then every write, which is a flush there. */
interface Failing {
  readonly part: Part;
  readonly ofDiskLog?: true;
}

/** Flushes of the process fail for a while. Its open files must not become more. */
async function failFlushes({ load, wait, ended }: Run<Engines>, { part, ofDiskLog }: Failing): Promise<string> {
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

export const diskRows: readonly Scenario[] = [
  ...fullDisks,
  scenario({
    name: 'every fsync, then every write to the disk log, of a receiver fails for 4 s each',
    ...onRedisAndPostgres,
    obstacle: straceObstacle,
    fault: (run) => failFlushes(run, { part: run.random.pick(run.stack.receivers), ofDiskLog: true }),
  }),
  scenario({
    name: 'every fsync, then every write to the disk log, of a receiver fails for 4 s each, while Redis is away',
    ...onRedisAndPostgres,
    obstacle: straceObstacle,
    async fault(run: Run<WithRedis>) {
      await run.engines.redis.kill9();
      try {
        return await failFlushes(run, { part: run.random.pick(run.stack.receivers), ofDiskLog: true });
      } finally {
        await run.engines.redis.restart();
      }
    },
  }),
  scenario({
    name: 'every fsync of queue, disk log and store fails for 8 s',
    ...onEmbedded,
    obstacle: straceObstacle,
    fault: (run) => failFlushes(run, { part: run.random.pick(run.stack.receivers) }),
  }),
  scenario({
    name: "every fsync of a worker's SQLite file fails for 8 s",
    ...onRedisAndSqlite,
    obstacle: straceObstacle,
    fault: (run) => failFlushes(run, { part: run.random.pick(run.stack.workers) }),
  }),
];
