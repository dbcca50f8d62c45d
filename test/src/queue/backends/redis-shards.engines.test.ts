// The shards of the queue on Redis, on one server and on a Cluster of three masters.
import { afterAll, describe, expect, inject, it } from 'vitest';
import type { DeliveryQueue } from '#src/queue/contract.ts';
import { shardPrefixes } from '#src/queue/backends/redis-shards.ts';
import { until } from '../../../harness/ports.ts';
import { startRedis, type TestRedis } from '../../../harness/redis.ts';
import { startCluster } from '../../../harness/redis-failover.ts';
import { batchOf, bodiesOf, fastTiming, kill9, locations, open, removeFolders, startChild } from './queue-locations.ts';
import { describeQueue } from './queue-suite.ts';

const ignore = async (): Promise<void> => undefined;
const names = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `n${at + 10}`);

async function openOn({ url }: { readonly url: string }, shards: number) {
  const queue = await open({ url, dataDir: '', name: 'deliveries', shards });
  return Object.assign(queue, { [Symbol.asyncDispose]: () => queue.close() });
}

function collect(queue: DeliveryQueue): string[] {
  const taken: string[] = [];
  queue.work(async (batch) => void taken.push(...bodiesOf(batch)), ignore, { concurrency: 4 });
  return taken;
}

/** The prefixes that have keys on this server. */
async function prefixesOn({ cli }: TestRedis): Promise<readonly string[]> {
  const keys = (await cli('--scan')).split('\n').filter((key) => key !== '');
  return [...new Set(keys.map((key) => key.replace(/:.*/, '')))].toSorted();
}

describe.runIf(inject('redisUrl'))('the queue on Redis with three shards', () => {
  describeQueue('redis', 3);
});

describe.runIf(inject('redisUrl'))('the shards of the queue on Redis', () => {
  afterAll(removeFolders);

  it('are one, under the prefix of before, unless more are asked for', async () => {
    await using redis = await startRedis();
    await using queue = await openOn(redis, 1);
    for (const name of names(5)) await queue.add(batchOf(name), name);
    await queue.add(batchOf('last'));
    expect(await prefixesOn(redis)).toEqual(['{slotstream}']);
    expect(await redis.cli('llen', '{slotstream}:deliveries:wait')).toBe('6');
    const taken = collect(queue);
    await until(() => taken.length === 6, 'all are taken');
  });

  it('need no permission for the keys of others', async () => {
    await using redis = await startRedis();
    await redis.cli('acl', 'setuser', 'app', 'on', '>s3cret-passw0rd', '~{slotstream}:*', '&*', '+@all');
    await using queue = await openOn({ url: `redis://app:s3cret-passw0rd@127.0.0.1:${redis.port}` }, 1);
    await queue.add(batchOf('a'), 'job-a');
    expect(await queue.depth()).toMatchObject({ waiting: 1 });
    const taken = collect(queue);
    await until(() => taken.length === 1, 'it is taken');
  });

  it('take batches in turn, and a batch with an id always in the same shard, over three connections each', async () => {
    await using redis = await startRedis();
    await using queue = await openOn(redis, 3);
    for (const name of names(6)) await queue.add(batchOf(name));
    const lengths = async () =>
      Promise.all(shardPrefixes.slice(0, 3).map((prefix) => redis.cli('llen', `${prefix}:deliveries:wait`)));
    expect(await lengths()).toEqual(['2', '2', '2']);
    for (const name of [...names(20), ...names(20)]) await queue.add(batchOf(name), name);
    expect(await queue.depth()).toMatchObject({ waiting: 26 });
    expect((await lengths()).every((length) => Number(length) > 2)).toBe(true);
    const taken = collect(queue);
    await until(() => taken.length === 26, 'all are taken');
    // Without the one that asks.
    const connections = (await redis.cli('client', 'list')).trim().split('\n').length - 1;
    expect(connections).toBe(3 * 3);
  });

  it('are emptied by a worker that was started with fewer', async () => {
    await using redis = await startRedis();
    {
      await using many = await openOn(redis, 12);
      for (const name of names(24)) await many.add(batchOf(name));
    }
    await using one = await openOn(redis, 1);
    expect(await one.depth()).toMatchObject({ waiting: 24 });
    const taken = collect(one);
    await until(() => taken.length === 24, 'all are taken');
    expect(taken.toSorted()).toEqual(names(24));
    await until(async () => (await one.depth()).active === 0, 'all are finished');
    expect(await one.depth()).toEqual({ waiting: 0, active: 0, delayed: 0, failed: 0 });
  });

  it('are found by a worker that was started before they were raised', async () => {
    await using redis = await startRedis();
    await using one = await openOn(redis, 1);
    const taken = collect(one);
    await using three = await openOn(redis, 3);
    for (const name of names(9)) await three.add(batchOf(name));
    await until(() => taken.length === 9, 'all are taken', 30_000);
    expect(taken.toSorted()).toEqual(names(9));
  });

  it('recover failed jobs of a shard that is no longer used', async () => {
    await using redis = await startRedis();
    const key = `${shardPrefixes[2]}:deliveries`;
    await redis.cli('hset', `${key}:mine`, 'name', 'batch', 'data', '{"odd":1}', 'failedReason', 'x');
    await redis.cli('zadd', `${key}:failed`, '1', 'mine');
    await using one = await openOn(redis, 1);
    expect(await one.depth()).toMatchObject({ failed: 1 });
    const taken: unknown[] = [];
    one.work(async (batch) => void taken.push(batch), ignore, { concurrency: 1 });
    await until(() => taken.length === 1, 'it is recovered');
    expect(taken).toEqual([{ odd: 1 }]);
  });

  it('run an isolated job alone, whatever shard the others are in', async () => {
    const location = { ...(await locations.redis()), shards: 3, timing: fastTiming };
    const queue = await open(location);
    for (const name of names(3)) await queue.add(batchOf(name, `${name}-b`));
    for (let crash = 0; crash < 2; crash += 1) {
      const lines: { event: string }[] = [];
      const child = startChild(location, 'hang', lines as never);
      await until(() => lines.filter(({ event }) => event === 'took').length === 3, 'the child has all');
      await kill9(child);
    }
    const running = new Set<string>();
    const together: number[] = [];
    let done = 0;
    queue.work(
      async (batch) => {
        const name = bodiesOf(batch).join();
        running.add(name);
        together.push(running.size);
        await new Promise((resolve) => setTimeout(resolve, 20));
        running.delete(name);
        done += bodiesOf(batch).length;
      },
      ignore,
      { concurrency: 8 },
    );
    await until(() => done === 6, 'all are processed');
    await queue.close();
    expect(together).toEqual([1, 1, 1, 1, 1, 1]);
  });

  it('report a loss in any of them, and nothing as finished then', async () => {
    await using redis = await startRedis();
    await using queue = await openOn(redis, 3);
    const { losses } = queue;
    const ids = names(12);
    for (const id of ids) await queue.add(batchOf(id), id);
    expect(await losses?.finished(ids)).toEqual([]);
    expect(losses?.count()).toBe(0);
    // Redis went back, in one slot only: as after the failover of one master of a Cluster.
    const lost = (await redis.cli('--scan', '--pattern', `${shardPrefixes[1]}:*`)).split('\n');
    await redis.cli('del', ...lost);
    expect(await losses?.finished(ids)).toEqual([]);
    expect(losses?.count()).toBe(1);
    for (const id of ids) await queue.add(batchOf(id), id);
    expect(await queue.depth()).toMatchObject({ waiting: 12 });
    expect(losses?.count()).toBe(1);
    const taken = collect(queue);
    await until(async () => (await losses?.finished(ids))?.length === 12, 'all are finished');
    expect(taken.toSorted()).toEqual(ids);
  });

  it('are on every master of a Cluster, where a killed worker loses nothing and lowering strands nothing', async () => {
    await using cluster = await startCluster();
    const location = { url: cluster.url, dataDir: '', name: 'deliveries', shards: 3, timing: fastTiming };
    const queue = await open(location);
    for (const name of names(30)) await queue.add(batchOf(name), name);
    const waiting = await Promise.all(
      cluster.masters.map(async (master) => {
        const [prefix = '', ...more] = await prefixesOn(master);
        expect(more).toEqual([]);
        return Number(await master.cli('llen', `${prefix}:deliveries:wait`));
      }),
    );
    expect(waiting.reduce((sum, count) => sum + count)).toBe(30);
    expect(Math.min(...waiting)).toBeGreaterThan(3);
    expect(await queue.check()).toEqual([]);
    await queue.close();

    const child = startChild(location, 'hang');
    await until(() => child.lines.filter(({ event }) => event === 'took').length >= 4, 'the child has jobs of all');
    await kill9(child);
    const one = await open({ ...location, shards: 1 });
    expect((await one.depth()).active).toBeGreaterThan(3);
    const taken = collect(one);
    await until(() => new Set(taken).size === 30, 'all are taken', 15_000);
    await until(async () => Object.values(await one.depth()).every((count) => count === 0), 'none is left');
    await one.close();
  });

  it('do not answer a ping while the master of one of them is away', async () => {
    await using cluster = await startCluster();
    await using queue = await openOn(cluster, 3);
    const answers = () =>
      queue.ping().then(
        () => true,
        () => false,
      );
    for (const master of cluster.masters) {
      expect(await answers()).toBe(true);
      await master.kill9();
      expect(await answers()).toBe(false);
      await master.restart();
      await until(answers, 'it answers again');
    }
  });

  it('have the same number of slots between them, so that 3, 6 and 12 are spread evenly', async () => {
    await using redis = await startRedis({ args: ['--cluster-enabled', 'yes'] });
    const slots = await Promise.all(
      shardPrefixes.map(async (tag) => Number(await redis.cli('cluster', 'keyslot', tag))),
    );
    for (const count of [3, 6, 12]) {
      const shares = slots.slice(0, count).map((slot) => Math.floor((slot * count) / 16_384));
      expect(new Set(shares).size).toBe(count);
    }
  });
});
