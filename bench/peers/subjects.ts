// What is compared: our `receive` and `work`, and each sync engine behind its adapter. All stand on one PostgreSQL, each in its own database.
import { spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort, until } from '../../test/harness/ports.ts';
import { connect, countEntries, cpuSeconds, type Client, type Servers } from '../cpu.ts';
import { percentile } from '../measure.ts';
import { runningChild, startProduct, temporaryFolder } from '../processes.ts';
import { sendRequests } from '../requests.ts';
import { contactUri, customerId, ourRequest, stripeRequest, type Change } from './events.ts';
import { installPeer, peers, type PeerName } from './install.ts';

export type SubjectName = 'ours' | PeerName;

export interface Subject extends AsyncDisposable {
  readonly name: SubjectName;
  readonly title: string;
  readonly port: number;
  readonly database: Client;
  /** Everything that works for it, PostgreSQL and Redis included. */
  readonly pids: readonly number[];
  toRequest(change: Change): Buffer;
  /** Counts the changes committed from now on; undefined where the response itself says that the row is committed. */
  readonly countCommits: (() => Promise<() => Promise<number>>) | undefined;
  /** The name of each of these rows that exists and is not deleted. */
  names(rows: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

export async function startOurs({ postgres, redis, pids }: Servers): Promise<Subject> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(temporaryFolder());
  const url = await postgres.createDatabase();
  const env = { QUEUE_URL: redis.url, DATABASE_URL: url };
  // As it is deployed on Redis and PostgreSQL.
  const receiver = stack.use(await startProduct('receive', { ...env, DATA_DIR: `${folder.path}/receiver` }));
  const worker = stack.use(await startProduct('work', { ...env, DATA_DIR: `${folder.path}/worker` }));
  const database = stack.use(await connect(url));
  const kept = stack.move();
  return {
    name: 'ours',
    title: 'Slotstream (`receive` and `work`)',
    port: receiver.port,
    database,
    pids: [receiver.pid, worker.pid, pids.postgres, pids.redis],
    toRequest: ourRequest,
    countCommits: () => countEntries(database),
    names: (rows) =>
      namesFrom(database, {
        query: 'select uri as id, name from contacts where deleted_at is null and uri = any($1)',
        ids: new Map(rows.map((row) => [contactUri(row), row])),
      }),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

export async function startPeer(name: PeerName, { postgres, pids }: Servers): Promise<Subject> {
  const folder = installPeer(name);
  await using stack = new AsyncDisposableStack();
  const [url, port] = [await postgres.createDatabase(), await freePort()];
  const args = ['bench/peers/adapter.ts', name, folder, String(port), url];
  const running = stack.use(
    runningChild(spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] }), port),
  );
  const probe = `http://127.0.0.1:${port}/`;
  await until(async () => (await fetch(probe).catch(() => undefined))?.ok === true, `${name} is ready`);
  const database = stack.use(await connect(url));
  const kept = stack.move();
  return {
    name,
    title: `\`${peers[name].package}\` ${peers[name].version}`,
    port,
    database,
    pids: [running.pid, pids.postgres],
    toRequest: stripeRequest,
    countCommits: undefined,
    names: (rows) =>
      namesFrom(database, {
        query: 'select id, name from stripe.customers where deleted is not true and id = any($1)',
        ids: new Map(rows.map((row) => [customerId(row), row])),
      }),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

async function namesFrom(
  database: Client,
  { query, ids }: { readonly query: string; readonly ids: ReadonlyMap<string, string> },
): Promise<ReadonlyMap<string, string>> {
  const found = await database.rows<{ id: string; name: string }>(query, [[...ids.keys()]]);
  return new Map(found.map(({ id, name }) => [ids.get(id) ?? id, name]));
}

export interface Driven {
  readonly committedPerSecond: number;
  readonly respondedPerSecond: number;
  readonly cpuUs: number;
  /** Of the responses. */
  readonly p99Ms: number;
}

/** Sends these changes and waits until each is committed. */
export async function drive(
  subject: Subject,
  changes: readonly Change[],
  pace: { readonly connections: number; readonly perSecond?: number },
): Promise<Driven & { readonly dueAt: readonly number[] }> {
  const requests = changes.map((change) => subject.toRequest(change));
  const committed = await subject.countCommits?.();
  const cpu = (): number => subject.pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0);
  const cpuBefore = cpu();
  const sent = await sendRequests({ port: subject.port, requests, ...pace });
  let endedAt = sent.endedAt;
  if (committed !== undefined) {
    const endBy = Date.now() + 60_000;
    // A delivery that comes twice is recorded once.
    const expected = new Set(changes).size;
    while ((await committed()) < expected) {
      if (Date.now() > endBy) throw new Error(`${subject.name} did not commit every change`);
      await wait(25);
    }
    endedAt = performance.timeOrigin + performance.now();
  }
  const seconds = (endedAt - sent.startedAt) / 1000;
  return {
    committedPerSecond: changes.length / seconds,
    respondedPerSecond: (changes.length * 1000) / (sent.endedAt - sent.startedAt),
    cpuUs: ((cpu() - cpuBefore) * 1e6) / changes.length,
    p99Ms: percentile(sent.latencies, 0.99),
    dueAt: sent.dueAt,
  };
}
