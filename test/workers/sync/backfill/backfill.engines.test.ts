// Backfill between the sandbox and a store: afterwards the mirror is the service's own state, whatever went wrong on the way.
import { describe, expect, it } from 'vitest';
import { readProgress, writeProgress, type Counts } from '#workers/sync/backfill/progress.ts';
import { allResources } from '#workers/sync/resources/registry.ts';
import { openTestBackfill, type TestBackfill } from '../../../harness/mirror/test-backfill.ts';
import { mirrorDifferences } from '../../../harness/mirror/mirror-comparison.ts';
import { openedOnce } from '../../../harness/opened.ts';
import { inForms } from '../../../harness/sandbox.ts';
import { freshMemory, freshSqlite, rowsOf, storeEngines } from '../../../harness/stores.ts';

const names = allResources.map(({ name }) => name);
const sum = ({ created, updated, unchanged, quarantined }: Counts) => created + updated + unchanged + quarantined;
const differences = ({ store, sandbox }: TestBackfill) =>
  mirrorDifferences(store, sandbox, { recapsOf: [sandbox.handles.users.owner] });

describe.each(inForms(storeEngines))('a backfill into $name, the service as $as', ({ available, fresh, as }) => {
  it.runIf(available)(
    'leaves a mirror that is the same in every table, and finds nothing to change again',
    async () => {
      await using world = await openTestBackfill(fresh, { contacts: 20, bookings: 10, as });
      const { report, outcomes, notices } = await world.run();
      expect(report.isComplete).toBe(true);
      expect(report.resources.map((one) => [one.name, one.state])).toEqual(names.map((one) => [one, 'complete']));
      expect(await differences(world)).toEqual([]);
      expect(outcomes.contacts?.counts).toEqual({
        rows: 20,
        pages: 1,
        created: 20,
        updated: 0,
        unchanged: 0,
        quarantined: 0,
        left_out: 0,
        by_kind: { contact: 20 },
      });
      for (const { counts } of report.resources) expect(sum(counts)).toBe(counts.rows);
      expect(notices).toEqual([]);

      const before = (await rowsOf(world.store, 'event_log')).length;
      const again = await world.run();
      for (const { counts } of again.report.resources)
        expect([counts.rows, counts.unchanged]).toEqual([counts.rows, counts.rows]);
      expect((await rowsOf(world.store, 'event_log')).length).toBe(before);
      expect(await rowsOf(world.store, 'sync_checkpoints')).toEqual([]);
    },
  );
});

describe('a backfill of several pages', { shuffle: false }, () => {
  const world = openedOnce(async () => {
    const opened = await openTestBackfill(freshSqlite, { contacts: 205, bookings: 5 });
    await opened.run();
    return opened;
  });

  it('goes on where it was stopped, walks nothing again that was walked, and starts anew after it was complete', async () => {
    const first = await world.run({ stopAfter: 2, stopIn: 'contacts' });
    expect(first.report.isComplete).toBe(false);
    expect(first.outcomes.contacts).toMatchObject({ state: 'stopped', counts: { pages: 2, rows: 200 } });
    expect(first.outcomes.event_types?.state).toBe('waiting');
    const second = await world.run();
    expect(second.report.isComplete).toBe(true);
    expect(second.outcomes.organization_memberships?.state).toBe('already_complete');
    expect(second.outcomes.contacts).toMatchObject({ state: 'complete', counts: { pages: 3, rows: 205 } });
    // Once for the event types of the members.
    expect(second.calls.filter((call) => call === 'GET /organization_memberships')).toHaveLength(1);
    expect(second.calls.filter((call) => call === 'GET /contacts')).toHaveLength(1);
    const third = await world.run();
    expect(third.outcomes.organization_memberships?.state).toBe('complete');
    expect(third.calls.filter((call) => call === 'GET /contacts')).toHaveLength(3);
  });

  it('is not complete when it is stopped, whatever an earlier one could not read', async () => {
    const { organization, users } = world.sandbox.handles;
    const client = world.client('unknown-token');
    const sources = { client, organization, users: [{ uri: users.owner, client }] };
    await expect(world.run({ sources, restart: true })).rejects.toMatchObject({ status: 401 });
    const { report, outcomes } = await world.run({ stopAfter: 2 });
    expect([report.isComplete, outcomes.scheduled_events?.state]).toEqual([false, 'waiting']);
  });

  it('starts over when asked to, and goes on with what others were asked for, though it is asked for one of them', async () => {
    await world.run({ stopAfter: 2, stopIn: 'contacts' });
    const { outcomes, calls } = await world.run({ restart: true, stopAfter: 2, stopIn: 'contacts' });
    expect(outcomes.organization_memberships?.state).toBe('complete');
    // The one page that was left, were it not to start over.
    expect(calls.filter((call) => call === 'GET /contacts').length).toBeGreaterThan(1);
    expect((await world.run({ only: ['contacts'] })).outcomes.contacts).toMatchObject({ counts: { pages: 3 } });
    const { outcomes: last } = await world.run();
    expect([last.contacts?.state, last.event_types?.state]).toEqual(['already_complete', 'complete']);
    expect(await rowsOf(world.store, 'sync_checkpoints')).toEqual([]);
  });

  it('repeats a page whose progress was not stored, and counts each of its records once', async () => {
    await using opened = await openTestBackfill(freshMemory, {}, world.sandbox);
    const { store } = opened;
    const contacts = { only: ['contacts'] } as const;
    await opened.run({ ...contacts, stopAfter: 1 });
    const before = await readProgress(store, 'contacts');
    if (before === undefined) throw new Error('the backfill stored no progress');
    await opened.run({ ...contacts, stopAfter: 2 });
    await store.transaction((unit) => writeProgress(unit, 'contacts', before));
    const { outcomes, calls } = await opened.run(contacts);
    expect(outcomes.contacts).toMatchObject({
      state: 'complete',
      counts: { rows: 205, pages: 3, created: 105, updated: 0, unchanged: 100, by_kind: { contact: 205 } },
    });
    expect(calls.filter((call) => call === 'GET /contacts')).toHaveLength(2);
    expect((await rowsOf(store, 'event_log')).filter(({ event }) => event === 'contact.read')).toHaveLength(205);
    expect(await rowsOf(store, 'sync_checkpoints')).toEqual([]);
  });

  it('begins a list again whose page token is too old, says so, and counts each row once (W2)', async () => {
    await world.run({ only: ['contacts'], stopAfter: 2 });
    await world.sandbox.control('POST', '/clock', { advance: '25h' });
    const { outcomes, notices, calls } = await world.run({ only: ['contacts'] });
    expect(notices).toEqual([{ kind: 'restarted', list: 'contacts' }]);
    expect(outcomes.contacts).toMatchObject({ state: 'complete', counts: { rows: 205, pages: 3 } });
    expect(calls.filter((call) => call === 'GET /contacts')).toHaveLength(4);
  });

  it('goes on with the meetings after the last start time, where the page token is too old (W1)', async () => {
    await using meetings = await openTestBackfill(freshSqlite, { contacts: 0, bookings: 205 });
    const only = ['scheduled_events'] as const;
    await meetings.run({ only, stopAfter: 1 });
    await meetings.sandbox.control('POST', '/clock', { advance: '25h' });
    const { outcomes, notices, calls } = await meetings.run({ only });
    expect(notices).toEqual([]);
    const events = (await rowsOf(meetings.store, 'scheduled_events')).length;
    const invitees = (await rowsOf(meetings.store, 'invitees')).length;
    expect(outcomes.scheduled_events).toMatchObject({
      state: 'complete',
      counts: { rows: events + invitees, by_kind: { scheduled_event: events, invitee: invitees } },
    });
    // The refused page, those that are left, and the invitees of every meeting.
    expect(calls.filter((call) => call === 'GET /scheduled_events')).toHaveLength(3);
    expect(calls.filter((call) => call.endsWith('/invitees'))).toHaveLength(events);
    expect((await differences(meetings)).filter((line) => /^(scheduled_events|invitees) /.test(line))).toEqual([]);
  });

  it.each([
    { what: 'goes on from', advance: '1h', restarted: false },
    { what: 'begins again, counting each row once, where it is too old, from', advance: '25h', restarted: true },
  ])('$what a position that an earlier version stored (W1)', async ({ advance, restarted }) => {
    await using meetings = await openTestBackfill(freshMemory, { contacts: 0, bookings: 205 });
    const only = ['scheduled_events'] as const;
    const { store } = meetings;
    await meetings.run({ only, stopAfter: 1 });
    const stored = await readProgress(store, 'scheduled_events');
    if (stored === undefined) throw new Error('the backfill stored no progress');
    const { lists: _lists, brokeOff: _brokeOff, ...before } = stored;
    const { pending, next } = JSON.parse(stored.from ?? '') as { pending: readonly string[]; next: string };
    const from = JSON.stringify({ pending, next });
    await store.transaction((unit) => writeProgress(unit, 'scheduled_events', { ...before, from }));
    await meetings.sandbox.control('POST', '/clock', { advance });
    const { outcomes, notices, calls } = await meetings.run({ only });
    expect(notices).toEqual(restarted ? [{ kind: 'restarted', list: 'scheduled events' }] : []);
    const events = (await rowsOf(store, 'scheduled_events')).length;
    const invitees = (await rowsOf(store, 'invitees')).length;
    expect(outcomes.scheduled_events).toMatchObject({
      state: 'complete',
      counts: { by_kind: { scheduled_event: events, invitee: invitees } },
    });
    expect(calls.filter((call) => call === 'GET /scheduled_events')).toHaveLength(restarted ? 4 : 2);
    expect((await differences(meetings)).filter((line) => /^(scheduled_events|invitees) /.test(line))).toEqual([]);
  });
});
