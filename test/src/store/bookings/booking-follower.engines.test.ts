// The table of bookings follows the log: for any deliveries in any order and any batches, it equals what a plain computation from
// the rows says.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { catchUpBookings, refillBookings } from '#src/store/bookings/booking-follower.ts';
import { bookingHistory } from '../../../harness/data/booking-histories.ts';
import { cut, reordered } from '../../../harness/data/delivery-histories.ts';
import { ingestObservations } from '../../../harness/data/api-reads.ts';
import { propertyTimeoutMs, runs } from '../../../harness/runs.ts';
import {
  comparable,
  emptyTables,
  freshMemory,
  freshPostgres,
  rowsOf,
  type TestStore,
} from '../../../harness/stores.ts';
import type { Store } from '#src/store/contract.ts';

const arrivals = bookingHistory.chain((observations) => reordered(observations).chain(cut));

describe.each([
  { name: 'sqlite', available: true, fresh: freshMemory, count: 60 },
  { name: 'postgres', available: inject('postgresUrl') !== '', fresh: freshPostgres, count: 15 },
])('the table of bookings on $name', ({ available, fresh, count }) => {
  let opened: TestStore;
  beforeAll(async () => {
    if (available) opened = await fresh();
  });
  afterAll(() => opened?.[Symbol.asyncDispose]());

  /** Without the position in the log, which depends on the batches. */
  const table = async (store: Store) => {
    const bookings = (await rowsOf(store, 'bookings')).map((row) => ({ ...row, changed_seq: 0 }));
    return comparable({ bookings, booking_invitees: await rowsOf(store, 'booking_invitees') });
  };

  it.runIf(available)(
    'is the same, whether it follows entry by entry or is filled at once',
    async () => {
      const { store } = opened;
      await fc.assert(
        fc.asyncProperty(arrivals, fc.integer({ min: 1, max: 5 }), async (batches, atOnce) => {
          await emptyTables(store);
          await store.transaction(refillBookings);
          for (const batch of batches) {
            await ingestObservations(store, batch);
            await catchUpBookings(store, { atOnce });
          }
          const followed = await table(store);
          await store.transaction(refillBookings);
          expect(followed).toEqual(await table(store));
        }),
        runs(count),
      );
    },
    propertyTimeoutMs,
  );
});
