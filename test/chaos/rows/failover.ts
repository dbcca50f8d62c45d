// Rows about Redis with replicas or several masters: Sentinel and Cluster.
import { startPostgres } from '../../harness/postgres.ts';
import {
  startCluster,
  startClusterWithReplica,
  startSentinelPair,
  type Failover,
  type TestCluster,
} from '../../harness/redis-failover.ts';
import type { OpenEngines } from '../engines.ts';
import { cutOffAndLoseMaster, loseMaster, migrateSlot } from '../faults/redis-failover.ts';
import { scenario, type Scenario } from '../scenario.ts';
import type { Engines } from '../stack.ts';

const withPostgres =
  <R extends { readonly url: string } & AsyncDisposable, E>(
    open: () => Promise<R>,
    named: (redis: R) => E,
  ): OpenEngines<Engines & E> =>
  async (resources) => {
    const redis = resources.use(await open());
    const postgres = resources.use(await startPostgres({ durable: true }));
    const store = await postgres.createDatabase();
    return { ...named(redis), store, settings: { QUEUE_URL: redis.url, DATABASE_URL: store } };
  };

const asFailover = (failover: Failover): { readonly failover: Failover } => ({ failover });
const sentinel = {
  on: 'Redis Sentinel + PostgreSQL',
  engines: withPostgres(() => startSentinelPair({ sentinels: 3 }), asFailover),
};
const clusterWithReplica = {
  on: 'Redis Cluster + PostgreSQL',
  engines: withPostgres(startClusterWithReplica, asFailover),
};
const cluster = {
  on: 'Redis Cluster + PostgreSQL',
  engines: withPostgres(startCluster, (masters: TestCluster) => ({ cluster: masters })),
};

export const failoverRows: readonly Scenario[] = [
  scenario({ ...sentinel, name: 'Sentinel: kill -9 of the master, failover', fault: loseMaster }),
  scenario({
    ...sentinel,
    name: 'Sentinel: replica cut off for 3 s, then the master lost for good',
    fault: (run) => cutOffAndLoseMaster(run, 3_000),
  }),
  scenario({
    ...clusterWithReplica,
    name: 'Cluster: kill -9 of the master that holds the queue, failover',
    fault: loseMaster,
  }),
  scenario({
    ...clusterWithReplica,
    name: 'Cluster: replica cut off for 3 s, then the master lost for good',
    fault: (run) => cutOffAndLoseMaster(run, 3_000),
  }),
  scenario({
    ...cluster,
    name: 'Cluster: the slot of the queue moved to another master',
    fault: (run) => migrateSlot(run, 4_000),
  }),
];
