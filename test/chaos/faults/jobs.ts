// The jobs of the queue as Redis knows them: which are locked by a worker, and which stalled because their worker renewed no lock.
import type { TestRedis } from '../../harness/redis.ts';

const queue = '{slotstream}:deliveries';

/** The lock of a job is the token of the worker that runs it. */
export async function lockedJobs(redis: TestRedis): Promise<ReadonlyMap<string, string>> {
  const keys = (await redis.cli('--scan', '--pattern', `${queue}:*:lock`)).split('\n').filter((key) => key !== '');
  const tokens = keys.length === 0 ? [] : (await redis.cli('MGET', ...keys)).split('\n');
  return new Map(keys.map((key, at) => [key.slice(queue.length + 1, -':lock'.length), tokens[at] ?? '']));
}

/** Jobs that BullMQ took from a worker, in its last hundred events. */
export async function stalledJobs(redis: TestRedis): Promise<readonly string[]> {
  const events = await redis.cli('XRANGE', `${queue}:events`, '-', '+');
  return Array.from(events.matchAll(/^stalled\njobId\n(.+)$/gm), ([, id]) => id ?? '');
}

export async function isInQueue(redis: TestRedis, id: string): Promise<boolean> {
  return (await redis.cli('EXISTS', `${queue}:${id}`)) === '1';
}
