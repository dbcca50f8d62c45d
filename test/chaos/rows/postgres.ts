// Rows about PostgreSQL, as the store alone and as queue and store: killed, restarted, away, unreachable, without a free connection.
import pg from 'pg';
import { succeeds, until } from '../../harness/ports.ts';
import { createDatabase, startPostgres, type ShutdownMode, type TestPostgres } from '../../harness/postgres.ts';
import { startRedis } from '../../harness/redis.ts';
import { openProxy, type TestProxy } from '../../harness/silent-proxy.ts';
import { postgresAlone, redisAndPostgres, type InstallationOf, type WithPostgres } from '../engines.ts';
import { diskLogBytes, kib, requireFault, seconds, whileUnreachable } from '../faults/evidence.ts';
import { ask } from '../oracle/read.ts';
import { scenario, type Run, type Scenario } from '../scenario.ts';

type PostgresRun = Run<WithPostgres>;

interface Outage {
  readonly mode: ShutdownMode;
  readonly awayMs: number;
  readonly times?: number;
  /** Between the end of one outage and the next. */
  readonly apartMs?: number;
}

/** Takes the server away and brings it back, on the same data and port. */
async function takeAway(run: PostgresRun, { mode, awayMs, times = 1, apartMs = 0 }: Outage): Promise<string> {
  const { postgres, store, settings } = run.engines;
  // Then deliveries must be accepted by the disk log.
  const isQueue = settings['QUEUE_URL'] === store;
  const seen: string[] = [];
  for (let time = 0; time < times; time += 1) {
    if (time > 0) await run.wait(apartMs);
    const before = await startOf(postgres);
    const crashes = countOf(postgres.log(), crashRecovery);
    const acceptedBefore = run.load.accepted();
    await postgres.halt(mode);
    const goneMs = Date.now();
    await run.wait(awayMs);
    const onDisk = await diskLogBytes(run.stack.receivers);
    const isThere = await succeeds(startOf(postgres));
    await postgres.restart();
    const backMs = Date.now() - goneMs;
    const accepted = run.load.accepted() - acceptedBefore;
    const after = await startOf(postgres);
    requireFault(!isThere && before !== after, 'the server was not away');
    // What the server prints may arrive after its first answer.
    const hasCrashed = (): boolean => mode === 'fast' || countOf(postgres.log(), crashRecovery) > crashes;
    await until(hasCrashed, 'the server prints that it recovers', 10_000).catch(() => undefined);
    requireFault(hasCrashed(), 'the server found that it had been shut down properly');
    if (awayMs > 0 && accepted === 0) throw new Error('nothing was acknowledged while PostgreSQL was away');
    requireFault(awayMs === 0 || !isQueue || onDisk > 0, 'nothing was in the disk log');
    const text = isQueue ? `, ${kib(onDisk)} in the disk log` : '';
    seen.push(`${seconds(backMs)} away, ${accepted} acknowledged meanwhile${text}`);
  }
  const recovery = mode === 'fast' ? '' : ', after crash recovery each time';
  return `${seen.join('; ')}; pg_postmaster_start_time() changed${recovery}`;
}

const crashRecovery = 'automatic recovery in progress';

const countOf = (text: string, part: string): number => text.split(part).length - 1;

async function startOf({ url }: TestPostgres): Promise<string> {
  const [row] = await ask<{ at: string }>(url, 'select pg_postmaster_start_time()::text as at');
  return row?.at ?? '';
}

/** The role of the product where `exhaustConnections` is used: a superuser could use the reserved connections. */
const productRole = 'slotstream';
const crowdRole = 'crowd';

/** Settings and statements that `exhaustConnections` needs. */
const crowded = {
  settings: { max_connections: '60', superuser_reserved_connections: '3', log_line_prefix: '%u ' },
  roles: `create role ${productRole} login; create role ${crowdRole} login;`,
} as const;

/** Ends every connection of the product and takes all free ones before it can come back, for at least `forMs` in one piece. */
async function exhaustConnections(run: PostgresRun, forMs: number): Promise<string> {
  const { postgres } = run.engines;
  const crowd: pg.Client[] = [];
  const monitor = new pg.Client({ connectionString: postgres.url });
  await monitor.connect();
  const countProduct = async (): Promise<number> => {
    const { rows } = await monitor.query<{ count: number }>(
      'select count(*)::int as count from pg_stat_activity where usename = $1',
      [productRole],
    );
    return rows[0]?.count ?? 0;
  };
  const refused = (): number =>
    postgres
      .log()
      .split('\n')
      .filter((line) => line.startsWith(`${productRole} `) && /too many clients|slots are reserved/.test(line)).length;
  const had = await countProduct();
  const refusedBefore = refused();
  const acceptedBefore = run.load.accepted();
  const limitMs = Date.now() + 3 * forMs;
  try {
    let sinceMs = Date.now();
    while (Date.now() - sinceMs < forMs) {
      requireFault(Date.now() < limitMs, `the product was never without a connection for ${forMs} ms`);
      if ((await countProduct()) > 0) {
        await monitor.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [productRole]);
        await fill(crowd, postgres.url);
        sinceMs = Date.now();
      } else await run.wait(50);
    }
    const answers = refused() - refusedBefore;
    requireFault(answers > 0, 'no connection of the product was refused');
    const accepted = run.load.accepted() - acceptedBefore;
    return `${had} connections ended, ${crowd.length} others took all; then the product had 0 for ${forMs / 1000} s and was refused ${answers} times (too many clients), ${accepted} acknowledged meanwhile`;
  } finally {
    await Promise.all([monitor, ...crowd].map((client) => client.end().catch(() => undefined)));
  }
}

/** Opens connections until the server refuses one. */
async function fill(crowd: pg.Client[], serverUrl: string): Promise<void> {
  const url = new URL(serverUrl);
  url.username = crowdRole;
  const lane = async (): Promise<void> => {
    for (;;) {
      const client = new pg.Client({ connectionString: url.href });
      client.on('error', () => undefined);
      try {
        await client.connect();
      } catch {
        return;
      }
      crowd.push(client);
    }
  };
  await Promise.all(Array.from({ length: 8 }, lane));
}

const fewConnections: InstallationOf<WithPostgres> = {
  on: redisAndPostgres.on,
  async open(resources) {
    const redis = resources.use(await startRedis());
    const postgres = resources.use(await startPostgres({ durable: true, settings: crowded.settings }));
    await ask(postgres.url, crowded.roles);
    const store = await createDatabase(postgres.url, `owner ${productRole}`);
    const product = new URL(store);
    product.username = productRole;
    return { postgres, store, settings: { QUEUE_URL: redis.url, DATABASE_URL: product.href } };
  },
};

interface BehindProxy extends WithPostgres {
  readonly proxy: TestProxy;
}

/** Everything the product sends to PostgreSQL passes the proxy; the oracle has a direct connection. */
const behindProxy = ({ on, open }: InstallationOf<WithPostgres>): InstallationOf<BehindProxy> => ({
  on,
  async open(resources) {
    const engines = await open(resources);
    const proxy = resources.use(await openProxy(engines.store));
    const through = ([name, url]: [string, string]) => [name, url === engines.store ? proxy.url : url];
    return { ...engines, proxy, settings: Object.fromEntries(Object.entries(engines.settings).map(through)) };
  },
});

const loseConnections = ({ engines, load, stack, wait }: Run<BehindProxy>): Promise<string> =>
  whileUnreachable(engines.proxy, async () => {
    const acceptedBefore = load.accepted();
    await wait(10_000);
    const onDisk = await diskLogBytes(stack.receivers);
    const text = onDisk > 0 ? `, ${kib(onDisk)} in the disk log` : '';
    return `${load.accepted() - acceptedBefore} acknowledged meanwhile${text}`;
  });

const outage = (name: string, on: InstallationOf<WithPostgres>, how: Outage): Scenario =>
  scenario(name, on, (run) => takeAway(run, how));

export const postgresRows: readonly Scenario[] = [
  ...[redisAndPostgres, postgresAlone].map((on) =>
    outage('kill -9 of PostgreSQL and all its processes, restart after 3 s', on, { mode: 'kill', awayMs: 3_000 }),
  ),
  ...[redisAndPostgres, postgresAlone].map((on) =>
    outage('PostgreSQL immediate restart, twice, 3 s apart', on, {
      mode: 'immediate',
      awayMs: 0,
      times: 2,
      apartMs: 3_000,
    }),
  ),
  outage('PostgreSQL 15 s away', redisAndPostgres, { mode: 'fast', awayMs: 15_000 }),
  outage('PostgreSQL 30 s away', postgresAlone, { mode: 'fast', awayMs: 30_000 }),
  scenario('no free connection of PostgreSQL (max_connections) for 15 s', fewConnections, (run) =>
    exhaustConnections(run, 15_000),
  ),
  ...[redisAndPostgres, postgresAlone].map((on) =>
    scenario(
      'connections to PostgreSQL pass nothing any more; new ones neither for 10 s',
      behindProxy(on),
      loseConnections,
    ),
  ),
];
