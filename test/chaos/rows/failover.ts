// Rows about Redis with a replica, under Sentinel or in a Cluster: a master is lost that its replica lags behind.
import { succeeds } from '../../harness/ports.ts';
import { startPostgres } from '../../harness/postgres.ts';
import type { TestRedis } from '../../harness/redis.ts';
import {
  startCluster,
  startClusterWithReplica,
  startSentinelPair,
  type Failover,
} from '../../harness/redis-failover.ts';
import type { InstallationOf } from '../engines.ts';
import { requireFault, seconds, whileFrozen } from '../faults/evidence.ts';
import { scenario, type Run, type Scenario } from '../scenario.ts';
import type { Engines } from '../stack.ts';
import { infoOf, waitingJobs } from './redis.ts';

interface WithReplica extends Engines {
  readonly queue: Failover;
}

/** With PostgreSQL as the store. */
const queueOf = (kind: string, start: () => Promise<Failover>): InstallationOf<WithReplica> => ({
  on: `Redis ${kind} + PostgreSQL`,
  async open(resources) {
    const queue = resources.use(await start());
    const store = await resources.use(await startPostgres({ durable: true })).createDatabase();
    return { queue, store, settings: { QUEUE_URL: queue.url, DATABASE_URL: store } };
  },
});

async function loseMaster({ engines: { queue: failover }, load }: Run<WithReplica>): Promise<string> {
  const { master, replica } = failover;
  requireFault((await infoOf(replica, 'replication', 'role')) === 'slave', 'the replica is none');
  const before = load.accepted();
  const killedMs = Date.now();
  await failover.loseMaster();
  const tookMs = Date.now() - killedMs;
  requireFault(!(await succeeds(master.cli('ping'))), 'the master still answers');
  return `the replica is master after ${seconds(tookMs)}, ${load.accepted() - before} acknowledged meanwhile`;
}

/** Workers are frozen, so that what is acknowledged during the cut waits in the master that will be lost. */
function cutOffAndLoseMaster(run: Run<WithReplica>): Promise<string> {
  const failover = run.engines.queue;
  return whileFrozen(run.stack.workers, async () => {
    await failover.cutOff();
    const earlier = new Set(await waitingJobs(failover.master));
    const before = run.load.accepted();
    await run.wait(3_000);
    const accepted = run.load.accepted() - before;
    const jobs = (await waitingJobs(failover.master)).filter((id) => !earlier.has(id));
    const [sent, received] = await Promise.all([failover.master, failover.replica].map(offsetOf));
    requireFault(jobs.length > 0, 'no job was added during the cut');
    requireFault(Number(sent) > Number(received), 'the replica has everything');
    const behind = `${jobs.length} waiting jobs and ${Number(sent) - Number(received)} bytes that the replica did not get`;
    return `${accepted} acknowledged during the cut, ${behind}; ${await loseMaster(run)}`;
  });
}

const offsetOf = (redis: TestRedis): Promise<string> => infoOf(redis, 'replication', 'master_repl_offset');

interface InCluster extends Engines {
  readonly cluster: Awaited<ReturnType<typeof startCluster>>;
}

const cluster: InstallationOf<InCluster> = {
  on: 'Redis Cluster + PostgreSQL',
  async open(resources) {
    const cluster = resources.use(await startCluster());
    const store = await resources.use(await startPostgres({ durable: true })).createDatabase();
    return { cluster, store, settings: { QUEUE_URL: cluster.url, DATABASE_URL: store } };
  },
};

async function moveSlot({ engines, load, wait }: Run<InCluster>): Promise<string> {
  const before = load.accepted();
  const keys = await engines.cluster.moveQueue();
  await wait(3_000);
  requireFault(keys > 0, 'no key was moved');
  return `${keys} keys moved, ${load.accepted() - before} acknowledged meanwhile`;
}

export const failoverRows: readonly Scenario[] = [
  scenario('the slot of the queue moves to another master', cluster, moveSlot),
  ...[queueOf('Sentinel', () => startSentinelPair({ sentinels: 3 })), queueOf('Cluster', startClusterWithReplica)].map(
    (on) => scenario('replica cut off for 3 s, then the master lost for good', on, cutOffAndLoseMaster),
  ),
];
