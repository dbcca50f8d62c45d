// What the shards of the queue change on a Redis Cluster of three masters: jobs added and taken by one process, and how the processor
// time of Redis is spread over the masters. One process has no use for more than one master, so the spread is what tells.
import { setTimeout as wait } from 'node:timers/promises';
import { openQueue } from '#src/queue/registry.ts';
import { startCluster, type TestCluster } from '../test/harness/redis-failover.ts';
import { medianFigure, type Figure, type Measurement } from './measure.ts';
import { cpuSeconds } from './cpu.ts';

const jobs = 6000;
const addedTogether = 64;
const rounds = 3;
const counts = [1, 3] as const;

export const shards: Measurement = {
  name: 'shards',
  about: `${jobs} jobs through a three-node Cluster with ${counts.join(' and ')} shards, ${rounds} rounds`,
  async run() {
    await using cluster = await startCluster();
    const measured = new Map(counts.map((count) => [count, new Array<Round>()]));
    for (let round = 0; round < rounds; round += 1)
      for (const count of counts) measured.get(count)?.push(await runRound(cluster, count));
    return [...measured].flatMap(([count, results]): readonly Figure[] => [
      medianFigure(
        `shards.${count}_per_second`,
        results.map(({ perSecond }) => perSecond),
      ),
      medianFigure(
        `shards.${count}_busiest_master`,
        results.map(({ busiest }) => busiest * 100),
        { unit: '% of the CPU time of Redis' },
      ),
    ]);
  },
};

interface Round {
  readonly perSecond: number;
  /** The share of the busiest master. */
  readonly busiest: number;
}

async function runRound(cluster: TestCluster, count: number): Promise<Round> {
  const pids = await Promise.all(
    cluster.masters.map(async ({ cli }) => Number(/process_id:(\d+)/.exec(await cli('info', 'server'))?.[1])),
  );
  const queue = await openQueue({ url: cluster.url, dataDir: '', shards: count, report: () => undefined });
  const before = pids.map(cpuSeconds);
  const startedAt = performance.now();
  let taken = 0;
  queue.work(
    async () => void (taken += 1),
    async () => undefined,
    { concurrency: 32 },
  );
  const delivery = { body: JSON.stringify({ text: 'x'.repeat(1200) }), receivedAt: '2025-04-14T11:42:33.115889Z' };
  let added = 0;
  const addInTurn = async (): Promise<void> => {
    while (added < jobs) await queue.add({ v: 1, deliveries: [delivery] }, `${startedAt}-${(added += 1)}`);
  };
  await Promise.all(Array.from({ length: addedTogether }, addInTurn));
  while (taken < jobs) await wait(5);
  const seconds = (performance.now() - startedAt) / 1000;
  const used = pids.map((pid, at) => cpuSeconds(pid) - (before[at] ?? 0));
  await queue.close();
  return { perSecond: jobs / seconds, busiest: Math.max(...used) / used.reduce((sum, one) => sum + one) };
}
