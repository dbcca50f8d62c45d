// Rows about one Redis as the queue: killed, frozen, unreachable, wiped, out of memory.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openProxy, type TestProxy } from '../../harness/silent-proxy.ts';
import { redisAndPostgres, redisAndSqlite, type InstallationOf, type WithRedis } from '../engines.ts';
import type { TestRedis } from '../../harness/redis.ts';
import {
  bytesIn,
  diskLogBytes,
  kib,
  requireFault,
  seconds,
  whileFrozen,
  whileUnreachable,
} from '../faults/evidence.ts';
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

async function freezeRedis(run: RedisRun, forMs: number): Promise<string> {
  const { redis } = run.engines;
  redis.freeze();
  const frozenMs = Date.now();
  const ping = redis.cli('ping').then(() => Date.now() - frozenMs);
  const onDisk = await throughDisk(run, () => run.wait(forMs)).finally(() => redis.thaw());
  const silentMs = await ping;
  requireFault(silentMs >= forMs, `a PING was answered after ${silentMs} ms`);
  return `a PING was answered after ${seconds(silentMs)}; ${onDisk}`;
}

const loseConnections = (run: Run<WithRedis & { readonly proxy: TestProxy }>, forMs: number): Promise<string> =>
  whileUnreachable(run.engines.proxy, () => throughDisk(run, () => run.wait(forMs)));

async function exhaustMemory(run: RedisRun, forMs: number): Promise<string> {
  const { redis } = run.engines;
  const used = Number(await infoOf(redis, 'memory', 'used_memory'));
  await redis.cli('config', 'set', 'maxmemory', String(Math.floor(used / 2)));
  const onDisk = await throughDisk(run, () => run.wait(forMs));
  const refused = await errorsOf(redis, 'OOM');
  await redis.cli('config', 'set', 'maxmemory', '0');
  requireFault(refused > 0, 'Redis refused no command');
  return `${refused} commands refused (OOM), ${onDisk}`;
}

/** Wipes Redis while jobs wait: workers are frozen for a moment, so that what it loses is only in the disk log. */
async function wipe(run: RedisRun): Promise<string> {
  const wiped = await whileFrozen(run.stack.workers, async () => {
    await run.wait(gatherMs);
    return wipeNow(run.engines.redis);
  });
  return `${wiped.jobs.length} waiting jobs and ${wiped.keys} keys before, 0 after`;
}

/** Wipes Redis and kills a receiver at the same moment; then it starts again. */
async function wipeAndKillReceiver(run: RedisRun): Promise<string> {
  const [receiver] = run.stack.receivers;
  if (!receiver) throw new Error('there is no receiver');
  const own = await whileFrozen(run.stack.workers, async () => {
    await run.wait(gatherMs);
    const [{ jobs }] = await Promise.all([wipeNow(run.engines.redis), receiver.kill9()]);
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

/** One script, so that nothing happens between the counts. */
const countAndWipe = `
local jobs, keys = redis.call('lrange', KEYS[1], 0, -1), redis.call('dbsize')
redis.call('flushall')
return { keys, redis.call('dbsize'), unpack(jobs) }`;

async function wipeNow({ cli }: TestRedis): Promise<{ readonly keys: number; readonly jobs: readonly string[] }> {
  const [before, after, ...jobs] = (await cli('eval', countAndWipe, '1', waitingList)).split('\n');
  requireFault(jobs.length > 0, 'no job was waiting');
  requireFault(after === '0', `${after} keys are left`);
  return { keys: Number(before), jobs };
}

export async function infoOf({ cli }: TestRedis, section: string, name: string): Promise<string> {
  const line = (await cli('info', section)).split(/\r?\n/).find((text) => text.startsWith(`${name}:`));
  return line?.slice(name.length + 1) ?? '';
}

/** How many commands Redis has answered with an error of this kind, such as `OOM`. */
export async function errorsOf(redis: TestRedis, kind: string): Promise<number> {
  return Number(/count=(\d+)/.exec(await infoOf(redis, 'errorstats', `errorstat_${kind}`))?.[1] ?? 0);
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

async function wipeTwice(run: RedisRun): Promise<string> {
  const first = await wipe(run);
  await run.wait(3_000);
  return `${first}; then ${await wipe(run)}`;
}

export const redisRows: readonly Scenario[] = [
  ...[redisAndPostgres, redisAndSqlite].map((on) =>
    scenario<WithRedis>('kill -9 of Redis, 4 s away, restart from its append-only file', on, (run) =>
      killAndRestart(run, 4_000),
    ),
  ),
  scenario('Redis frozen (SIGSTOP) for 15 s', redisAndPostgres, (run) => freezeRedis(run, 15_000)),
  scenario('connections to Redis pass nothing any more; new ones neither for 10 s', behindProxy, (run) =>
    loseConnections(run, 10_000),
  ),
  scenario('FLUSHALL while jobs wait, twice', redisAndPostgres, wipeTwice),
  scenario('Redis out of memory for 8 s', redisAndPostgres, (run) => exhaustMemory(run, 8_000)),
  ...[redisAndPostgres, redisAndSqlite].map((on) =>
    scenario<WithRedis>('FLUSHALL and kill -9 of a receiver at once', on, wipeAndKillReceiver),
  ),
];
