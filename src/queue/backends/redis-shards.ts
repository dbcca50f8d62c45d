// The shards of the queue on Redis: BullMQ queues of the same name whose keys are in different slots of a Cluster.
import type { Cluster, Redis } from 'ioredis';
import { createIsolation } from '#src/queue/bullmq/poison-pill.ts';
import type { DeliveryQueue } from '#src/queue/contract.ts';
import { combineShards } from '#src/queue/sharded-queue.ts';

/**
 * The numbers put the shards into slots at equal distances: a third, then a sixth, then a twelfth of all slots. So 3, 6 or 12 shards
 * are spread evenly over 3, 6 or 12 masters with equal ranges of slots. Never change them: they are in the names of stored keys.
 */
const spread = [57, 69, 353, 73, 37, 51, 766, 27, 269, 208, 310];

/** The braces put every key of a shard into one slot, which BullMQ's scripts require. The first is the only one without QUEUE_SHARDS. */
export const shardPrefixes: readonly string[] = [
  '{slotstream}',
  ...spread.map((number, at) => `{slotstream-${at + 1}-${number}}`),
];

export interface RedisShard extends DeliveryQueue {
  /** Whether a shard, given by its prefix, has jobs. */
  hasJobs(prefix: string): Promise<boolean>;
}

export interface ShardInput {
  readonly prefix: string;
  /** One for all shards, because an isolated job must be alone in its process. */
  readonly isolation: ReturnType<typeof createIsolation>;
}

export async function openShards(
  openShard: (input: ShardInput) => Promise<RedisShard>,
  count: number,
): Promise<DeliveryQueue> {
  const isolation = createIsolation();
  const opened = new Map<string, Promise<RedisShard>>();
  let isClosing = false;
  function open(prefix: string): Promise<RedisShard> {
    const shard = opened.get(prefix) ?? openShard({ prefix, isolation });
    opened.set(prefix, shard);
    return shard;
  }
  const own = await Promise.all(shardPrefixes.slice(0, count).map(open));

  async function others(): Promise<readonly DeliveryQueue[]> {
    const found = await Promise.all(
      shardPrefixes.slice(count).map(async (prefix) => ((await own[0]?.hasJobs(prefix)) ? [prefix] : [])),
    );
    return isClosing ? [] : Promise.all(found.flat().map(open));
  }

  async function close(): Promise<void> {
    isClosing = true;
    const shards = await Promise.all(opened.values());
    await Promise.all(shards.map((shard) => shard.close()));
  }
  return combineShards({ own, others, close });
}

const states = ['wait', 'prioritized', 'active', 'delayed', 'failed'];

/** False, too, for a shard that does not answer, or that the user may not read: it is asked again. */
export async function hasJobs(client: Redis | Cluster, queueKey: string): Promise<boolean> {
  const count = client.exists(states.map((state) => `${queueKey}:${state}`));
  return (await count.catch(() => 0)) > 0;
}
