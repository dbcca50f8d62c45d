import { describe, expect } from 'vitest';
import { catchUpBookings, refillBookings } from '#src/store/bookings/booking-follower.ts';
import { bookingsBehind, overviewOf } from '#src/store/status-counts.ts';
import { ingestBodies, availableEngines, testWith } from '../../harness/stores.ts';

const delivery = (event: string, n: number): string =>
  JSON.stringify({ event, created_at: `2026-01-01T00:00:0${n}Z`, payload: { n } });

describe.each(availableEngines)('the counts of the mirror on $name', ({ fresh }) => {
  const it = testWith(fresh);

  it('name unknown kinds, the most frequent first, and none that could be a person', async ({ store }) => {
    const kinds = ['invitee.merged', 'contact.renamed', 'contact.renamed', 'ada@example.test', 'Ada Lovelace'];
    await ingestBodies(store, kinds.map(delivery));
    expect(await overviewOf(store)).toMatchObject({
      unhandled: 5,
      unknown_kinds: ['contact.renamed', 'invitee.merged'],
    });
  });

  it('say how far the bookings are behind the log, in entries and in seconds', async ({ store }) => {
    await store.transaction(refillBookings);
    const behind = () => bookingsBehind(store, Date.now() + 40_000);
    expect(await behind()).toEqual({ entries: 0, seconds: 0 });
    await ingestBodies(store, ['invitee.merged', 'contact.renamed'].map(delivery));
    // Since the table was last known to be current: an entry that was moved has an older time.
    expect(await behind()).toEqual({ entries: 2, seconds: 40 });
    await catchUpBookings(store);
    expect(await behind()).toEqual({ entries: 0, seconds: 0 });
  });
});
