// A mirror on Redis and PostgreSQL to measure the whole path with: the servers, `receive` and `work`, and deliveries sent until
// they are rows.
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { startPostgres, type TestPostgres } from '../test/harness/postgres.ts';
import { startRedis, type TestRedis } from '../test/harness/redis.ts';
import { parentOf } from './cpu.ts';
import {
  sendRequests,
  startProduct,
  temporaryFolder,
  type RunningProduct,
  type SendOrder,
  type SendReport,
} from './processes.ts';

export interface Servers extends AsyncDisposable {
  readonly postgres: TestPostgres;
  readonly redis: TestRedis;
  readonly pids: { readonly postgres: number; readonly redis: number };
}

/** Redis with its append-only file and PostgreSQL with fsync. */
export async function startServers(): Promise<Servers> {
  await using stack = new AsyncDisposableStack();
  const redis = stack.use(await startRedis());
  const postgres = stack.use(await startPostgres({ durable: true }));
  await using client = await connect(postgres.url);
  const [row] = await client.rows<{ pid: number }>('select pg_backend_pid() as pid');
  const pids = {
    postgres: parentOf(row?.pid ?? 0),
    redis: Number(/process_id:(\d+)/.exec(await redis.cli('info', 'server'))?.[1]),
  };
  const started = stack.move();
  return { postgres, redis, pids, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

export interface Client extends AsyncDisposable {
  rows<Row>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
}

/** As docs/examples/read-only-role.sql sets up a session. */
export async function connect(url: string): Promise<Client> {
  const client = new pg.Client({ connectionString: url, options: '-c search_path=slotstream,public -c jit=off' });
  await client.connect();
  return {
    rows: async (text, values) => (await client.query({ text, values: [...(values ?? [])] })).rows,
    [Symbol.asyncDispose]: () => client.end(),
  };
}

export interface Mirror extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly database: Client;
  readonly receiver: RunningProduct;
  readonly workers: readonly RunningProduct[];
}

/** As it is deployed on Redis and PostgreSQL, with a new database. */
export async function startMirror({ postgres, redis }: Servers, workerCount = 1): Promise<Mirror> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(temporaryFolder());
  const url = await postgres.createDatabase();
  const start = async (verb: 'receive' | 'work', name: string) =>
    stack.use(
      await startProduct(verb, { QUEUE_URL: redis.url, DATABASE_URL: url, DATA_DIR: `${folder.path}/${name}` }),
    );
  const receiver = await start('receive', 'receiver');
  const workers: RunningProduct[] = [];
  while (workers.length < workerCount) workers.push(await start('work', `worker-${workers.length + 1}`));
  const database = stack.use(await connect(url));
  const started = stack.move();
  return {
    url,
    port: receiver.port,
    database,
    receiver,
    workers,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** Sends requests and waits until the log has `expected` more entries, which is then when it ended. */
export async function sendUntilStored(
  database: Client,
  order: SendOrder,
  expected = order.requests.length,
): Promise<SendReport> {
  const [last] = await database.rows<{ seq: string }>('select coalesce(max(seq), 0) as seq from event_log');
  const stored = async (): Promise<number> => {
    const query = 'select count(*) as entries from event_log where seq > $1';
    return Number((await database.rows<{ entries: string }>(query, [last?.seq]))[0]?.entries);
  };
  const report = await sendRequests(order);
  for (const endBy = Date.now() + 120_000; (await stored()) < expected; await wait(25))
    if (Date.now() > endBy) throw new Error(`Only ${await stored()} of ${expected} deliveries became rows.`);
  return { ...report, endedAt: performance.timeOrigin + performance.now() };
}
