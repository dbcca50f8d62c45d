// One queue over several shards, with shards in memory.
import { describe, expect, it } from 'vitest';
import type { DeliveryQueue, LossDetection } from '#src/queue/contract.ts';
import { combineShards } from '#src/queue/sharded-queue.ts';

const batch = { v: 1, deliveries: [] } as const;
const ignore = async (): Promise<void> => undefined;

interface FakeShard extends DeliveryQueue {
  readonly losses: LossDetection;
  readonly ids: (string | undefined)[];
  readonly concurrencies: number[];
  closedWorkers: number;
  lossesFound: number;
  recoveries: number;
  /** Runs while it is asked for finished jobs. */
  whileAsked(): void;
}

function fakeShard(): FakeShard {
  const shard: FakeShard = {
    engine: 'redis',
    ids: [],
    concurrencies: [],
    closedWorkers: 0,
    lossesFound: 0,
    recoveries: 0,
    whileAsked: () => undefined,
    losses: {
      count: () => shard.lossesFound,
      finished: async (jobIds) => (shard.whileAsked(), jobIds.filter((id) => !shard.ids.includes(id))),
    },
    add: async (_batch, jobId) => void shard.ids.push(jobId),
    work: (_processor, _quarantine, { concurrency }) => {
      shard.concurrencies.push(concurrency);
      return { close: async () => void (shard.closedWorkers += 1) };
    },
    depth: async () => ({ waiting: shard.ids.length, active: 1, delayed: 2, failed: 3 }),
    jobs: async (state, limit) =>
      shard.ids.slice(0, limit).map((id = '') => ({
        id,
        state,
        deliveries: 1,
        attempts: 0,
        addedMs: Number(id),
        dueMs: null,
        lastError: null,
      })),
    recoverFailed: async () => void (shard.recoveries += 1),
    check: async () => [],
    ping: ignore,
    close: ignore,
  };
  return shard;
}

const ids = Array.from({ length: 30 }, (_, at) => `receiver-${at}`);

function combine(count: number, others: () => Promise<readonly DeliveryQueue[]> = async () => []) {
  const own = Array.from({ length: count }, fakeShard);
  return { own, queue: combineShards({ own, others, close: ignore }) };
}

describe('a queue of three shards', () => {
  it('lists the oldest jobs of all shards, and recovers the failed jobs of all', async () => {
    const other = fakeShard();
    const { own, queue } = combine(3, async () => [other]);
    for (const id of ['5', '3', '8', '1', '7']) await queue.add(batch, id);
    await other.add(batch, '2');
    expect((await queue.jobs('failed', 3)).map(({ id }) => id)).toEqual(['1', '2', '3']);
    await queue.recoverFailed();
    expect([...own, other].map(({ recoveries }) => recoveries)).toEqual([1, 1, 1, 1]);
  });

  it('adds to each in turn, and finds the shard of a job by its id', async () => {
    const { own, queue } = combine(3);
    for (let time = 0; time < 6; time += 1) await queue.add(batch);
    expect(own.map((shard) => shard.ids.length)).toEqual([2, 2, 2]);
    for (const id of [...ids, ...ids]) await queue.add(batch, id);
    for (const id of ids) expect(own.filter((shard) => shard.ids.includes(id))).toHaveLength(1);
    expect(await queue.losses?.finished([...ids, 'done'])).toEqual(['done']);
  });

  it('counts the losses of all, and reports nothing as finished when one is found meanwhile', async () => {
    const { own, queue } = combine(3);
    const [first, second, third] = own;
    if (!first || !second || !third) throw new Error('three shards');
    second.lossesFound = 2;
    third.whileAsked = () => (third.lossesFound = 1);
    expect(await queue.losses?.finished(ids)).toEqual([]);
    expect(queue.losses?.count()).toBe(3);
    expect(await queue.losses?.finished(ids)).toHaveLength(ids.length);
  });

  it('divides the concurrency, and sums the depth of its shards and of the others that have jobs', async () => {
    const other = fakeShard();
    const { own, queue } = combine(3, async () => [other]);
    const worker = queue.work(ignore, ignore, { concurrency: 32 });
    await expect.poll(() => other.concurrencies).toEqual([4]);
    expect(own.map((shard) => shard.concurrencies)).toEqual([[11], [11], [11]]);
    await queue.add(batch);
    expect(await queue.depth()).toEqual({ waiting: 1, active: 4, delayed: 8, failed: 12 });
    await worker.close();
    expect([...own, other].map((shard) => shard.closedWorkers)).toEqual([1, 1, 1, 1]);
  });

  it('starts no worker on a shard that is found after it was closed', async () => {
    const found = Promise.withResolvers<readonly DeliveryQueue[]>();
    const other = fakeShard();
    const { queue } = combine(1, () => found.promise);
    queue.work(ignore, ignore, { concurrency: 1 });
    await queue.close();
    found.resolve([other]);
    await found.promise;
    await Promise.resolve();
    expect(other.concurrencies).toEqual([]);
  });
});
