// Processor time of processes with everything they started, and the servers that a measurement of the whole path stands on.
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { startPostgres, type TestPostgres } from '../test/harness/postgres.ts';
import { startRedis, type TestRedis } from '../test/harness/redis.ts';

/** Linux counts processor time in ticks of a hundredth of a second. */
const ticksPerSecond = 100;

/** Seconds of a process, of its children that ended, and of those that run. */
export function cpuSeconds(pid: number): number {
  try {
    const fields = statFields(pid);
    const own = [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0) / ticksPerSecond;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
    return children.reduce((sum, child) => sum + cpuSeconds(Number(child)), own);
  } catch {
    // It ended between the two reads; its parent then has its time.
    return 0;
  }
}

/** The fields of /proc/PID/stat after the name, which may itself contain spaces. */
function statFields(pid: number): readonly string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

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
  const pids = {
    postgres: await postmasterPid(postgres.url),
    redis: Number(/process_id:(\d+)/.exec(await redis.cli('info', 'server'))?.[1]),
  };
  const kept = stack.move();
  return { postgres, redis, pids, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

async function postmasterPid(url: string): Promise<number> {
  await using client = await connect(url);
  const [row] = await client.rows<{ pid: number }>('select pg_backend_pid() as pid');
  return Number(statFields(row?.pid ?? 0)[1]);
}

export interface Client extends AsyncDisposable {
  rows<Row>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
}

export async function connect(url: string): Promise<Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return {
    rows: async (text, values) => (await client.query({ text, values: [...(values ?? [])] })).rows,
    [Symbol.asyncDispose]: () => client.end(),
  };
}

/** Counts the entries that our log gets from now on. */
export async function countEntries(database: Client): Promise<() => Promise<number>> {
  const [last] = await database.rows<{ seq: string }>('select coalesce(max(seq), 0) as seq from event_log');
  return async () => {
    const query = 'select count(*) as entries from event_log where seq > $1';
    return Number((await database.rows<{ entries: string }>(query, [last?.seq]))[0]?.entries);
  };
}
