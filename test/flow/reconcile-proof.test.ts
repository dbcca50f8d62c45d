// The proof: everything goes wrong that can, deliveries are lost, the service is slow and fails, a subscription is disabled; one
// reconcile later the mirror is the service's own state, row by row, field by field, and the report named every row.
import { describe, expect, inject, it } from 'vitest';
import { openStore } from '#src/store/stores.ts';
import { mirrorDifferences } from '../harness/mirror-comparison.ts';
import { ask } from '../harness/oracle.ts';
import { until } from '../harness/ports.ts';
import { createDatabase } from '../harness/postgres.ts';
import { openHome, type Home, type Settings } from '../harness/product.ts';
import { startRedis } from '../harness/redis.ts';
import { openTestSandbox, type TestSandbox } from '../harness/sandbox.ts';
import type { Fact } from '#src/sandbox/world/service.ts';

const engines: readonly { name: string; available: boolean; settings: () => Promise<Settings> }[] = [
  { name: 'SQLite', available: true, settings: async () => ({}) },
  {
    name: 'PostgreSQL',
    available: inject('postgresUrl') !== '',
    settings: async () => ({ DATABASE_URL: await createDatabase(inject('postgresUrl')) }),
  },
];

const never = '99999d';
const faults = { drop: 0.05, duplicate: 0.1, shuffle: 0.2, rate_limit: 0.02, status: 0.02 };

for (const { name, available, settings } of engines) {
  describe.runIf(available && inject('redisUrl') !== '')(`the mirror on ${name}`, { timeout: 240_000 }, () => {
    it('is complete again after one reconcile, whatever was lost, and the report names every row', async () => {
      await using redis = await startRedis();
      const facts: Fact[] = [];
      await using sandbox = await openTestSandbox(
        { contacts: 150, bookings: 40, eventTypes: true, rateLimits: false },
        { onFact: (fact) => void facts.push(fact) },
      );
      await using home = await openHome({ QUEUE_URL: redis.url, ...apiOf(sandbox), ...(await settings()) });
      await home.start('start', { settings: { PUBLIC_URL: `http://127.0.0.1:${home.settings['PORT']}` } });
      const publicUrl = { PUBLIC_URL: `http://127.0.0.1:${home.settings['PORT']}` };
      expect((await home.run(['bootstrap'], publicUrl)).code).toBe(0);
      expect((await home.run(['backfill'], publicUrl)).code).toBe(0);
      const owner = { recapsOf: [sandbox.handles.users.owner] };
      expect(await differencesOf(home, sandbox, owner)).toEqual([]);

      await sandbox.control('POST', '/faults', faults);
      await live(sandbox, () => facts.length >= 400);
      const lost = sandbox.service.state.subscriptions.values().find(({ scope }) => scope === 'organization');
      await sandbox.control('POST', '/subscriptions/disable', { uri: lost?.uri });
      await live(sandbox, () => facts.length >= 600);
      await sandbox.control('POST', '/faults', { rate_limit: faults.rate_limit, status: faults.status });
      await sandbox.courier.settled();
      await logSettled(home);
      const before = await differencesOf(home, sandbox, owner);
      expect(before.length).toBeGreaterThan(50);
      expect(before.some((line) => line.endsWith('missing'))).toBe(true);
      expect(before.some((line) => line.startsWith('contacts ') && line.endsWith('extra'))).toBe(true);

      const looked = await home.run(['reconcile', '--full', '--json'], publicUrl);
      expect(looked.code).toBe(3);
      const repaired = await home.run(['reconcile', '--full', '--repair', '--json'], publicUrl);
      expect(repaired.code, repaired.err).toBe(0);
      expect(await differencesOf(home, sandbox, owner)).toEqual([]);
      expect(namedIn(repaired.out)).toEqual(namedIn(looked.out));
      expect(ownersOf(before).filter((uri) => !namedIn(repaired.out).some((line) => line.includes(uri)))).toEqual([]);
      expect(activeIn(sandbox)).toContain('contact.created');

      await sandbox.control('POST', '/faults', {});
      const again = await home.run(['reconcile', '--full', '--json'], publicUrl);
      expect([again.code, namedIn(again.out)]).toEqual([0, []]);
      expect(await ask(home.store, "select seq from event_log where outcome in ('quarantined', 'unhandled')")).toEqual(
        [],
      );
    });
  });
}

/** The timers stay out of it: what is to be seen is what the verb does. */
const apiOf = ({ handles }: TestSandbox): Settings => ({
  API_BASE_URL: handles.base_url,
  API_TOKEN: handles.tokens.owner,
  RECONCILE_EVERY: never,
  SWEEP_EVERY: never,
  WATCH_EVERY: never,
});

async function differencesOf(
  { store: url }: Home,
  sandbox: TestSandbox,
  options: Parameters<typeof mirrorDifferences>[2],
): Promise<readonly string[]> {
  await using store = await openStore({ report: () => {} }, url);
  return await mirrorDifferences(store, sandbox, options);
}

async function live(sandbox: TestSandbox, isEnough: () => boolean): Promise<void> {
  const enough = new AbortController();
  const watch = setInterval(() => isEnough() && enough.abort(), 10);
  await sandbox.live(300, enough.signal);
  clearInterval(watch);
}

/** Until what was accepted is in the log, and nothing comes any more. */
async function logSettled({ store }: Home): Promise<void> {
  let before = -1;
  let same = 0;
  await until(async () => {
    const [row] = await ask(store, 'select count(*) as n, sum(duplicates) as d from event_log');
    const now = Number(row?.['n']) + Number(row?.['d']);
    same = now === before ? same + 1 : 0;
    before = now;
    return same >= 25;
  }, 'the log has come to rest');
}

/** `missing contact https://…` and so on, of the lines that name a row. */
function namedIn(out: string): readonly string[] {
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { how?: string; kind: string; uri: string })
    .flatMap(({ how, kind, uri }) => (how === undefined ? [] : [`${how} ${kind} ${uri}`]))
    .toSorted();
}

/** The rows that differ; a child row is named by its parent. */
const ownersOf = (differences: readonly string[]): readonly string[] => [
  ...new Set(differences.map((line) => line.split(' ')[1] ?? '')),
];

function activeIn({ service }: TestSandbox): readonly string[] {
  return [...service.state.subscriptions.values()]
    .filter(({ state }) => state === 'active')
    .flatMap(({ events }) => events);
}
