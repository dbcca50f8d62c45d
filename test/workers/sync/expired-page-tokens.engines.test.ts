// Page tokens that die while other calls are made: one backfill mirrors everything all the same, in hardly more calls than there are
// pages and records, and counts each row once. Fifty calls a minute, on a clock that only pauses and calls move.
import { describe, expect, it } from 'vitest';
import type { Counts } from '#workers/sync/backfill/progress.ts';
import { reconcile } from '#workers/sync/reconcile/reconcile.ts';
import type { ResourceName } from '#workers/sync/resources/registry.ts';
import { sweepSlice } from '#workers/sync/reconcile/sweep.ts';
import { privacyScreen } from '#workers/privacy/screen.ts';
import { newUri } from '#src/sandbox/world/service.ts';
import { submitForm } from '#src/sandbox/world/routing.ts';
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
  const call: typeof fetch = async (input, init) => {
    const url = new URL(String(input));
    // Pages smaller than asked for: small worlds have several of them.
    if (url.searchParams.has('count')) url.searchParams.set('count', String(pageSize));
    time.pass(50);
    const answer = await sandbox.fetch(url, init);
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
      const needs = { store: fresh.store, sources: await world.sources(), screen: privacyScreen({ eraseOnDelete: true }) };
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
