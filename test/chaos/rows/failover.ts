// Rows about Redis with replicas or several masters: a master is lost, also one that its replica lags behind, and a slot moves to another.
import { succeeds } from '../../harness/ports.ts';
import { startPostgres } from '../../harness/postgres.ts';
import type { TestRedis } from '../../harness/redis.ts';
import {
  startCluster,
  startClusterWithReplica,
  startSentinelPair,
  type Failover,
  type TestCluster,
} from '../../harness/redis-failover.ts';
import type { InstallationOf } from '../engines.ts';
import { requireFault, seconds, whileFrozen } from '../faults/evidence.ts';
import { scenario, type Run, type Scenario } from '../scenario.ts';
import type { Engines } from '../stack.ts';
import { errorsOf, infoOf, waitingJobs } from './redis.ts';

/** With PostgreSQL as the store. */
const queueOf = <R extends { readonly url: string } & AsyncDisposable>(
  kind: string,
  start: () => Promise<R>,
): InstallationOf<Engines & { readonly queue: R }> => ({
  on: `Redis ${kind} + PostgreSQL`,
  async open(resources) {
    const queue = resources.use(await start());
    const store = await resources.use(await startPostgres({ durable: true })).createDatabase();
    return { queue, store, settings: { QUEUE_URL: queue.url, DATABASE_URL: store } };
  },
});

type FailoverRun = Run<Engines & { readonly queue: Failover }>;

async function loseMaster({ engines: { queue: failover }, load }: FailoverRun): Promise<string> {
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
function cutOffAndLoseMaster(run: FailoverRun, cutOffMs: number): Promise<string> {
  const failover = run.engines.queue;
  return whileFrozen(run.stack.workers, async () => {
    await failover.cutOff();
    const earlier = new Set(await waitingJobs(failover.master));
    const before = run.load.accepted();
    await run.wait(cutOffMs);
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

type ClusterRun = Run<Engines & { readonly queue: TestCluster }>;

/** As `redis-cli --cluster reshard` does it, slowly: some of its keys are here and some there for seconds. */
async function migrateSlot(run: ClusterRun, forMs: number): Promise<string> {
  const { masters } = run.engines.queue;
  const [first] = masters;
  const slot = (await first?.cli('cluster', 'keyslot', '{slotstream}')) ?? '';
  const ids = await Promise.all(masters.map(({ cli }) => cli('cluster', 'myid')));
  const from = await ownerAt(masters, slot);
  const to = (from + 1) % masters.length;
  const [source, target] = [masters[from], masters[to]];
  if (!source || !target) throw new Error('the slot of the queue has no owner');
  await target.cli('cluster', 'setslot', slot, 'importing', ids[from] ?? '');
  await source.cli('cluster', 'setslot', slot, 'migrating', ids[to] ?? '');
  const before = run.load.accepted();
  const beganMs = Date.now();
  let moved = 0;
  for (let keys = await keysOf(source, slot); keys.length > 0; keys = await keysOf(source, slot)) {
    // In the last third all of them, however many there are.
    const isLate = Date.now() - beganMs > (forMs * 2) / 3;
    const chosen = keys.filter(() => isLate || run.random.chance(0.3));
    if (chosen.length > 0) {
      const address = ['127.0.0.1', String(target.port), '', '0', '5000'];
      const answer = await source.cli('migrate', ...address, 'keys', ...chosen);
      if (answer !== 'OK' && answer !== 'NOKEY') throw new Error(`MIGRATE answered ${answer}`);
      moved += chosen.length;
    }
    await run.wait(forMs / 6);
  }
  const tookMs = Date.now() - beganMs;
  for (const { cli } of [target, source, ...masters]) await cli('cluster', 'setslot', slot, 'node', ids[to] ?? '');
  const redirected = (await Promise.all([source, target].map(redirections))).reduce((sum, count) => sum + count, 0);
  requireFault(moved > 0, 'the slot had no keys');
  requireFault(redirected > 0, 'no command met the moving slot');
  requireFault((await ownerAt(masters, slot)) === to, 'the slot has not moved');
  const accepted = run.load.accepted() - before;
  return `slot ${slot} moved from master ${from + 1} to master ${to + 1} with ${moved} keys in ${seconds(tookMs)}; ${redirected} commands got ASK or TRYAGAIN, ${accepted} acknowledged meanwhile`;
}

/** Commands that met a slot of which only a part is here. */
async function redirections(redis: TestRedis): Promise<number> {
  const [asked, again] = await Promise.all(['ASK', 'TRYAGAIN'].map((kind) => errorsOf(redis, kind)));
  return (asked ?? 0) + (again ?? 0);
}

/** The master that answers for a slot without a redirection. */
async function ownerAt(masters: readonly TestRedis[], slot: string): Promise<number> {
  const views = await Promise.all(masters.map(({ cli }) => cli('cluster', 'nodes')));
  return views.findIndex((view) => {
    const own = view.split('\n').find((line) => line.includes('myself')) ?? '';
    return own
      .split(' ')
      .slice(8)
      .some((range) => {
        const [start = '', end = start] = range.split('-');
        return Number(start) <= Number(slot) && Number(slot) <= Number(end);
      });
  });
}

async function keysOf({ cli }: TestRedis, slot: string): Promise<readonly string[]> {
  return (await cli('cluster', 'getkeysinslot', slot, '1000')).split('\n').filter((key) => key !== '');
}

const sentinel = queueOf('Sentinel', () => startSentinelPair({ sentinels: 3 }));
const replicated = queueOf('Cluster', startClusterWithReplica);
const cutOff = (run: FailoverRun): Promise<string> => cutOffAndLoseMaster(run, 3_000);

export const failoverRows: readonly Scenario[] = [
  scenario('Sentinel: kill -9 of the master, failover', sentinel, loseMaster),
  scenario('Sentinel: replica cut off for 3 s, then the master lost for good', sentinel, cutOff),
  scenario('Cluster: kill -9 of the master that holds the queue, failover', replicated, loseMaster),
  scenario('Cluster: replica cut off for 3 s, then the master lost for good', replicated, cutOff),
  scenario('Cluster: the slot of the queue moved to another master', queueOf('Cluster', startCluster), (run) =>
    migrateSlot(run, 4_000),
  ),
];
