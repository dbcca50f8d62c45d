// Rows about PostgreSQL, as the store alone and as queue and store: killed, restarted, away, unreachable, without a free connection.
import { succeeds, until } from '../../harness/ports.ts';
import { createDatabase, startPostgres, type ShutdownMode, type TestPostgres } from '../../harness/postgres.ts';
import { startRedis } from '../../harness/redis.ts';
import { openProxy, type TestProxy } from '../../harness/silent-proxy.ts';
import { postgresAlone, redisAndPostgres, type InstallationOf, type WithPostgres } from '../engines.ts';
import { diskLogBytes, kib, requireFault, seconds, whileUnreachable } from '../faults/evidence.ts';
import { ask } from '../oracle/read.ts';
import { scenario, type Run, type Scenario } from '../scenario.ts';

type PostgresRun = Run<WithPostgres>;

/** Takes the server away and brings it back, on the same data and port. */
async function takeAway(run: PostgresRun, mode: ShutdownMode, awayMs: number): Promise<string> {
  const { postgres, store, settings } = run.engines;
  // Then deliveries must be accepted by the disk log.
  const isQueue = settings['QUEUE_URL'] === store;
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
  requireFault(!isThere && before !== (await startOf(postgres)), 'the server was not away');
  // What the server prints may arrive after its first answer.
  const hasCrashed = (): boolean => mode === 'fast' || countOf(postgres.log(), crashRecovery) > crashes;
  await until(hasCrashed, 'the server prints that it recovers', 10_000).catch(() => undefined);
  requireFault(hasCrashed(), 'the server found that it had been shut down properly');
  if (accepted === 0) throw new Error('nothing was acknowledged while PostgreSQL was away');
  requireFault(!isQueue || onDisk > 0, 'nothing was in the disk log');
  const text = isQueue ? `, ${kib(onDisk)} in the disk log` : '';
  const recovery = mode === 'fast' ? '' : ', after crash recovery';
  return `${seconds(backMs)} away, ${accepted} acknowledged meanwhile${text}; pg_postmaster_start_time() changed${recovery}`;
}

const crashRecovery = 'automatic recovery in progress';

const countOf = (text: string, part: string): number => text.split(part).length - 1;

async function startOf({ url }: TestPostgres): Promise<string> {
  const [row] = await ask<{ at: string }>(url, 'select pg_postmaster_start_time()::text as at');
  return row?.at ?? '';
}

/** The role of the product where it may have no connection: no limit holds for a superuser. */
const productRole = 'slotstream';

const fewConnections: InstallationOf<WithPostgres> = {
  on: redisAndPostgres.on,
  async open(resources) {
    const redis = resources.use(await startRedis());
    const postgres = resources.use(await startPostgres({ durable: true }));
    await ask(postgres.url, `create role ${productRole} login`);
    const store = await createDatabase(postgres.url, `owner ${productRole}`);
    const product = new URL(store);
    product.username = productRole;
    return { postgres, store, settings: { QUEUE_URL: redis.url, DATABASE_URL: product.href } };
  },
};

/** Ends every connection of the product and refuses it others, with the code that a server without a free connection has (53300). */
async function refuseConnections({ engines: { postgres }, load, wait }: PostgresRun, forMs: number): Promise<string> {
  const limit = (count: number) => ask(postgres.url, `alter role ${productRole} connection limit ${count}`);
  const refused = (): number => countOf(postgres.log(), `too many connections for role "${productRole}"`);
  const [refusedBefore, acceptedBefore] = [refused(), load.accepted()];
  await limit(0);
  const ended = await ask(
    postgres.url,
    `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${productRole}'`,
  );
  await wait(forMs);
  const left = await ask(postgres.url, `select pid from pg_stat_activity where usename = '${productRole}'`);
  await limit(-1);
  const answers = refused() - refusedBefore;
  requireFault(ended.length > 0 && left.length === 0, `of ${ended.length} connections, ${left.length} are there`);
  requireFault(answers > 0, 'no connection of the product was refused');
  const accepted = load.accepted() - acceptedBefore;
  return `${ended.length} connections ended; then the product had 0 for ${forMs / 1000} s and was refused ${answers} times, ${accepted} acknowledged meanwhile`;
}

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

const crash = 'kill -9 of PostgreSQL and all its processes, restart after 3 s';
const unreachable = 'connections to PostgreSQL pass nothing any more; new ones neither for 10 s';
const refused = 'no free connection of PostgreSQL (limit of its role) for 15 s';

export const postgresRows: readonly Scenario[] = [
  ...[redisAndPostgres, postgresAlone].flatMap((on) => [
    scenario<WithPostgres>(crash, on, (run) => takeAway(run, 'kill', 3_000)),
    scenario(unreachable, behindProxy(on), loseConnections),
  ]),
  scenario('PostgreSQL 15 s away', redisAndPostgres, (run) => takeAway(run, 'fast', 15_000)),
  scenario('PostgreSQL 30 s away', postgresAlone, (run) => takeAway(run, 'fast', 30_000)),
  scenario(refused, fewConnections, (run) => refuseConnections(run, 15_000)),
];
