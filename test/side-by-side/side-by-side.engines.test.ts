// The views on the table of bookings show what the views that computed all chains showed, for any deliveries in any order. The old ones
// stay until both have shown the same rows for 20,000 histories: FUZZ_RUNS sets how many.
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { catchUpBookings, refillBookings } from '#src/store/bookings/booking-follower.ts';
import type { StoredColumns } from '#src/store/columns.ts';
import type { Store } from '#src/store/contract.ts';
import { bookingJourneys } from '#src/store/views/booking-journeys.ts';
import { bookingsDaily } from '#src/store/views/bookings-daily.ts';
import { noShowRate } from '#src/store/views/no-show-rate.ts';
import { revenue } from '#src/store/views/revenue.ts';
import { routingFunnel } from '#src/store/views/routing-funnel.ts';
import type { View } from '#src/store/views/view.ts';
import { ingestObservations, mixedHistory } from '../harness/data/api-reads.ts';
import { bookingHistory } from '../harness/data/booking-histories.ts';
import { cut, reordered } from '../harness/data/delivery-histories.ts';
import { propertyTimeoutMs, runs } from '../harness/runs.ts';
import { emptyTables, freshMemory, freshPostgres, type TestStore } from '../harness/stores.ts';
import { bookingJourneys as oldJourneys } from './booking-journeys.ts';
import { bookingsDaily as oldDaily } from './bookings-daily.ts';
import { noShowRate as oldRate } from './no-show-rate.ts';
import { revenue as oldRevenue } from './revenue.ts';
import { routingFunnel as oldFunnel } from './routing-funnel.ts';

const pairs: readonly (readonly [View, View])[] = [
  [bookingJourneys, oldJourneys],
  [bookingsDaily, oldDaily],
  [noShowRate, oldRate],
  [revenue, oldRevenue],
  [routingFunnel, oldFunnel],
];
const arrivals = fc
  .oneof({ weight: 3, arbitrary: bookingHistory }, { weight: 1, arbitrary: mixedHistory() })
  .chain((observations) => reordered(observations).chain(cut));

async function rowsOf({ db, engine }: Store, view: View, zone: string): Promise<readonly string[]> {
  const { rows } = await sql<StoredColumns>`select * from (${view.select(engine.dialect, zone)}) as shown`.execute(db);
  return rows.map((row) => JSON.stringify(Object.keys(view.columns).map((name) => row[name]))).toSorted();
}

describe.each([
  { name: 'sqlite', available: true, fresh: freshMemory, count: 20 },
  { name: 'postgres', available: inject('postgresUrl') !== '', fresh: freshPostgres, count: 5 },
])('the views of bookings on $name', ({ available, fresh, count }) => {
  let opened: TestStore;
  beforeAll(async () => {
    if (available) opened = await fresh();
  });
  afterAll(() => opened?.[Symbol.asyncDispose]());

  it.runIf(available)(
    'show the same rows, old and new',
    async () => {
      const { store } = opened;
      let seen = 0;
      await fc.assert(
        fc.asyncProperty(arrivals, fc.integer({ min: 1, max: 5 }), async (batches, atOnce) => {
          await emptyTables(store);
          await store.transaction(refillBookings);
          for (const batch of batches) {
            await ingestObservations(store, batch);
            await catchUpBookings(store, { atOnce });
          }
          const zone = seen % 2 === 0 ? 'UTC' : 'Australia/Lord_Howe';
          for (const [view, old] of pairs)
            expect([view.name, zone, await rowsOf(store, view, zone)]).toEqual([
              view.name,
              zone,
              await rowsOf(store, old, zone),
            ]);
          seen += 1;
        }),
        runs(count),
      );
    },
    propertyTimeoutMs,
  );
});
