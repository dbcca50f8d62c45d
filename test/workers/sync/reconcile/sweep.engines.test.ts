// The sweep in slices: in step with the time, from where it stood after a stop, and as thorough as a whole run.
import { expect, it } from 'vitest';
import { deleteContact, updateContact } from '#src/sandbox/world/contacts/contacts.ts';
import { dryRunStore } from '#src/store/open-store.ts';
import { readReconcileState } from '#src/store/jobs/reconcile-state.ts';
import { sweepSlice, type SliceOutcome } from '#workers/sync/reconcile/sweep.ts';
import { expectMirrored } from '../../../harness/mirror/mirror-comparison.ts';
import { allKinds, openTestReconcile, type TestReconcile } from '../../../harness/mirror/test-reconcile.ts';
import { inForms } from '../../../harness/sandbox.ts';
import { oneEngine, rowsOf } from '../../../harness/stores.ts';

const dayMs = 86_400_000;
const stepMs = 1_800_000;
const input = { everyMs: dayMs, events: allKinds };

/** Slices at a pace of the test's, until the test ends them. */
async function sweep(world: TestReconcile, startMs: number, fetch?: typeof globalThis.fetch) {
  const outcomes: SliceOutcome[] = [];
  for (let nowMs = startMs; outcomes.at(-1)?.kind !== 'done'; nowMs += stepMs) {
    // Each slice as another process would do it.
    outcomes.push(await sweepSlice(await world.needs({ now: () => new Date(nowMs) }, fetch), input));
    if (outcomes.length > 500) throw new Error('The sweep does not end.');
  }
  return outcomes;
}

for (const { fresh, as } of inForms(oneEngine)) {
  it(`creates, repairs and deletes in many small slices that read no page twice, and is over before the next is due (${as})`, async () => {
    await using world = await openTestReconcile(fresh, { contacts: 250, bookings: 10, as });
    const recapsOf = [world.sandbox.handles.users.owner];
    const startMs = Date.now();
    const asked: string[] = [];
    const first = await sweep(world, startMs, (url, init) => {
      if (/\/contacts\?/.test(String(url))) asked.push(String(url));
      return world.sandbox.fetch(url, init);
    });
    expect(first.length).toBeGreaterThan(3);
    expect([asked.length, new Set(asked).size]).toEqual([3, 3]);
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
    const slices = await sweep(world, startMs + dayMs);
    expect(slices.length).toBeGreaterThan(10);
    expect(slices.length * stepMs).toBeLessThan(dayMs);
    await expectMirrored(world.store, world.sandbox, { recapsOf });
    const { full } = await readReconcileState(world.store);
    expect(full?.drift).toEqual({ contact: { different: 1, extra: 1 } });
    const row = (await rowsOf(world.store, 'contacts')).find(({ uri }) => uri === gone.uri);
    expect(row?.['deleted_source']).toBe('reconcile');
  });
}
