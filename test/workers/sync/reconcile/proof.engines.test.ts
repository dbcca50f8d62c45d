// The proof: everything goes wrong that can: deliveries are lost, the service refuses and fails, a subscription is disabled,
// tokens expire. One reconcile later the mirror is the service's own state, row by row, field by field, and the report named
// every row.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { openStore } from '#src/store/open-store.ts';
import { mirrorDifferences } from '../../../harness/mirror/mirror-comparison.ts';
import { ask, expectNoTraceOf } from '../../../oracle/deliveries.ts';
import { until } from '../../../harness/ports.ts';
import { openHome, type Home, type Settings } from '../../../harness/product.ts';
import { startRedis } from '../../../harness/redis.ts';
import { awayFromMeetings } from '../../../harness/mirror/test-reconcile.ts';
import { isLongRun } from '../../../harness/runs.ts';
import { openTestSandbox, type TestSandbox } from '../../../harness/sandbox.ts';
import { copyPostgres } from '../../../harness/templates.ts';
import { deleteContact } from '#src/sandbox/world/contacts/contacts.ts';
import { forms, type Fact } from '#src/sandbox/world/service.ts';

const engines: readonly { name: string; available: boolean; settings: () => Promise<Settings> }[] = [
  { name: 'SQLite', available: true, settings: async () => ({}) },
  {
    name: 'PostgreSQL',
    available: inject('postgresUrl') !== '',
    settings: async () => ({ DATABASE_URL: await copyPostgres() }),
  },
];

const never = '99999d';
const faults = { drop: 0.15, duplicate: 0.1, shuffle: 0.2, rate_limit: 0.02, status: 0.02 };

// reconcile.engines.test.ts tries both engines and both forms. A long run tries them here too.
const cases = engines
  .flatMap((engine) => forms.map((as) => ({ ...engine, as })))
  .filter(({ name, as }) => isLongRun || (name === 'SQLite' && as === 'public'));
for (const { name, available, settings, as } of cases) {
  describe.runIf(available && inject('redisUrl') !== '')(`the mirror on ${name} of the service as ${as}`, () => {
    it('is complete again after one reconcile, whatever was lost, and the report names every row', async () => {
      await using redis = await startRedis();
      const facts: Fact[] = [];
      await using sandbox = await openTestSandbox(
        { as, contacts: 60, bookings: 12, eventTypes: true, rateLimits: false },
        { onFact: (fact) => void facts.push(fact), realMs: awayFromMeetings() },
      );
      await using home = await openHome({ QUEUE_URL: redis.url, ...settingsFor(sandbox), ...(await settings()) });
      Object.assign(home.settings, { PUBLIC_URL: `http://127.0.0.1:${home.settings['PORT']}` });
      const members = sandbox.service.state.memberships.of('organization', sandbox.handles.organization);
      for (const { user } of members) await logIn(home, user);
      const product = await home.open('start');
      expect((await home.run(['bootstrap'])).code).toBe(0);
      expect((await home.run(['backfill'])).code).toBe(0);
      expect(await differencesOf(home, sandbox)).toEqual([]);

      await sandbox.control('POST', '/faults', faults);
      await live(sandbox, () => facts.length >= 90);
      const lost = sandbox.service.state.subscriptions
        .values()
        .find(({ events }) => events.includes('contact.created'));
      await sandbox.control('POST', '/subscriptions/disable', { uri: lost?.uri });
      await live(sandbox, () => facts.length >= 140);
      // Few contacts are ever deleted or changed, and chance may have chosen none since.
      const [someone, another] = sandbox.service.state.contacts.get(sandbox.handles.organization)?.values() ?? [];
      if (someone) deleteContact(sandbox.service, someone);
      const change = { body: { company: 'Another Company' } };
      await until(
        async () => (await sandbox.call('PATCH', another?.uri ?? '', change)).status === 200,
        'a contact is changed',
      );
      await sandbox.control('POST', '/faults', { rate_limit: faults.rate_limit, status: faults.status });
      await sandbox.dispatcher.settled();
      await logSettled(home);
      // Every access token expires; our clock does not know it.
      await sandbox.control('POST', '/clock', { advance: '3h' });
      const before = await differencesOf(home, sandbox);
      expect(before.length).toBeGreaterThan(20);
      for (const how of [/^invitees .* missing$/, /^contacts .* extra$/, /^contacts .* updated_at: /])
        expect(before.filter((line) => how.test(line)).length).toBeGreaterThan(0);

      const unaskable = await deletedRecapsWithoutUser(home, before);
      const looked = await home.run(['reconcile', '--json']);
      expect([looked.code, looked.err]).toEqual([3, expect.any(String)]);
      expect(await differencesOf(home, sandbox)).toEqual(before);
      const repaired = await home.run(['reconcile', '--repair', '--json']);
      expect([repaired.code, repaired.err]).toEqual([0, expect.any(String)]);
      expect(await differencesOf(home, sandbox)).toEqual(unaskable);
      expect(namedIn(repaired.out)).toEqual(namedIn(looked.out));
      const comparable = before.filter((line) => !unaskable.includes(line));
      expect(
        ownersOf(comparable).filter((uri) => !namedIn(repaired.out).some((line) => line.endsWith(` ${uri}`))),
      ).toEqual([]);
      expect(activeIn(sandbox)).toContain('contact.created');

      await sandbox.control('POST', '/faults', {});
      const again = await home.run(['reconcile', '--json']);
      expect([again.code, namedIn(again.out)]).toEqual([0, []]);
      for (const verb of ['status', 'doctor']) {
        const { code, out } = await home.run([verb]);
        // The service of this test delivers late on purpose.
        const problems = [...out.matchAll(/✗ (\w+)/g)].map(([, id]) => id).filter((id) => id !== 'lag');
        expect([verb, code === 0 || out.includes('✗ lag'), problems]).toEqual([verb, true, []]);
      }
      const kept = "select seq from event_log where outcome in ('quarantined', 'unhandled')";
      expect(await ask(home.store, kept)).toEqual([]);
      expect(await product.term()).toBe(0);
      expectNoTraceOf(canariesOf(home), { output: home.output() });
    });
  });
}

/** A browser whose user says yes. */
async function logIn(home: Home, user: string): Promise<void> {
  await using verb = home.openVerb(['login']);
  await until(() => verb.err().includes('Waiting for the browser'), 'the address is shown');
  const url = new URL(/http\S+\/oauth\/authorize\S+/.exec(verb.err())?.[0] ?? '');
  url.searchParams.set('prompt', 'none');
  url.searchParams.set('login_hint', user);
  await fetch(url);
  await until(() => verb.out().includes('is logged in'), 'the user is logged in');
}

function canariesOf({ dataDir, signingKey }: Home): Record<string, string> {
  const file = readFileSync(join(dataDir, 'oauth-tokens.json'), 'utf8');
  const { logins } = JSON.parse(file) as { logins: { accessToken: string; refreshToken: string }[] };
  const tokens = logins.flatMap(({ accessToken, refreshToken }) => [accessToken, refreshToken]);
  return { key: signingKey, ...Object.fromEntries(tokens.map((token, index) => [`token ${index}`, token])) };
}

/** The timers stay out of it: what is to be seen is what the verb does. */
const settingsFor = ({ handles }: TestSandbox): Settings => ({
  API_BASE_URL: handles.base_url,
  AUTH_URL: handles.auth_url,
  OAUTH_CLIENT_ID: handles.oauth.client_id,
  OAUTH_CLIENT_SECRET: handles.oauth.client_secret,
  USER_URI: handles.users.owner,
  // The service's clock is not ours here.
  SIGNATURE_TOLERANCE_SECONDS: '0',
  RECONCILE_EVERY: never,
  SWEEP_EVERY: never,
  WATCH_EVERY: never,
});

async function differencesOf({ store: url }: Home, sandbox: TestSandbox): Promise<readonly string[]> {
  await using store = await openStore({ report: () => {} }, url);
  return await mirrorDifferences(store, sandbox);
}

/**
 * A webhook does not name the user of a recap, and to other users an existing recap looks deleted. So whether a recap that only webhooks
 * reported was deleted cannot be asked.
 */
async function deletedRecapsWithoutUser({ store }: Home, differences: readonly string[]): Promise<readonly string[]> {
  const rows = await ask(store, 'select uri, extra from meeting_recaps');
  const unknown = rows.filter(({ extra }) => !JSON.stringify(extra ?? null).includes('/users/'));
  const extras = unknown.map(({ uri }) => `meeting_recaps ${String(uri)} extra`);
  return differences.filter((line) => extras.includes(line));
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
