// Rows about one Redis as the queue.
import { openProxy, type TestProxy } from '../../harness/silent-proxy.ts';
import {
  onRedisAndPostgres,
  onRedisAndSqlite,
  redisAndPostgres,
  type OpenEngines,
  type WithRedis,
} from '../engines.ts';
import {
  exhaustMemory,
  freezeRedis,
  killAndRestart,
  loseConnections,
  wipe,
  wipeAndKillReceiver,
} from '../faults/redis.ts';
import { scenario, type Scenario } from '../scenario.ts';

const kill = 'kill -9 of Redis, 4 s away, restart from its append-only file';

const behindProxy: OpenEngines<WithRedis & { readonly proxy: TestProxy }> = async (resources) => {
  const direct = await redisAndPostgres(resources);
  const proxy = resources.use(await openProxy(direct.redis.url));
  return { ...direct, proxy, settings: { ...direct.settings, QUEUE_URL: proxy.url } };
};

export const redisRows: readonly Scenario[] = [
  ...[onRedisAndPostgres, onRedisAndSqlite].map((installation) =>
    scenario<WithRedis>({ name: kill, ...installation, fault: (run) => killAndRestart(run, 4_000) }),
  ),
  scenario({
    name: 'Redis frozen (SIGSTOP) for 15 s',
    ...onRedisAndPostgres,
    fault: (run) => freezeRedis(run, 15_000),
  }),
  scenario({
    name: 'connections to Redis pass nothing any more; new ones neither for 10 s',
    on: onRedisAndPostgres.on,
    engines: behindProxy,
    fault: (run) => loseConnections(run, 10_000),
  }),
  scenario({
    name: 'FLUSHALL while jobs wait, twice',
    ...onRedisAndPostgres,
    fault: async (run) => {
      const first = await wipe(run);
      await run.wait(3_000);
      return `${first}; then ${await wipe(run)}`;
    },
  }),
  scenario({ name: 'Redis out of memory for 8 s', ...onRedisAndPostgres, fault: (run) => exhaustMemory(run, 8_000) }),
  ...[onRedisAndPostgres, onRedisAndSqlite].map((installation) =>
    scenario<WithRedis>({
      name: 'FLUSHALL and kill -9 of a receiver at once',
      ...installation,
      fault: wipeAndKillReceiver,
    }),
  ),
];
