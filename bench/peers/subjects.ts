// What is compared: our `receive` and `work` on Redis, our `start` with its embedded queue, and each sync engine behind its
// adapter. All write to one PostgreSQL, each into its own database.
import { cpuSecondsOfAll } from '../cpu.ts';
import { percentile } from '../measure.ts';
import { connect, sendUntilStored, startMirror, type Client, type Servers } from '../mirror.ts';
import { sendRequests, startProduct, startServer, temporaryFolder } from '../processes.ts';
import { contactUri, customerId, ourRequest, stripeRequest, type Change } from './events.ts';
import { installPeer, type PeerName } from './install.ts';

export type OurName = 'ours' | 'single';
export type SubjectName = OurName | PeerName;

export interface Subject extends AsyncDisposable {
  readonly name: SubjectName;
  /** Ours answer before the commit, the others after it. */
  readonly isOurs: boolean;
  readonly port: number;
  readonly database: Client;
  /** Everything that works for it, PostgreSQL and Redis included. */
  readonly pids: readonly number[];
  /** The name of each of these rows that exists and is not deleted. */
  names(rows: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

const ourContacts = {
  query: 'select uri as id, name from contacts where deleted_at is null and uri = any($1)',
  idOf: contactUri,
};

export async function startSeparate(servers: Servers): Promise<Subject> {
  const { port, database, receiver, workers, [Symbol.asyncDispose]: stop } = await startMirror(servers);
  return {
    name: 'ours',
    isOurs: true,
    port,
    database,
    pids: [receiver, ...workers].map(({ pid }) => pid).concat(Object.values(servers.pids)),
    names: (rows) => namesFrom(database, ourContacts, rows),
    [Symbol.asyncDispose]: stop,
  };
}

export async function startSingle({ postgres, pids }: Servers): Promise<Subject> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(temporaryFolder());
  const url = await postgres.createDatabase();
  const { port, pid } = stack.use(await startProduct('start', { DATABASE_URL: url, DATA_DIR: folder.path }));
  const database = stack.use(await connect(url));
  const started = stack.move();
  return {
    name: 'single',
    isOurs: true,
    port,
    database,
    pids: [pid, pids.postgres],
    names: (rows) => namesFrom(database, ourContacts, rows),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

export async function startPeer(name: PeerName, { postgres, pids }: Servers): Promise<Subject> {
  await using stack = new AsyncDisposableStack();
  const url = await postgres.createDatabase();
  const { port, pid } = stack.use(await startServer('bench/peers/adapter.ts', [], name, installPeer(name), url));
  const database = stack.use(await connect(url));
  const started = stack.move();
  const customers = {
    query: 'select id, name from stripe.customers where deleted is not true and id = any($1)',
    idOf: customerId,
  };
  return {
    name,
    isOurs: false,
    port,
    database,
    pids: [pid, pids.postgres],
    names: (rows) => namesFrom(database, customers, rows),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

async function namesFrom(
  database: Client,
  { query, idOf }: { readonly query: string; readonly idOf: (row: string) => string },
  rows: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const ids = new Map(rows.map((row) => [idOf(row), row]));
  const found = await database.rows<{ id: string; name: string }>(query, [[...ids.keys()]]);
  return new Map(found.map(({ id, name }) => [ids.get(id) ?? id, name]));
}

export interface Drive {
  readonly committedPerSecond: number;
  readonly cpuUs: number;
  /** Of the responses. */
  readonly p99Ms: number;
}

/** Sends these changes and waits until each is committed. */
export async function drive(subject: Subject, changes: readonly Change[], connections: number): Promise<Drive> {
  const { isOurs, port, database, pids } = subject;
  const order = { port, connections, requests: changes.map(isOurs ? ourRequest : stripeRequest) };
  const cpuBefore = cpuSecondsOfAll(pids);
  // A delivery that comes twice is recorded once.
  const report = isOurs ? await sendUntilStored(database, order, new Set(changes).size) : await sendRequests(order);
  return {
    committedPerSecond: (changes.length * 1000) / (report.endedAt - report.startedAt),
    cpuUs: ((cpuSecondsOfAll(pids) - cpuBefore) * 1e6) / changes.length,
    p99Ms: percentile(report.latencies, 0.99),
  };
}
