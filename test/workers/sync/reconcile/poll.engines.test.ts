// A poll: what it reads of a mirror without webhooks, what that costs in calls, and how old the mirror is then.
import { describe, expect, it } from 'vitest';
import { createLiveActivity } from '#src/sandbox/live.ts';
import { reconcile } from '#workers/sync/reconcile/reconcile.ts';
import { readReconcileState } from '#src/store/jobs/reconcile-state.ts';
import {
  allKinds,
  openTestReconcile,
  openTestSources,
  type TestReconcile,
} from '../../../harness/mirror/test-reconcile.ts';
import { isLongRun } from '../../../harness/runs.ts';
import { freshSqlite, oneEngine, rowsOf } from '../../../harness/stores.ts';

const poll = { repair: true, scope: { kind: 'poll' } } as const;

const act = ({ sandbox }: TestReconcile, times: number): void => {
  const { service, handles } = sandbox;
  const activity = createLiveActivity({ service, organization: handles.organization, report: () => {} });
  for (let done = 0; done < times; done += 1) activity();
};

/** The lists of invitees that it reads. */
async function inviteeCalls(mirrored: TestReconcile): Promise<number> {
  let calls = 0;
  await mirrored.run({
    ...poll,
    fetch: (input, init) => {
      calls += /\/invitees\b/.test(String(input instanceof Request ? input.url : input)) ? 1 : 0;
      return mirrored.sandbox.fetch(input, init);
    },
  });
  return calls;
}

const began = ({ sandbox }: TestReconcile): number => {
  const { state, clock } = sandbox.service;
  const agoMs = (start: string) => clock.nowMs() - Date.parse(start);
  return [...state.scheduledEvents.values()].filter(({ start_time: at }) => agoMs(at) >= 0 && agoMs(at) < 86_400_000)
    .length;
};

describe.each(oneEngine)('a poll on $name', ({ fresh }) => {
  it('reads the invitees of meetings that changed or began within a day, and misses no change of a meeting', async () => {
    await using mirrored = await openTestReconcile(fresh, { contacts: 10, bookings: 30 });
    await mirrored.run({ repair: true });
    expect(await inviteeCalls(mirrored)).toBe(began(mirrored));

    await mirrored.sandbox.control('POST', '/clock', { advance: '2s' });
    act(mirrored, 25);
    expect(await inviteeCalls(mirrored)).toBeGreaterThan(began(mirrored));
    const left = await mirrored.run({ scope: { kind: 'recent' } });
    expect(left.lines.filter((line) => !line.includes('no_show'))).toEqual([]);
  });

  it('counts what it finds as news and not as drift, and reads forms and recaps less often', async () => {
    await using mirrored = await openTestReconcile(fresh, { contacts: 5, bookings: 10, routed: 0.5 });
    const needs = await mirrored.needs({ isPolled: true });
    const compare = (kind: 'poll' | 'recent' | 'full') =>
      reconcile(needs, { scope: { kind }, events: allKinds, repair: true, allowDeletes: false });
    const rows = async (table: 'invitees' | 'routing_form_submissions') => (await rowsOf(mirrored.store, table)).length;
    const polled = await compare('poll');
    expect(polled).toMatchObject({ drift: {}, unreadable: [] });
    expect(await rows('invitees')).toBeGreaterThan(0);
    expect(await rows('routing_form_submissions')).toBe(0);
    await compare('recent');
    expect(await rows('routing_form_submissions')).toBeGreaterThan(0);
    expect(await readReconcileState(mirrored.store)).toMatchObject({ recent: { drift: {} } });
  });
});

/** What a poll costs on each plan, in a time that only waiting for the rate limit moves. */
async function measured(bookings: number) {
  await using mirrored = await openTestReconcile(freshSqlite, { contacts: bookings / 2, bookings, rateLimits: true });
  const { sandbox } = mirrored;
  let [calls, waitedMs] = [0, 0];
  const sources = await openTestSources(sandbox, undefined, {
    fetch: (input, init) => ((calls += 1), sandbox.fetch(input, init)),
    nowMs: () => Date.now() + waitedMs,
    async sleep(ms) {
      waitedMs += ms;
      await sandbox.control('POST', '/clock', { advance: `${Math.ceil(ms / 1000)}s` });
    },
  });
  const needs = await mirrored.needs({ sources });
  await reconcile(needs, { repair: true, scope: { kind: 'full' }, events: allKinds, allowDeletes: false });
  const costs = [];
  for (const plan of ['standard', 'free'] as const) {
    if (plan === 'free') await sandbox.control('POST', '/plan', { plan });
    await sandbox.control('POST', '/clock', { advance: '1m' });
    act(mirrored, 20);
    [calls, waitedMs] = [0, 0];
    const report = await reconcile(needs, { ...poll, events: allKinds, allowDeletes: false });
    // The free plan has no list of contacts.
    expect(report.unreadable.map(({ what }) => what)).toEqual(plan === 'free' ? ['contacts'] : []);
    costs.push({ plan, calls, minutes: Math.ceil(waitedMs / 60_000) });
  }
  return costs;
}

/** The page that names these numbers: docs/deploy.md. They depend a little on the day and the hour. A long run tries the larger account. */
const accounts = [
  { bookings: 100, mostCalls: 40, mostMinutes: { standard: 0, free: 2 } },
  { bookings: 1000, mostCalls: 80, mostMinutes: { standard: 0, free: 3 } },
];

it.each(accounts.slice(0, isLongRun ? 2 : 1))(
  'of $bookings bookings in two months takes few calls, on each plan',
  async ({ bookings, mostCalls, mostMinutes }) => {
    for (const { plan, calls, minutes } of await measured(bookings)) {
      expect([plan, calls < mostCalls]).toEqual([plan, true]);
      expect(minutes).toBeLessThanOrEqual(mostMinutes[plan]);
    }
  },
);
