// Rows about one Redis as the queue: killed, unreachable, wiped. test/src/app/redis-faults.engines.test.ts freezes it and takes its memory.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openProxy, type TestProxy } from '../../harness/silent-proxy.ts';
import { redisAndPostgres, redisAndSqlite, type InstallationOf, type WithRedis } from '../engines.ts';
import type { TestRedis } from '../../harness/redis.ts';
import { bytesIn, diskLogBytes, kib, requireFault, whileFrozen, whileUnreachable } from '../faults/evidence.ts';
import { scenario, type Run, type Scenario } from '../scenario.ts';

type RedisRun = Run<WithRedis>;

const waitingList = '{slotstream}:deliveries:wait';

/** Deliveries must be accepted during the fault, by the disk log. */
async function throughDisk(run: RedisRun, during: () => Promise<unknown>): Promise<string> {
  const before = run.load.accepted();
  await during();
  const accepted = run.load.accepted() - before;
  const onDisk = await diskLogBytes(run.stack.receivers);
  requireFault(onDisk > 0, 'nothing was in the disk log');
  if (accepted === 0) throw new Error('nothing was acknowledged during the fault');
  return `${accepted} acknowledged meanwhile, ${kib(onDisk)} in the disk log`;
}

async function killAndRestart(run: RedisRun, awayMs: number): Promise<string> {
  const { redis } = run.engines;
  const before = await infoOf(redis, 'server', 'run_id');
  await redis.kill9();
  const onDisk = await throughDisk(run, () => run.wait(awayMs));
  const left = await bytesIn(join(redis.dir, 'appendonlydir'), '.aof');
  await redis.restart();
  requireFault((await infoOf(redis, 'server', 'run_id')) !== before, 'run_id is the same');
  const loaded = Number(await infoOf(redis, 'persistence', 'aof_current_size'));
  requireFault(left > 0 && loaded >= left, 'the append-only file was not loaded');
  return `${onDisk}; run_id changed, ${kib(left)} of append-only file loaded`;
}

const loseConnections = (run: Run<WithRedis & { readonly proxy: TestProxy }>, forMs: number): Promise<string> =>
  whileUnreachable(run.engines.proxy, () => throughDisk(run, () => run.wait(forMs)));

/**
 * Wipes Redis while jobs wait and kills a receiver at the same moment; then it starts again. Workers are frozen for a moment, so that what
 * Redis loses is only in the disk log.
 */
async function wipeAndKillReceiver(run: RedisRun): Promise<string> {
  const [receiver] = run.stack.receivers;
  if (!receiver) throw new Error('there is no receiver');
  const own = await whileFrozen(run.stack.workers, async () => {
    await run.wait(gatherMs);
    const [jobs] = await Promise.all([wipe(run.engines.redis), receiver.kill9()]);
    // The id of a job begins with the name of the folder of its receiver.
    const folders = await readdir(join(receiver.dataDir, 'disk-log'));
    return jobs.filter((id) => folders.some((folder) => id.startsWith(folder))).length;
  });
  requireFault(own > 0, 'no job of the killed receiver was waiting');
  requireFault(!receiver.isRunning(), 'the receiver runs');
  const left = await diskLogBytes([receiver]);
  requireFault(left > 0, 'the disk log of the killed receiver is empty');
  await run.wait(awayMs);
  await receiver.start();
  return `${own} waiting jobs of the killed receiver wiped with Redis, ${kib(left)} left in its disk log`;
}

const gatherMs = 1_500;
const awayMs = 2_000;

/** One script, so that nothing happens in between. */
const wipeAndCount = `
local jobs = redis.call('lrange', KEYS[1], 0, -1)
redis.call('flushall')
return { redis.call('dbsize'), unpack(jobs) }`;

/** Answers the jobs that were waiting. */
async function wipe({ cli }: TestRedis): Promise<readonly string[]> {
  const [left, ...jobs] = (await cli('eval', wipeAndCount, '1', waitingList)).split('\n');
  requireFault(jobs.length > 0, 'no job was waiting');
  requireFault(left === '0', `${left} keys are left`);
  return jobs;
}

export async function infoOf({ cli }: TestRedis, section: string, name: string): Promise<string> {
  const line = (await cli('info', section)).split(/\r?\n/).find((text) => text.startsWith(`${name}:`));
  return line?.slice(name.length + 1) ?? '';
}

export async function waitingJobs({ cli }: TestRedis): Promise<readonly string[]> {
  return (await cli('lrange', waitingList, '0', '-1')).split('\n').filter((id) => id !== '');
}

const behindProxy: InstallationOf<WithRedis & { readonly proxy: TestProxy }> = {
  on: redisAndPostgres.on,
  async open(resources) {
    const direct = await redisAndPostgres.open(resources);
    const proxy = resources.use(await openProxy(direct.redis.url));
    return { ...direct, proxy, settings: { ...direct.settings, QUEUE_URL: proxy.url } };
  },
};

export const redisRows: readonly Scenario[] = [
  ...[redisAndPostgres, redisAndSqlite].map((on) =>
    scenario<WithRedis>('kill -9 of Redis, 4 s away, restart from its append-only file', on, (run) =>
      killAndRestart(run, 4_000),
    ),
  ),
  scenario('connections to Redis pass nothing any more; new ones neither for 10 s', behindProxy, (run) =>
    loseConnections(run, 10_000),
  ),
  ...[redisAndPostgres, redisAndSqlite].map((on) =>
    scenario<WithRedis>('FLUSHALL and kill -9 of a receiver at once', on, wipeAndKillReceiver),
  ),
];
