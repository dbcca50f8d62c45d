// Backfill between the sandbox and a store: afterwards the mirror is the service's own state, whatever went wrong on the way.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Counts } from '#workers/sync/backfill/progress.ts';
import { allResources } from '#workers/sync/resources/registry.ts';
import { openTestBackfill, type Filled, type TestBackfill } from '../../../harness/mirror/test-backfill.ts';
import { expectMirrored, mirrorDifferences } from '../../../harness/mirror/mirror-comparison.ts';
import { inForms } from '../../../harness/sandbox.ts';
import { rowsOf, storeEngines } from '../../../harness/stores.ts';

const names = allResources.map(({ name }) => name);
const sum = ({ created, updated, unchanged, quarantined }: Counts) => created + updated + unchanged + quarantined;

for (const { name, available, fresh, as } of inForms(storeEngines)) {
  describe.runIf(available)(`a backfill into ${name}, the service as ${as}`, () => {
    let world: TestBackfill;
    let first: Filled;
    let differences: readonly string[];
    beforeAll(async () => {
      world = await openTestBackfill(fresh, { contacts: 250, bookings: 105, as });
      first = await world.run();
      differences = await mirrorDifferences(world.store, world.sandbox, ownRecaps());
    });
    afterAll(() => world[Symbol.asyncDispose]());
    const ownRecaps = () => ({ recapsOf: [world.sandbox.handles.users.owner] });

    it('leaves a mirror that is the same, field by field, in every table', async () => {
      const { report, outcomes, notices } = first;
      expect(report.isComplete).toBe(true);
      expect(report.resources.map((one) => [one.name, one.state])).toEqual(names.map((one) => [one, 'complete']));
      expect(differences).toEqual([]);
      expect(outcomes.contacts?.counts).toEqual({
        rows: 250,
        pages: 3,
        created: 250,
        updated: 0,
        unchanged: 0,
        quarantined: 0,
        left_out: 0,
        by_kind: { contact: 250 },
      });
      for (const { counts } of report.resources) expect(sum(counts)).toBe(counts.rows);
      expect(notices).toEqual([]);
    });

    it('finds nothing to change the second time, and the log does not grow', async () => {
      const before = (await rowsOf(world.store, 'event_log')).length;
      const { report } = await world.run();
      for (const { counts } of report.resources)
        expect([counts.rows, counts.unchanged]).toEqual([counts.rows, counts.rows]);
      expect((await rowsOf(world.store, 'event_log')).length).toBe(before);
      expect(await rowsOf(world.store, 'sync_checkpoints')).toEqual([]);
    });

    it('counts as updated what has changed since', async () => {
      const [contact] = await rowsOf(world.store, 'contacts');
      await world.sandbox.call('PATCH', String(contact?.['uri']), { body: { company: 'Another Company' } });
      const { outcomes } = await world.run({ only: ['contacts'] });
      expect(outcomes.contacts?.counts).toMatchObject({ created: 0, updated: 1, unchanged: 249 });
      await expectMirrored(world.store, world.sandbox, ownRecaps());
    });

    it('gets through too many calls and failures of the service', async () => {
      await world.sandbox.control('POST', '/faults', { rate_limit: 0.2, status: 0.1 });
      const { report, calls } = await world.run();
      await world.sandbox.control('POST', '/faults', {});
      expect(report.isComplete).toBe(true);
      expect(calls.length).toBeGreaterThan((await world.run()).calls.length);
      await expectMirrored(world.store, world.sandbox, ownRecaps());
    });

    it('goes on where it was stopped, walks nothing again that was walked, and starts anew after it was complete', async () => {
      const first = await world.run({ stopAfter: 2 });
      expect(first.report.isComplete).toBe(false);
      expect(first.outcomes.contacts).toMatchObject({ state: 'stopped', counts: { pages: 2, rows: 200 } });
      expect(first.outcomes.event_types?.state).toBe('waiting');
      const second = await world.run();
      expect(second.report.isComplete).toBe(true);
      expect(second.outcomes.organization_memberships?.state).toBe('already_complete');
      expect(second.outcomes.contacts).toMatchObject({ state: 'complete', counts: { pages: 3, rows: 250 } });
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
      expect((await world.run()).report.isComplete).toBe(true);
    });

    it('starts over when asked to, wherever it stood', async () => {
      await world.run({ stopAfter: 2 });
      const { outcomes, calls } = await world.run({ restart: true });
      expect(outcomes.organization_memberships?.state).toBe('complete');
      expect(calls.filter((call) => call === 'GET /contacts')).toHaveLength(3);
    });

    it('goes on with what others were asked for, though it is asked for one of them', async () => {
      await world.run({ stopAfter: 2 });
      expect((await world.run({ only: ['contacts'] })).outcomes.contacts).toMatchObject({ counts: { pages: 3 } });
      const { outcomes } = await world.run();
      expect(outcomes.contacts?.state).toBe('already_complete');
      expect(outcomes.event_types?.state).toBe('complete');
      expect(await rowsOf(world.store, 'sync_checkpoints')).toEqual([]);
    });

    it('begins a list again whose page token is too old, and says so', async () => {
      await world.run({ only: ['contacts'], stopAfter: 2 });
      await world.sandbox.control('POST', '/clock', { advance: '25h' });
      const { outcomes, notices, calls } = await world.run({ only: ['contacts'] });
      expect(notices).toEqual([{ kind: 'restarted', list: 'contacts' }]);
      expect(outcomes.contacts).toMatchObject({ state: 'complete', counts: { rows: 450, pages: 5 } });
      expect(calls.filter((call) => call === 'GET /contacts')).toHaveLength(4);
    });

    it('begins the meetings again too, in the midst of their invitees', async () => {
      await world.run({ only: ['scheduled_events'], stopAfter: 3 });
      await world.sandbox.control('POST', '/clock', { advance: '25h' });
      const { outcomes, notices } = await world.run({ only: ['scheduled_events'] });
      expect(notices).toEqual([{ kind: 'restarted', list: 'scheduled events' }]);
      expect(outcomes.scheduled_events?.state).toBe('complete');
      await world.run();
      await expectMirrored(world.store, world.sandbox, ownRecaps());
    });
  });
}
