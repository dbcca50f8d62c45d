// The state of backfill and comparisons: while one runs, after it ended, and over time.
import { describe, expect, it } from 'vitest';
import { updateContact } from '#src/sandbox/world/contacts/contacts.ts';
import { readSync } from '#src/api/mirror/sync.ts';
import { dayMs } from '#src/base/time.ts';
import { keyValue, writeValue } from '#src/store/key-value.ts';
import { takeLease } from '#src/store/jobs/lease.ts';
import { readDriftHistory, recordRun } from '#src/store/jobs/reconcile-state.ts';
import { reconcile } from '#workers/sync/reconcile/reconcile.ts';
import { sweepSlice } from '#workers/sync/reconcile/sweep.ts';
import { z } from 'zod';
import { openReadApi } from '../../../harness/mirror/read-api.ts';
import { openTestBackfill } from '../../../harness/mirror/test-backfill.ts';
import { allKinds, openTestReconcile } from '../../../harness/mirror/test-reconcile.ts';
import { testProcess } from '../../../harness/mirror/test-process.ts';
import { oneEngine, type TestStore } from '../../../harness/stores.ts';

const process = testProcess();

/** On a store that another part of the test has opened, and closes. */
async function syncOf(store: TestStore['store'], more = process) {
  const kept = { store, [Symbol.asyncDispose]: async () => {} };
  await using api = await openReadApi(async () => kept, { process: more });
  return await readSync(api.context);
}

const run = (finishedMs: number, drift: Record<string, Record<string, number>>) => ({
  started_at: new Date(finishedMs - 1000).toISOString(),
  finished_at: new Date(finishedMs).toISOString(),
  read: 10,
  quarantined: 0,
  drift,
  meeting_dates: 0,
  unreadable: [],
  held_back: {},
  not_compared: 0,
});

for (const { name, available, fresh } of oneEngine)
  describe.runIf(available)(`the state of the synchronization on ${name}`, () => {
    it('says that nothing was copied yet, and what a comparison waits for', async () => {
      await using empty = await fresh();
      expect(await syncOf(empty.store)).toMatchObject({
        waitsFor: 'backfill',
        backfill: { state: 'never', resources: [], last: null, first_completed_at: null },
        recent: { everyMs: 3_600_000, isRunning: false, failures: 0, dueAt: null, last: null },
        full: { dueAt: null, progress: null, last: null },
        gap: null,
        drift: { days: [], runs: [] },
      });
      const { schedule } = process;
      const unset = testProcess({ schedule: { ...schedule, canCompare: false } });
      expect(await syncOf(empty.store, unset)).toMatchObject({ waitsFor: 'settings' });
    });

    it('shows how far a backfill is, how fast, and its result once it is complete', async () => {
      await using world = await openTestBackfill(fresh, { contacts: 110, bookings: 5 });
      await world.run({ stopAfter: 1, stopIn: 'contacts' });
      const { backfill } = await syncOf(world.store);
      expect(backfill.state).toBe('reading');
      const members = backfill.resources.find((each) => each.name === 'organization_memberships');
      expect(members).toMatchObject({ state: 'complete', seconds_left: null, pages: expect.any(Number) });
      await world.run();
      const { last, ...done } = (await syncOf(world.store)).backfill;
      const first_completed_at = expect.stringMatching(/^20/);
      expect(done).toMatchObject({ state: 'complete', resources: [], first_completed_at });
      const contacts = last?.resources.find((each) => each.name === 'contacts');
      expect(contacts).toMatchObject({ state: 'complete', rows: 110, created: 110, quarantined: 0 });
    });

    it('estimates the time left from the pages of the process that reads, and notices that it has stopped', async () => {
      await using made = await fresh();
      const counts = (meetings: number) => ({
        created: meetings,
        updated: 0,
        unchanged: 0,
        quarantined: 0,
        left_out: 0,
        pages: meetings / 100,
        rows: meetings * 2,
        by_kind: { scheduled_event: meetings, invitee: meetings },
      });
      const stored = async (secondsAgo: number) => {
        const storedMs = Date.now() - secondsAgo * 1000;
        const [began_at, stored_at] = [storedMs - 600_000, storedMs].map((ms) => new Date(ms).toISOString());
        const pace = { began_at, began_with: counts(1000), stored_at, total: 6000 };
        const at = { state: 'walking', from: 'token', missing: [], counts: counts(2000), pace };
        const written = (key: string) => ({ ...keyValue(key, z.unknown()), table: 'sync_checkpoints' as const });
        await made.store.transaction(async (unit) => {
          const resources = ['contacts', 'scheduled_events'];
          await writeValue(unit, written('backfill'), { resources, ended: ['contacts'] });
          await writeValue(unit, written('backfill scheduled_events'), at);
        });
        return (await syncOf(made.store)).backfill;
      };
      expect(await stored(5)).toMatchObject({
        state: 'reading',
        resources: [
          { name: 'contacts', state: 'complete' },
          // A thousand in ten minutes, four thousand to come.
          { state: 'reading', records: 2000, total: 6000, rows_per_minute: 200, seconds_left: 2400 },
        ],
      });
      expect(await stored(200)).toMatchObject({
        state: 'stopped',
        resources: [{}, { state: 'stopped', rows_per_minute: null, seconds_left: null }],
      });
    });

    it('shows what comparisons found, when the next is due, and the progress of a sweep', async () => {
      await using world = await openTestReconcile(fresh, { contacts: 110, bookings: 5 });
      const compare = async (kind: 'full' | 'recent') =>
        reconcile(await world.needs(), { scope: { kind }, events: allKinds, repair: true, allowDeletes: false });
      await compare('full');
      const [contact] = world.sandbox.service.state.contacts.get(world.sandbox.handles.organization)?.values() ?? [];
      if (contact === undefined) throw new Error('no contact');
      updateContact(world.sandbox.service, contact, { company: 'Another Ltd' });
      await compare('recent');
      const startMs = Date.now() + 2 * dayMs;
      const now = () => new Date(startMs);
      const slice = await sweepSlice(await world.needs({ now }), { everyMs: dayMs, events: allKinds });
      expect(slice.kind).toBe('slice');
      const lease = { store: world.store, nowMs: Date.now, holder: 'a process' };
      expect(await takeLease(lease, { job: 'reconcile', everyMs: 60_000 })).toEqual({ kind: 'taken' });
      const sync = await syncOf(world.store);
      expect(sync).toMatchObject({
        waitsFor: null,
        recent: { last: { drifted: 1, drift: { contact: { different: 1 } } } },
        full: { last: { drifted: 0 }, progress: { pages: expect.any(Number), done: expect.any(Array) } },
      });
      // Its first run has not ended.
      expect(sync.recent).toMatchObject({ isRunning: true, dueAt: expect.stringMatching(/^20/) });
      const { progress } = sync.full;
      expect(progress?.expectedPages).toBeGreaterThanOrEqual(progress?.pages ?? Infinity);
      expect(Date.parse(progress?.endsAt ?? '')).toBe(Math.round(startMs + dayMs * 0.8));
      expect(sync.drift.days).toMatchObject([{ runs: 2, missing: 0, different: 1, extra: 0 }]);
      expect(sync.drift.runs.map(({ scope }) => scope)).toEqual(['recent', 'full']);
    });

    it('stores the drift of a bounded number of days and runs', async () => {
      await using made = await fresh();
      const firstMs = Date.parse('2026-01-01T12:00:00Z');
      for (let day = 0; day < 130; day += 1)
        await recordRun(made.store, 'recent', {
          run: run(firstMs + day * dayMs, { contact: { missing: 1, extra: 2 } }),
        });
      await recordRun(made.store, 'full', { run: run(firstMs + 129 * dayMs, { invitee: { different: 3 } }) });
      const { days, runs } = await readDriftHistory(made.store);
      expect([days.length, runs.length]).toEqual([120, 30]);
      expect(days.at(-1)).toEqual({ day: '2026-05-10', runs: 2, read: 20, missing: 1, extra: 2, different: 3 });
      expect(runs[0]).toMatchObject({ scope: 'full', drift: { invitee: { different: 3 } } });
    });
  });
