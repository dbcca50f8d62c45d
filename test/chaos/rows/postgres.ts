// Rows about PostgreSQL, as the store alone and as queue and store.
import { createDatabase, startPostgres } from '../../harness/postgres.ts';
import { openProxy, type TestProxy } from '../../harness/silent-proxy.ts';
import { startRedis } from '../../harness/redis.ts';
import { onPostgresAlone, onRedisAndPostgres, type OpenEngines, type WithPostgres } from '../engines.ts';
import { crowded, exhaustConnections, productRole, query, takeAway, type Outage } from '../faults/postgres.ts';
import { kib, diskLogBytes, whileUnreachable } from '../faults/evidence.ts';
import { scenario, type Run, type Scenario } from '../scenario.ts';

const outages: readonly (Omit<Outage, 'isQueue'> & { readonly name: string })[] = [
  { name: 'kill -9 of PostgreSQL and all its processes, restart after 3 s', mode: 'kill', awayMs: 3_000 },
  { name: 'PostgreSQL immediate restart, twice, 3 s apart', mode: 'immediate', awayMs: 0, times: 2, apartMs: 3_000 },
];

const away = (seconds: number) => ({
  name: `PostgreSQL ${seconds} s away`,
  mode: 'fast' as const,
  awayMs: seconds * 1_000,
});

const onBoth = (
  withRedis: Omit<Outage, 'isQueue'> & { readonly name: string },
  alone = withRedis,
): readonly Scenario[] => [
  scenario({
    name: withRedis.name,
    ...onRedisAndPostgres,
    fault: (run) => takeAway(run, { ...withRedis, isQueue: false }),
  }),
  scenario({ name: alone.name, ...onPostgresAlone, fault: (run) => takeAway(run, { ...alone, isQueue: true }) }),
];

const fewConnections: OpenEngines<WithPostgres> = async (resources) => {
  const redis = resources.use(await startRedis());
  const postgres = resources.use(await startPostgres({ durable: true, settings: crowded.settings }));
  await query(postgres.url, crowded.roles);
  const store = await createDatabase(postgres.url, `owner ${productRole}`);
  const product = new URL(store);
  product.username = productRole;
  return { postgres, store, settings: { QUEUE_URL: redis.url, DATABASE_URL: product.href } };
};

interface BehindProxy extends WithPostgres {
  readonly proxy: TestProxy;
}

/** Everything the product sends to PostgreSQL passes the proxy; the oracle has a direct connection. */
const behindProxy =
  (open: OpenEngines<WithPostgres>): OpenEngines<BehindProxy> =>
  async (resources) => {
    const engines = await open(resources);
    const proxy = resources.use(await openProxy(engines.store));
    const settings = Object.entries(engines.settings).map(([name, url]) => [
      name,
      url === engines.store ? proxy.url : url,
    ]);
    return { ...engines, proxy, settings: Object.fromEntries(settings) };
  };

const loseConnections = ({ engines, load, stack, wait }: Run<BehindProxy>): Promise<string> =>
  whileUnreachable(engines.proxy, async () => {
    const acceptedBefore = load.accepted();
    await wait(10_000);
    const onDisk = await diskLogBytes(stack.receivers);
    const text = onDisk > 0 ? `, ${kib(onDisk)} in the disk log` : '';
    return `${load.accepted() - acceptedBefore} acknowledged meanwhile${text}`;
  });

export const postgresRows: readonly Scenario[] = [
  ...outages.flatMap((outage) => onBoth(outage)),
  ...onBoth(away(15), away(30)),
  scenario({
    name: 'no free connection of PostgreSQL (max_connections) for 15 s',
    on: 'Redis + PostgreSQL',
    engines: fewConnections,
    fault: (run) => exhaustConnections(run, 15_000),
  }),
  ...[onRedisAndPostgres, onPostgresAlone].map(({ on, engines }) =>
    scenario({
      name: 'connections to PostgreSQL pass nothing any more; new ones neither for 10 s',
      on,
      engines: behindProxy(engines),
      fault: loseConnections,
    }),
  ),
];
