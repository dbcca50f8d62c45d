// How the queue on Redis finds out that Redis has lost what it accepted.
import { describe, expect, inject, it } from 'vitest';
import { succeeds, until } from '../../../harness/ports.ts';
import { openedAnew } from '../../../harness/opened.ts';
import { startRedis } from '../../../harness/redis.ts';
import { batchOf, bodiesOf, open } from './queue-locations.ts';

async function openScene() {
  const redis = await startRedis();
  const queue = await open({ url: redis.url, dataDir: '', name: 'deliveries' });
  const { losses } = queue;
  if (losses === undefined) throw new Error('Redis detects losses');
  return {
    redis,
    queue,
    losses,
    /** The key of the marker. */
    marker: () => redis.cli('keys', '{slotstream}:deliveries:disk-log:*'),
    [Symbol.asyncDispose]: async () => {
      await queue.close();
      await redis.stop();
    },
  };
}

const ignore = async (): Promise<void> => undefined;

describe.runIf(inject('redisUrl'))('the loss detection of the queue on Redis', () => {
  const scene = openedAnew(openScene);

  it('adds a job once per id, and reports it as finished when a worker has finished it', async () => {
    const { queue, losses } = scene;
    for (let time = 0; time < 3; time += 1) await queue.add(batchOf('a', 'b'), 'job-a');
    expect(await queue.depth()).toMatchObject({ waiting: 1 });
    expect(await losses.finished(['job-a'])).toEqual([]);
    const taken: string[] = [];
    queue.work(async (batch) => void taken.push(...bodiesOf(batch)), ignore, { concurrency: 1 });
    await until(async () => (await losses.finished(['job-a'])).includes('job-a'), 'it is finished');
    expect(taken).toEqual(['a', 'b']);
    expect(losses.count()).toBe(0);
  });

  it('reports a wiped Redis by the next check or the next add, and no job as finished', async () => {
    const { redis, queue, losses } = scene;
    await queue.add(batchOf('a'), 'job-a');
    await redis.cli('flushall');
    expect(await losses.finished(['job-a'])).toEqual([]);
    expect(losses.count()).toBe(1);
    await queue.add(batchOf('a'), 'job-a');
    expect(await losses.finished(['job-a'])).toEqual([]);
    expect(losses.count()).toBe(1);
    await redis.cli('flushall');
    await queue.add(batchOf('b'), 'job-b');
    expect(losses.count()).toBe(2);
    expect(await queue.depth()).toMatchObject({ waiting: 1 });
  });

  it('does not raise a marker that is too low, so that an add whose reply is lost hides no loss', async () => {
    const { redis, queue, losses } = scene;
    for (let number = 1; number <= 5; number += 1) await queue.add(batchOf('a'), `job-${number}`);
    await redis.cli('set', await scene.marker(), '4');
    await Promise.all(['u1', 'u2', 'u3'].map((id) => queue.add(batchOf('u'), id)));
    expect(await redis.cli('get', await scene.marker())).toBe('4');
    expect(losses.count()).toBe(1);
  });

  it('adds again after Redis has dropped its scripts', async () => {
    const { redis, queue, losses } = scene;
    await queue.add(batchOf('a'), 'job-a');
    await redis.cli('script', 'flush');
    await until(() => succeeds(queue.add(batchOf('b'), 'job-b')), 'it is added');
    expect(await queue.depth()).toMatchObject({ waiting: 2 });
    expect(losses.count()).toBe(0);
  });

  it('lets its marker expire when the process is gone', async () => {
    await scene.queue.add(batchOf('a'), 'job-a');
    expect(Number(await scene.redis.cli('ttl', await scene.marker()))).toBeGreaterThan(80_000);
  });
});
