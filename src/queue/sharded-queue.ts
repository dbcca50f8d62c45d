// One delivery queue over several: the shards. A batch goes to one of them, and a worker takes from all, because no batch depends on
// the order of the others.
import { crc32 } from 'node:zlib';
import { sleepUnlessAborted } from '#src/base/time.ts';
import type { DeliveryQueue, LossDetection, QueueDepth, QueueJob, QueueWorker } from './contract.ts';

export interface Shards {
  /** The shards that batches are added to, at least one, on the same engine. */
  readonly own: readonly DeliveryQueue[];
  /** Further shards that have jobs: this process was started with fewer shards than the one that added them. Never rejects. */
  others(): Promise<readonly DeliveryQueue[]>;
  /** Closes all shards. */
  close(): Promise<void>;
}

const searchMs = 10_000;
/** How much of the concurrency another shard gets: little, because there may be many, and each running job takes memory. */
const shareOfOther = 1 / 8;

export function combineShards({ own, others, close }: Shards): DeliveryQueue {
  const [first] = own;
  if (first === undefined) throw new RangeError('a queue has at least one shard');
  const workers = new Set<QueueWorker>();
  let added = 0;
  /** The receiver asks for a job by its id, and adds it again under the same id: the id decides. */
  const shardOf = (jobId: string): number => crc32(jobId) % own.length;
  const next = (): number => (added += 1) % own.length;
  const losses = combineLosses(own, shardOf);
  return {
    engine: first.engine,
    add: (batch, jobId) => (own[jobId === undefined ? next() : shardOf(jobId)] ?? first).add(batch, jobId),
    ...(losses && { losses }),
    work: (processor, quarantine, { concurrency, mayTake }) => {
      const worker = workOn({ own, others }, (shard) => {
        const share = own.includes(shard) ? 1 / own.length : shareOfOther;
        return shard.work(processor, quarantine, { concurrency: Math.ceil(concurrency * share), mayTake });
      });
      workers.add(worker);
      return worker;
    },
    depth: async () => {
      const [mine, theirs] = await Promise.all([depthsOf(own), others().then(depthsOf)]);
      return [...mine, ...theirs].reduce(sumOf);
    },
    jobs: async (state, limit) => {
      const lists = await Promise.all([...own, ...(await others())].map((shard) => shard.jobs(state, limit)));
      return lists
        .flat()
        .toSorted((one, other) => orderOf(one) - orderOf(other))
        .slice(0, limit);
    },
    recoverFailed: async () => {
      await Promise.all([...own, ...(await others())].map((shard) => shard.recoverFailed()));
    },
    // One shard checks the whole engine.
    check: () => first.check(),
    ping: async () => void (await Promise.all(own.map((shard) => shard.ping()))),
    close: async () => {
      await Promise.all([...workers].map((worker) => worker.close()));
      await close();
    },
  };
}

/**
 * Starts a worker on each shard, and on every other shard that is found to have jobs. Such a shard keeps its worker until the process
 * ends: its jobs may come from receivers that were started with more shards and go on adding to it.
 */
function workOn({ own, others }: Pick<Shards, 'own' | 'others'>, start: (shard: DeliveryQueue) => QueueWorker) {
  const workers = new Map(own.map((shard) => [shard, start(shard)]));
  const stopping = new AbortController();
  async function search(): Promise<void> {
    while (!stopping.signal.aborted) {
      // The workers report an engine that does not answer.
      const found = await others().catch(() => []);
      for (const shard of found) if (!stopping.signal.aborted && !workers.has(shard)) workers.set(shard, start(shard));
      await sleepUnlessAborted(searchMs, stopping.signal, { ref: false });
    }
  }
  void search();
  return {
    close: async () => {
      stopping.abort();
      await Promise.all([...workers.values()].map((worker) => worker.close()));
    },
  };
}

/** A loss in one shard counts for all: adding a job again changes nothing while it is in the queue. */
function combineLosses(own: readonly DeliveryQueue[], shardOf: (jobId: string) => number): LossDetection | undefined {
  const parts = own.flatMap(({ losses }) => losses ?? []);
  if (parts.length < own.length) return undefined;
  const count = (): number => parts.reduce((sum, part) => sum + part.count(), 0);
  return {
    count,
    async finished(jobIds) {
      const before = count();
      // Also shards without such a job: each has to find its own losses.
      const found = await Promise.all(
        parts.map((part, shard) => part.finished(jobIds.filter((id) => shardOf(id) === shard))),
      );
      return count() === before ? found.flat() : [];
    },
  };
}

const orderOf = ({ dueMs, addedMs }: QueueJob): number => dueMs ?? addedMs ?? 0;

const depthsOf = (shards: readonly DeliveryQueue[]) => Promise.all(shards.map((shard) => shard.depth()));

function sumOf(one: QueueDepth, other: QueueDepth): QueueDepth {
  return {
    waiting: one.waiting + other.waiting,
    active: one.active + other.active,
    delayed: one.delayed + other.delayed,
    failed: one.failed + other.failed,
  };
}
