// `slotstream backfill` as a process: killed, stopped and refused; the tables come out exact.
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openStore } from '#src/store/open-store.ts';
import { mirrorDifferences, type ComparisonOptions } from '../../../harness/mirror/mirror-comparison.ts';
import { ask } from '../../../oracle/deliveries.ts';
import { until } from '../../../harness/ports.ts';
import { openHome, type Home, type Settings } from '../../../harness/product.ts';
import { openTestSandbox, type TestSandbox } from '../../../harness/sandbox.ts';

const serviceOf = ({ handles }: TestSandbox, token: string = handles.tokens.owner): Settings => ({
  API_BASE_URL: handles.base_url,
  API_TOKEN: token,
});

async function differencesOf(home: Home, sandbox: TestSandbox, options: ComparisonOptions): Promise<readonly string[]> {
  await using store = await openStore({ report: () => undefined }, home.store);
  return await mirrorDifferences(store, sandbox, { recapsOf: [sandbox.handles.users.owner], ...options });
}

const expectExact = async (home: Home, sandbox: TestSandbox, options: ComparisonOptions = {}): Promise<void> =>
  expect(await differencesOf(home, sandbox, options)).toEqual([]);

const lastOf = (out: string): Report => JSON.parse(out) as Report;
interface Report {
  readonly complete: boolean;
  readonly resources: readonly {
    readonly name: string;
    readonly state: string;
    readonly created: number;
    readonly unchanged: number;
    readonly missing: readonly string[];
  }[];
}

describe('slotstream backfill', () => {
  // backfill.engines.test.ts runs in process on both engines.
  it('killed twice, ends exact, and fetches at most two pages twice a kill', async () => {
    const [pages, kills] = [12, 2];
    let calls = 0;
    await using sandbox = await openTestSandbox(
      { contacts: pages * 100, bookings: 0, rateLimits: false },
      { inspect: ({ id }) => void (calls += id === 'listContacts' ? 1 : 0) },
    );
    await using home = await openHome(serviceOf(sandbox));
    for (let kill = 0; kill < kills; kill += 1) {
      const running = home.spawn(['backfill', 'contacts']);
      const enough = calls + 2 + kill;
      await until(() => calls >= enough, 'some pages were fetched');
      // Anywhere between two pages, also in the midst of writing one.
      await pause(kill * 7);
      await running.signal('SIGKILL');
    }
    const { code, out } = await home.run(['backfill', 'contacts', '--json']);
    expect(code).toBe(0);
    const [contacts] = lastOf(out).resources;
    const { created = 0, unchanged = 0, ...counts } = contacts ?? {};
    expect(counts).toEqual({
      name: 'contacts',
      state: 'complete',
      rows: pages * 100,
      pages,
      updated: 0,
      quarantined: 0,
      left_out: 0,
      by_kind: { contact: pages * 100 },
      missing: [],
    });
    // What a repeated page finds stored already is unchanged.
    expect(created + unchanged).toBe(pages * 100);
    expect(unchanged).toBeLessThanOrEqual(kills * 100);
    expect(calls).toBeLessThanOrEqual(pages + 2 * kills);
    await expectExact(home, sandbox, { except: contactsOnly });
    expect(await ask(home.store, 'select count(*) as n from event_log')).toEqual([{ n: pages * 100 }]);
  });

  it('runs once at a time on a data folder, stops after a page on a signal, says how to resume, and resumes', async () => {
    let calls = 0;
    await using sandbox = await openTestSandbox(
      { contacts: 400, bookings: 0, rateLimits: false },
      { inspect: ({ id }) => void (calls += id === 'listContacts' ? 1 : 0) },
    );
    await using home = await openHome(serviceOf(sandbox));
    await sandbox.control('POST', '/faults', { latency_ms: 100 });
    await using running = home.openVerb(['backfill', 'contacts', '--json']);
    await until(() => calls >= 2, 'some pages were fetched');
    const second = await home.run(['backfill']);
    expect([second.code, second.err]).toEqual([1, expect.stringContaining('Another backfill is running on this data')]);
    expect(await running.signal('SIGINT')).toBe(3);
    expect(running.err()).toMatch(/Run it again to resume: \S+bin\/slotstream backfill/);
    expect(lastOf(running.out())).toMatchObject({ complete: false, resources: [{ state: 'stopped' }] });
    await sandbox.control('POST', '/faults', { latency_ms: 0 });
    const { code, err } = await home.run(['backfill', 'contacts']);
    expect(code).toBe(0);
    expect(err).toMatch(/contacts: resuming after [\d,]+ contacts/);
    expect(calls).toBeLessThanOrEqual(5);
    await expectExact(home, sandbox, { except: contactsOnly });
  });

  it('reports what the token may not read, continues with the rest, and exits with 3', async () => {
    await using sandbox = await openTestSandbox({ contacts: 20, bookings: 5 });
    const scopes = ['users:read', 'organizations:read', 'contacts:read', 'event_types:read'] as const;
    const token = sandbox.tokens.personal('narrow', { user: sandbox.handles.users.owner, scopes });
    await using home = await openHome(serviceOf(sandbox, token));
    const { code, out, err } = await home.run(['backfill', '--json']);
    expect(code).toBe(3);
    const refused = lastOf(out).resources.filter(({ state }) => state === 'refused');
    expect(refused.map(({ name }) => name)).toEqual(['routing_forms', 'scheduled_events', 'meeting_recaps']);
    expect(err).toContain('scheduled_events: not readable, so it will be missing in the mirror');
    expect(err).toContain('→ Give the token these scopes: scheduled_events:read.');
    expect(err).toMatch(/→ Then: \S+bin\/slotstream backfill meeting_recaps/);
    expect(err + out).not.toContain(token);
    await expectExact(home, sandbox, {
      except: ['scheduled_events', 'invitees', 'invitee_answers', 'no_shows', 'meeting_recaps', ...formTables],
    });
  });

  it('says of a list whose page tokens are always refused that it has failed, with a hint, and exits with 3 (W2)', async () => {
    await using sandbox = await openTestSandbox({ contacts: 205, bookings: 0, rateLimits: false });
    await sandbox.control('POST', '/faults', { page_token_calls: 0 });
    await using home = await openHome(serviceOf(sandbox));
    const { code, out, err } = await home.run(['backfill', 'contacts', '--json']);
    expect(code).toBe(3);
    expect(lastOf(out).resources).toMatchObject([{ name: 'contacts', state: 'failed', rows: 100, left_out: 1 }]);
    expect(await ask(home.store, 'select count(*) as n from contacts')).toEqual([{ n: 100 }]);
    expect(err).toContain('contacts: not read to its end');
    expect(err).toContain('page_token: is invalid.\n  → The service ended this list before its last page was read.');
    expect(err).not.toContain('Correct the fields');
    await sandbox.control('POST', '/faults', {});
    expect((await home.run(['backfill', 'contacts'])).code).toBe(0);
    await expectExact(home, sandbox, { except: contactsOnly });
  });

  it('rejects an unknown resource, and a missing service configuration', async () => {
    await using home = await openHome();
    expect(await home.run(['backfill', 'people'])).toMatchObject({ code: 2, err: expect.stringContaining('contacts') });
    const misspelt = await home.run(['backfill', 'users', 'contact']);
    expect(misspelt.err).toContain('There are: contacts, ');
    expect((await home.run(['backfill', 'contacts', 'event_type'])).err).toContain('Did you mean event_types?');
    expect(await home.run(['backfill'])).toMatchObject({ code: 2, err: expect.stringContaining('API_TOKEN') });
  });
});

const formTables = ['routing_forms', 'routing_form_submissions', 'routing_form_answers'];
const otherTables = ['custom_field_definitions', 'event_types', 'scheduled_events', 'invitees', 'invitee_answers'];

const contactsOnly = [...otherTables, ...formTables, 'no_shows', 'meeting_recaps', 'users', 'organization_memberships'];
