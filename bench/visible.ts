// How long a delivery takes from its arrival to its row, at 200 a second, seen by another process: on SQLite and on PostgreSQL.
import { bodies, request } from './deliveries.ts';
import { percentile, type Figure, type Measurement } from './measure.ts';
import { startServers } from './mirror.ts';
import { sendRequests, startProduct, temporaryFolder } from './processes.ts';
import { coldSeconds, postgresLog, sqliteLog, watchLog, type LogReader } from './watch-log.ts';

const perSecond = 200;
const seconds = 12;

export const visible: Measurement = {
  name: 'visible',
  about: `from received to visible at ${perSecond} deliveries/s on Redis with SQLite and with PostgreSQL`,
  drivesProcesses: true,
  async run() {
    await using servers = await startServers();
    const url = await servers.postgres.createDatabase();
    return [
      ...(await visibleOn('', { queue: servers.redis.url, open: async (folder) => sqliteLog(folder) })),
      ...(await visibleOn('postgres_', {
        queue: servers.redis.url,
        database: url,
        open: () => postgresLog(url),
      })),
    ];
  },
};

interface Mirror {
  readonly queue: string;
  readonly database?: string;
  open(folder: string): Promise<LogReader>;
}

async function visibleOn(prefix: string, { queue, database, open }: Mirror): Promise<readonly Figure[]> {
  using folder = temporaryFolder();
  const env = { DATA_DIR: folder.path, QUEUE_URL: queue };
  await using product = await startProduct('start', database === undefined ? env : { ...env, DATABASE_URL: database });
  await using reader = await open(folder.path);
  const watch = await watchLog(reader, 2);
  const requests = bodies(perSecond * seconds, 5).map(request);
  const { dueAt } = await sendRequests({ port: product.port, requests, connections: 32, perSecond });
  const { delays, missing } = await watch.end(dueAt, 10_000);
  if (missing > 0) process.stderr.write(`visible: ${missing} of ${requests.length} are still waiting\n`);
  const cold = delays.slice(0, perSecond * coldSeconds);
  const settled = delays.slice(perSecond * coldSeconds);
  return [
    { name: `visible.${prefix}p99_of_first_seconds_ms`, value: percentile(cold, 0.99) },
    { name: `visible.${prefix}p50_ms`, value: percentile(settled, 0.5) },
    { name: `visible.${prefix}p99_ms`, value: percentile(settled, 0.99), limit: ['<=', 100] },
  ];
}
