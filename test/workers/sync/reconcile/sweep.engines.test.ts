// The sweep in slices: in step with the time, from where it stood after a stop, and as thorough as a whole run.
import { describe, expect, it } from 'vitest';
import { deleteContact, updateContact } from '#src/sandbox/world/contacts/contacts.ts';
import { dryRunStore } from '#src/store/open-store.ts';
import { readReconcileState } from '#workers/sync/reconcile/reconcile-state.ts';
import { sweepSlice, type SliceOutcome } from '#workers/sync/reconcile/sweep.ts';
import { expectMirrored } from '../../../harness/mirror/mirror-comparison.ts';
import { allKinds, openTestReconcile, type TestReconcile } from '../../../harness/mirror/test-reconcile.ts';
import { inForms } from '../../../harness/sandbox.ts';
import { rowsOf, storeEngines } from '../../../harness/stores.ts';

const dayMs = 86_400_000;
const input = { everyMs: dayMs, events: allKinds };

/** Slices at a pace of the test's, until the test ends them. */
async function sweep(world: TestReconcile, stepMs: number, startMs: number): Promise<readonly SliceOutcome[]> {
  const outcomes: SliceOutcome[] = [];
  for (let nowMs = startMs; outcomes.at(-1)?.kind !== 'done'; nowMs += stepMs) {
    // Each slice as another process would do it.
    outcomes.push(await sweepSlice(await world.needs({ now: () => new Date(nowMs) }), input));
    if (outcomes.length > 500) throw new Error('The sweep does not end.');
  }
  return outcomes;
}

for (const { name, available, fresh, as } of inForms(storeEngines)) {
  describe.runIf(available)(`a sweep on ${name}, the service as ${as}`, () => {
    it('creates, repairs and deletes in many small slices, and is over before the next is due', async () => {
      await using world = await openTestReconcile(fresh, { contacts: 450, bookings: 60, as });
      const recapsOf = [world.sandbox.handles.users.owner];
      const startMs = Date.now();
      await sweep(world, 300_000, startMs);
      await expectMirrored(world.store, world.sandbox, { recapsOf });

      const book = world.sandbox.service.state.contacts.get(world.sandbox.handles.organization);
      const [gone, changed] = [...(book?.values() ?? [])];
      if (gone === undefined || changed === undefined) throw new Error('no contacts');
      // The times in rows are of whole seconds: what is deleted within the second of its reading is found by the next sweep.
      await world.sandbox.control('POST', '/clock', { advance: '2s' });
      deleteContact(world.sandbox.service, gone);
      updateContact(world.sandbox.service, changed, { company: 'Another Ltd' });

      const notDue = await sweepSlice(await world.needs({ now: () => new Date(startMs + dayMs / 2) }), input);
      expect(notDue).toEqual({ kind: 'not due' });
      // The clock of the last sweep was ahead.
      const needs = await world.needs({ now: () => new Date(startMs - dayMs) });
      const earlier = await sweepSlice({ ...needs, store: dryRunStore(needs.store) }, input);
      expect(earlier.kind).toBe('slice');
      const slices = await sweep(world, 300_000, startMs + dayMs);
      expect(slices.length).toBeGreaterThan(10);
      expect(slices.length * 300_000).toBeLessThan(dayMs);
      await expectMirrored(world.store, world.sandbox, { recapsOf });
      const { full } = await readReconcileState(world.store);
      expect(full?.drift).toEqual({ contact: { different: 1, extra: 1 } });
      const row = (await rowsOf(world.store, 'contacts')).find(({ uri }) => uri === gone.uri);
      expect(row?.['deleted_source']).toBe('reconcile');
    });

    it('reads no page twice when it is stopped between slices', async () => {
      await using world = await openTestReconcile(fresh, { contacts: 250, bookings: 0, as });
      const asked: string[] = [];
      const startMs = Date.now();
      const listening: typeof fetch = (url, init) => {
        if (/\/contacts\?/.test(String(url)))
          asked.push(new URL(String(url)).searchParams.get('page_token') ?? 'first');
        return world.sandbox.fetch(url, init);
      };
      for (let slice = 0; slice < 300; slice += 1) {
        const now = () => new Date(startMs + slice * 300_000);
        const outcome = await sweepSlice(await world.needs({ now }, listening), input);
        if (outcome.kind === 'done') break;
      }
      expect(asked).toHaveLength(3);
      expect(new Set(asked).size).toBe(3);
    });
  });
}
