// Redis with a replica that can be cut off, under Sentinel or in a Cluster: for failovers that lose what was acknowledged.
import { freePort, until } from './ports.ts';
import { startRedis, type TestRedis } from './redis.ts';

export type Failover = ReturnType<typeof failover>;

const replication = { user: 'replication', password: 'of-the-replica' } as const;
const asReplica = ['--masteruser', replication.user, '--masterauth', replication.password] as const;

async function allowReplica({ cli }: TestRedis): Promise<void> {
  await cli('acl', 'setuser', replication.user, 'on', `>${replication.password}`, '~*', '&*', '+@all');
}

async function isInSync(replica: TestRedis): Promise<boolean> {
  return (await replica.cli('info', 'replication')).includes('master_link_status:up');
}

/** A Sentinel that promotes a replica closes its connections, this one too. */
const isMaster = async ({ cli }: TestRedis): Promise<boolean> =>
  (await cli('info', 'replication').catch(() => '')).includes('role:master');

/** `url` is for QUEUE_URL. */
function failover(url: string, [master, replica]: readonly [TestRedis, TestRedis], resources: AsyncDisposableStack) {
  return {
    url,
    master,
    replica,
    /** From now on the replica gets nothing of what the master accepts. */
    async cutOff(): Promise<void> {
      // Without its user the replica cannot connect again.
      await master.cli('acl', 'setuser', replication.user, 'off');
      await master.cli('client', 'kill', 'type', 'replica');
      await until(async () => !(await isInSync(replica)), 'the replica is cut off');
    },
    /** Kills the master for good and resolves when the replica has taken its place. */
    async loseMaster(): Promise<void> {
      await master.kill9();
      await until(() => isMaster(replica), 'the replica is the master');
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

export async function startSentinelPair({ sentinels: count = 1 } = {}): Promise<Failover> {
  await using started = new AsyncDisposableStack();
  const master = started.use(await startRedis());
  await allowReplica(master);
  const replica = started.use(await startRedis({ args: asReplica }));
  await replica.cli('replicaof', '127.0.0.1', String(master.port));
  await until(() => isInSync(replica), 'the replica is in sync');
  const sentinels: TestRedis[] = [];
  for (let at = 0; at < count; at += 1) sentinels.push(started.use(await startRedis({ sentinelOf: master.port })));
  for (const { cli } of sentinels) {
    await cli('sentinel', 'set', 'mymaster', 'quorum', String(Math.floor(count / 2) + 1));
    // It promotes no replica that was cut off for longer than ten times this, and a busy machine takes seconds to get there.
    await cli('sentinel', 'set', 'mymaster', 'down-after-milliseconds', '4000');
    const known = async (): Promise<string> => cli('sentinel', 'replicas', 'mymaster');
    await until(async () => (await known()).includes(String(replica.port)), 'the Sentinel knows the replica');
    const usable = async (): Promise<string> => cli('sentinel', 'ckquorum', 'mymaster');
    await until(async () => (await usable()).startsWith(`OK ${count} `), 'the Sentinels know each other');
  }
  const url = `redis+sentinel://${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}/mymaster`;
  return failover(url, [master, replica], started.move());
}

type ClusterNode = TestRedis & { readonly bus: number };

/** The slots of three masters, as `redis-cli --cluster create` deals them out. */
const thirds = [
  ['0', '5460'],
  ['5461', '10922'],
  ['10923', '16383'],
] as const;

async function startNodes(count: number, started: AsyncDisposableStack): Promise<readonly ClusterNode[]> {
  const nodes: ClusterNode[] = [];
  for (let at = 0; at < count; at += 1) {
    const bus = await freePort();
    // However long it was cut off, the replica may become master.
    const promotion = { 'node-timeout': 1000, 'replica-validity-factor': 0 };
    const settings = { enabled: 'yes', port: bus, 'announce-ip': '127.0.0.1', ...promotion };
    const args = Object.entries(settings).flatMap(([name, value]) => [`--cluster-${name}`, String(value)]);
    const node = started.use(await startRedis({ args: [...args, ...asReplica] }));
    nodes.push(Object.assign(node, { bus }));
  }
  for (const [at, range] of thirds.entries()) await nodes[at]?.cli('cluster', 'addslotsrange', ...range);
  for (const { port, bus } of nodes) await nodes[0]?.cli('cluster', 'meet', '127.0.0.1', String(port), String(bus));
  const isUp = async ({ cli }: TestRedis): Promise<boolean> => {
    const state = await cli('cluster', 'info');
    return state.includes('cluster_state:ok') && state.includes(`cluster_known_nodes:${count}`);
  };
  for (const node of nodes) await until(() => isUp(node), 'the cluster is up');
  return nodes;
}

const clusterUrl = (nodes: readonly ClusterNode[]): string =>
  `redis+cluster://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;

/** Each master has a third of the slots. */
export async function startCluster() {
  await using started = new AsyncDisposableStack();
  const nodes = await startNodes(thirds.length, started);
  const resources = started.move();
  return {
    url: clusterUrl(nodes),
    moveQueue: () => moveQueue(nodes),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

const slotOf = async ({ cli }: TestRedis): Promise<string> => cli('cluster', 'keyslot', '{slotstream}');

/** Moves the slot with the keys of the queue to another master, as `redis-cli --cluster reshard` does. Answers how many keys moved. */
async function moveQueue(nodes: readonly ClusterNode[]): Promise<number> {
  const [to, , from] = nodes;
  if (!to || !from) throw new Error('three nodes were started');
  const slot = await slotOf(from);
  const [fromId, toId] = [await from.cli('cluster', 'myid'), await to.cli('cluster', 'myid')];
  await to.cli('cluster', 'setslot', slot, 'importing', fromId);
  await from.cli('cluster', 'setslot', slot, 'migrating', toId);
  let moved = 0;
  for (;;) {
    const keys = (await from.cli('cluster', 'getkeysinslot', slot, '20')).split('\n').filter((key) => key !== '');
    if (keys.length === 0) break;
    const answer = await from.cli('migrate', '127.0.0.1', String(to.port), '', '0', '5000', 'keys', ...keys);
    if (!/^(OK|NOKEY)/.test(answer)) throw new Error(`keys cannot be moved: ${answer}`);
    moved += keys.length;
  }
  for (const { cli } of nodes) await cli('cluster', 'setslot', slot, 'node', toId);
  const hasIt = (await to.cli('cluster', 'countkeysinslot', slot)) !== '0';
  if (!hasIt) throw new Error('the slot has no keys after the move');
  return moved;
}

/** Three masters; the one that holds the keys of the queue has a replica. */
export async function startClusterWithReplica(): Promise<Failover> {
  await using started = new AsyncDisposableStack();
  const nodes = await startNodes(thirds.length + 1, started);
  const [, , master, replica] = nodes;
  if (!master || !replica) throw new Error('four nodes were started');
  const slot = Number(await master.cli('cluster', 'keyslot', '{slotstream}'));
  if (slot < 10923) throw new Error('the third master does not hold the keys of the queue');
  await allowReplica(master);
  await replica.cli('cluster', 'replicate', await master.cli('cluster', 'myid'));
  await until(() => isInSync(replica), 'the replica is in sync');
  return failover(clusterUrl(nodes), [master, replica], started.move());
}
