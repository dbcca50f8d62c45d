// Page tokens that die while other calls are made: one backfill mirrors everything all the same, in hardly more calls than there are
// pages and records, and counts each row once. Fifty calls a minute, on a clock that only pauses and calls move.
import { describe, expect, it } from 'vitest';
import type { Counts } from '#workers/sync/backfill/progress.ts';
import { reconcile } from '#workers/sync/reconcile/reconcile.ts';
import type { ResourceName } from '#workers/sync/resources/registry.ts';
import { sweepSlice } from '#workers/sync/reconcile/sweep.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import { submitForm } from '#src/sandbox/world/routing.ts';
import { newUri } from '#src/sandbox/world/service.ts';
import { mirrorDifferences } from '../../harness/mirror/mirror-comparison.ts';
import { openTestBackfill } from '../../harness/mirror/test-backfill.ts';
import { allKinds, openTestSources } from '../../harness/mirror/test-reconcile.ts';
import { openedOnce } from '../../harness/opened.ts';
import { openTestSandbox, unchecked, type TestSandbox } from '../../harness/sandbox.ts';
import { freshMemory, rowsOf, type TestStore } from '../../harness/stores.ts';

type Store = TestStore['store'];

/** Calls that wait at the same time wait together. */
function virtualTime(startMs = Date.parse('2026-11-15T12:05:00Z')) {
  let now = startMs;
  return {
    nowMs: () => now,
    async sleep(ms: number, signal?: AbortSignal): Promise<void> {
      signal?.throwIfAborted();
      const until = now + ms;
      await Promise.resolve();
      now = Math.max(now, until);
    },
    pass: (ms: number) => void (now += ms),
    minutes: () => (now - startMs) / 60_000,
  };
}

async function openWorld(size: Parameters<typeof openTestSandbox>[0], pageSize = 100) {
  await using stack = new AsyncDisposableStack();
  const time = virtualTime();
  const sandbox = stack.use(await openTestSandbox({ contacts: 0, ...size }, { ...unchecked, realMs: time.nowMs }));
  const kept = stack.move();
  const calls: string[] = [];
  const statuses: number[] = [];
  let bend: ((body: Record<string, unknown>) => void) | undefined;
  const bent = async (answer: Response, path: string): Promise<Response> => {
    if (bend === undefined || path !== '/scheduled_events' || !answer.ok) return answer;
    const body = (await answer.json()) as Record<string, unknown>;
    bend(body);
    return Response.json(body, answer);
  };
  const call: typeof fetch = async (input, init) => {
    const url = new URL(String(input));
    // Pages smaller than asked for: small worlds have several of them.
    if (url.searchParams.has('count')) url.searchParams.set('count', String(pageSize));
    time.pass(50);
    const answer = await bent(await sandbox.fetch(url, init), url.pathname);
    calls.push(url.pathname);
    statuses.push(answer.status);
    return answer;
  };
  return {
    sandbox,
    time,
    calls,
    statuses,
    faults: (faults: object) => sandbox.control('POST', '/faults', faults),
    sources: () => openTestSources(sandbox, undefined, { fetch: call, nowMs: time.nowMs, sleep: time.sleep }),
    /** Changes the pages of meetings on their way. */
    bend: (how: typeof bend) => void (bend = how),
    forget: () => void (calls.length = statuses.length = 0),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
type World = Awaited<ReturnType<typeof openWorld>>;

async function fill(world: World, only: ResourceName) {
  const filling = await openTestBackfill(freshMemory, {}, world.sandbox);
  const again = async () => {
    const sources = await world.sources();
    world.forget();
    const { outcomes, notices } = await filling.run({ sources, only: [only] });
    const outcome = outcomes[only];
    if (outcome === undefined) throw new Error(`${only} has no outcome`);
    return { outcome, notices };
  };
  return { ...filling, first: await again(), again };
}

const differencesIn = async (store: Store, sandbox: TestSandbox, tables: RegExp) =>
  (await mirrorDifferences(store, sandbox, { recapsOf: [sandbox.handles.users.owner] })).filter((line) =>
    tables.test(line),
  );

/** Every row that exists, counted once: rows by table. */
async function expectCounted(store: Store, { by_kind, rows, left_out, ...counts }: Counts, tables: object) {
  const stored = await Promise.all(
    Object.entries(tables).map(async ([kind, table]) => [kind, (await rowsOf(store, table)).length] as const),
  );
  expect(by_kind).toEqual(Object.fromEntries(stored));
  expect(rows).toBe(stored.reduce((sum, [, count]) => sum + count, 0));
  expect([counts.created, counts.unchanged, counts.quarantined, left_out]).toEqual([rows, 0, 0, 0]);
}

const meetingTables = { scheduled_event: 'scheduled_events', invitee: 'invitees' };
const meetingLines = /^(scheduled_events|invitees|invitee_answers|no_shows) /;

describe('a thousand meetings, with page tokens that die', () => {
  const world = openedOnce(async () => {
    const opened = await openWorld({ bookings: 1_200, rateLimits: true });
    await opened.sandbox.control('POST', '/plan', { plan: 'free' });
    return opened;
  });
  const meetings = () => world.sandbox.service.state.scheduledEvents.size;

  it.each([30, 60, 120])('after %i other calls are mirrored whole by one backfill (W1)', async (calls) => {
    expect(meetings()).toBeGreaterThan(1_000);
    await world.faults({ page_token_calls: calls });
    const before = world.time.minutes();
    await using filled = await fill(world, 'scheduled_events');
    const { outcome, notices } = filled.first;
    expect([outcome.state, notices]).toEqual(['complete', []]);
    expect(await differencesIn(filled.store, world.sandbox, meetingLines)).toEqual([]);
    await expectCounted(filled.store, outcome.counts, meetingTables);
    const events = outcome.counts.by_kind['scheduled_event'] ?? 0;
    expect(world.calls.length).toBeLessThanOrEqual(1.1 * (events + Math.ceil(events / 100)));
    expect(world.statuses.filter((status) => status === 400).length).toBeGreaterThan(0);
    expect(world.time.minutes() - before).toBeGreaterThan(world.calls.length / 50 - 1);
  });

  it('are compared whole, too (W1)', async () => {
    await world.faults({ page_token_calls: 30 });
    await using fresh = await freshMemory();
    const report = async (repair: boolean) => {
      const needs = {
        store: fresh.store,
        sources: await world.sources(),
        screen: privacyScreen({ eraseOnDelete: true }),
      };
      return reconcile(
        { ...needs, now: () => new Date(world.time.nowMs()) },
        { scope: { kind: 'full' }, events: ['invitee.created'], repair, allowDeletes: false },
      );
    };
    const unreadable = ({ unreadable: some }: Awaited<ReturnType<typeof report>>) => some.map(({ what }) => what);
    expect(unreadable(await report(true))).toEqual([]);
    expect(await differencesIn(fresh.store, world.sandbox, meetingLines)).toEqual([]);
    world.time.pass(60_000);
    const again = await report(false);
    expect([unreadable(again), again.drift]).toEqual([[], {}]);
  });
});

describe('lists in small pages, with page tokens that die after five other calls', () => {
  it('recaps that need a call each are all mirrored by one backfill (W1)', async () => {
    await using world = await openWorld({ as: 'public', bookings: 0, rateLimits: false }, 10);
    for (let made = 0; made < 60; made += 1) await world.sandbox.control('POST', '/meeting_recaps', {});
    await world.faults({ page_token_calls: 5 });
    await using filled = await fill(world, 'meeting_recaps');
    const { outcome, notices } = filled.first;
    expect([outcome.state, notices]).toEqual(['complete', []]);
    expect(outcome.counts.rows).toBeGreaterThan(60);
    expect(await differencesIn(filled.store, world.sandbox, /^meeting_recaps /)).toEqual([]);
    await expectCounted(filled.store, outcome.counts, { meeting_recap: 'meeting_recaps' });
    expect(world.calls.length).toBeLessThanOrEqual(1.1 * (outcome.counts.rows + Math.ceil(outcome.counts.rows / 10)));
  });

  it('submissions of many forms are all mirrored by one backfill (W1)', async () => {
    await using world = await openWorld({ bookings: 0, rateLimits: false }, 10);
    const { service, handles } = world.sandbox;
    const first = service.state.routingForms.values().find((form) => form.organization === handles.organization);
    if (first === undefined) throw new Error('no form');
    const forms = Array.from({ length: 24 }, () => ({ ...first, uri: newUri(service, 'routing_forms') }));
    for (const form of forms) service.state.routingForms.put(form);
    for (const form of forms) for (let made = 0; made < 25; made += 1) submitForm(service, { form });
    await world.faults({ page_token_calls: 5 });
    await using filled = await fill(world, 'routing_forms');
    const { outcome, notices } = filled.first;
    expect([outcome.state, notices]).toEqual(['complete', []]);
    expect(await differencesIn(filled.store, world.sandbox, /^routing_/)).toEqual([]);
    const tables = { routing_form: 'routing_forms', routing_form_submission: 'routing_form_submissions' };
    await expectCounted(filled.store, outcome.counts, tables);
    // Three pages of forms, three of each form's submissions; those of the seeded form are few.
    expect(world.calls.length).toBeLessThanOrEqual(1.1 * (3 + 24 * 3 + 1));
  });

  it('users whom memberships only name are all mirrored by one backfill (W1)', async () => {
    await using world = await openWorld({ bookings: 0, rateLimits: false }, 10);
    for (let made = 0; made < 40; made += 1)
      await world.sandbox.control('POST', '/users', { email: `member${made}@example.test` });
    await world.faults({ page_token_calls: 5 });
    await using filled = await fill(world, 'organization_memberships');
    const { outcome, notices } = filled.first;
    expect([outcome.state, notices]).toEqual(['complete', []]);
    expect(outcome.counts.rows).toBeGreaterThan(80);
    expect(await differencesIn(filled.store, world.sandbox, /^(users|organization_memberships) /)).toEqual([]);
    await expectCounted(filled.store, outcome.counts, {
      organization_membership: 'organization_memberships',
      user: 'users',
    });
  });

  it('a sweep reads a list to its end whose token died between two slices (W1)', async () => {
    await using world = await openWorld({ contacts: 100, bookings: 0, rateLimits: false }, 10);
    await world.faults({ page_token_calls: 1 });
    await using fresh = await freshMemory();
    let slices = 0;
    let contactPages = 0;
    for (let isDone = false; !isDone; slices += 1) {
      if (slices > 100) throw new Error('The sweep does not end.');
      const needs = {
        store: fresh.store,
        sources: await world.sources(),
        screen: privacyScreen({ eraseOnDelete: true }),
      };
      world.forget();
      const now = () => new Date(world.time.nowMs());
      isDone = (await sweepSlice({ ...needs, now }, { everyMs: 86_400_000, events: allKinds })).kind === 'done';
      contactPages += world.calls.filter((path) => path === '/contacts').length;
      world.time.pass(600_000);
    }
    expect(slices).toBeGreaterThan(3);
    expect(contactPages).toBeLessThan(25);
    expect(await differencesIn(fresh.store, world.sandbox, /^contacts /)).toEqual([]);
  });
});

describe('a list that cannot be read to its end', () => {
  it('has failed, with the rows that exist and a hint, and the next run goes on there (W2)', async () => {
    await using world = await openWorld({ contacts: 30, bookings: 0, rateLimits: false }, 10);
    await world.faults({ page_token_calls: 0 });
    await using filled = await fill(world, 'contacts');
    const { outcome } = filled.first;
    expect([outcome.state, outcome.counts.rows, outcome.counts.left_out]).toEqual(['failed', 10, 1]);
    expect((await rowsOf(filled.store, 'contacts')).length).toBe(10);
    expect(outcome.missing).toEqual([expect.stringMatching(/page_token: is invalid\. → The service ended this list/)]);
    await world.faults({});
    const { outcome: after } = await filled.again();
    expect([after.state, after.counts.rows]).toEqual(['complete', 30]);
    expect(world.calls.filter((path) => path === '/contacts')).toHaveLength(2);
  });

  it('of recaps has failed, and goes on at its second page in the next run (W2)', async () => {
    await using world = await openWorld({ as: 'public', bookings: 0, rateLimits: false }, 10);
    for (let made = 0; made < 25; made += 1) await world.sandbox.control('POST', '/meeting_recaps', {});
    await world.faults({ answers: [{ path: '/meeting_recaps', page: 2, status: 403 }] });
    await using filled = await fill(world, 'meeting_recaps');
    const { outcome } = filled.first;
    expect([outcome.state, outcome.counts.rows, outcome.counts.left_out]).toEqual(['failed', 10, 1]);
    expect((await rowsOf(filled.store, 'meeting_recaps')).length).toBe(10);
    await world.faults({});
    const { outcome: after } = await filled.again();
    expect(after.state).toBe('complete');
    await expectCounted(filled.store, after.counts, { meeting_recap: 'meeting_recaps' });
    expect(await differencesIn(filled.store, world.sandbox, /^meeting_recaps /)).toEqual([]);
    expect(world.calls.filter((path) => path === '/meeting_recaps')).toHaveLength(2);
  });

  it('of meetings costs nothing of the pages before it, and its invitees are read (W2)', async () => {
    await using world = await openWorld({ bookings: 60, rateLimits: false }, 10);
    await world.faults({ answers: [{ path: '/scheduled_events', page: 3, status: 500 }] });
    await using filled = await fill(world, 'scheduled_events');
    const { outcome } = filled.first;
    expect([outcome.state, outcome.counts.by_kind['scheduled_event']]).toEqual(['failed', 20]);
    const invitees = await rowsOf(filled.store, 'invitees');
    expect(new Set(invitees.map((row) => row['event_uri'])).size).toBe(20);
    await world.faults({ page_token_calls: 0 });
    const { outcome: after } = await filled.again();
    expect(after.state).toBe('complete');
    await expectCounted(filled.store, after.counts, meetingTables);
    expect(await differencesIn(filled.store, world.sandbox, meetingLines)).toEqual([]);
  });

  it('within another costs its neighbours nothing, has failed, and is read whole by the next run (W2)', async () => {
    await using world = await openWorld({ bookings: 0, rateLimits: false }, 10);
    const { service, handles } = world.sandbox;
    const first = service.state.routingForms.values().find((form) => form.organization === handles.organization);
    if (first === undefined) throw new Error('no form');
    const others = [1, 2].map(() => ({ ...first, uri: newUri(service, 'routing_forms') }));
    for (const form of others) service.state.routingForms.put(form);
    for (const form of [first, ...others]) for (let made = 0; made < 15; made += 1) submitForm(service, { form });
    const all = service.state.submissions
      .values()
      .filter(({ routing_form: form }) => [first, ...others].some(({ uri }) => uri === form));
    const count = all.toArray().length;
    await world.faults({ answers: [{ path: '/routing_form_submissions', page: 2, status: 403, times: 1 }] });
    await using filled = await fill(world, 'routing_forms');
    const { outcome } = filled.first;
    expect([outcome.state, outcome.counts.left_out]).toEqual(['failed', 1]);
    const stored = (await rowsOf(filled.store, 'routing_form_submissions')).length;
    expect(outcome.counts.by_kind['routing_form_submission']).toBe(stored);
    expect(stored).toBeLessThan(count);
    expect(stored).toBeGreaterThan(30);
    await world.faults({});
    expect((await filled.again()).outcome).toMatchObject({
      state: 'complete',
      counts: { by_kind: { routing_form_submission: count } },
    });
  });
});

it('an odd record costs its neighbours nothing, also where the list goes on after a token that died (W1)', async () => {
  await using world = await openWorld({ bookings: 60, rateLimits: false }, 10);
  const odd = [{ uri: 7 }, { start_time: 'soon' }, { uri: null, start_time: null }];
  let listed = 0;
  world.bend((body) => {
    // The fifth record of each of the first pages.
    const change = odd[listed];
    listed += 1;
    const records = body['collection'];
    if (Array.isArray(records) && change) Object.assign(records[4], change);
  });
  await world.faults({ page_token_calls: 0 });
  await using filled = await fill(world, 'scheduled_events');
  const { outcome } = filled.first;
  const events = world.sandbox.service.state.scheduledEvents.size;
  expect([outcome.state, outcome.counts.quarantined]).toEqual(['complete', 2]);
  expect((await rowsOf(filled.store, 'scheduled_events')).length).toBe(events - 2);
});
