// The progress of a backfill that was killed between a page and its progress.
import { describe, expect, it } from 'vitest';
import { readProgress, writeProgress } from '#workers/sync/backfill/progress.ts';
import { openTestBackfill } from '../../../harness/mirror/test-backfill.ts';
import { expectMirrored } from '../../../harness/mirror/mirror-comparison.ts';
import { oneEngine, rowsOf } from '../../../harness/stores.ts';

describe.each(oneEngine)('progress on $name', ({ fresh }) => {
  it('that was not stored repeats its page, and counts each of its records once', async () => {
    await using world = await openTestBackfill(fresh, { contacts: 450, bookings: 0 });
    const { store, sandbox } = world;
    await world.run({ stopAfter: 2 });
    const before = await readProgress(store, 'contacts');
    if (before === undefined) throw new Error('the backfill stored no progress');
    await world.run({ stopAfter: 3 });
    await store.transaction((unit) => writeProgress(unit, 'contacts', before));
    const { outcomes, calls } = await world.run();
    expect(outcomes.contacts).toMatchObject({
      state: 'complete',
      counts: { rows: 450, pages: 5, created: 350, updated: 0, unchanged: 100, by_kind: { contact: 450 } },
    });
    expect(calls.filter((call) => call === 'GET /contacts')).toHaveLength(3);
    await expectMirrored(store, sandbox, { recapsOf: [sandbox.handles.users.owner] });
    expect((await rowsOf(store, 'event_log')).filter(({ event }) => event === 'contact.read')).toHaveLength(450);
    expect(await rowsOf(store, 'sync_checkpoints')).toEqual([]);
  });
});
