// For any deliveries in any order, each view equals a plain computation from the rows.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { shapeOfView } from '#src/store/views/views.ts';
import { bookingHistory } from '../../../harness/data/booking-histories.ts';
import { cut, reordered } from '../../../harness/data/delivery-histories.ts';
import { ingestObservations, mixedHistory } from '../../../harness/data/api-reads.ts';
import { emptyTables, freshMemory, freshPostgres, projectedRows, type TestStore } from '../../../harness/stores.ts';
import { inOrder, viewRows } from '../../../harness/mirror/view-rows.ts';
import { propertyTimeoutMs, runs } from '../../../harness/runs.ts';
import { viewsOf } from '../../../oracle/views.ts';

const arrivals = fc
  .oneof({ weight: 3, arbitrary: bookingHistory }, { weight: 1, arbitrary: mixedHistory() })
  .chain((observations) => reordered(observations).chain(cut));

describe.each([
  { name: 'sqlite', available: true, fresh: freshMemory, count: 50, reportZone: 'UTC' },
  { name: 'sqlite', available: true, fresh: freshMemory, count: 25, reportZone: 'Australia/Lord_Howe' },
  { name: 'postgres', available: inject('postgresUrl') !== '', fresh: freshPostgres, count: 12, reportZone: 'UTC' },
  {
    name: 'postgres',
    available: inject('postgresUrl') !== '',
    fresh: freshPostgres,
    count: 6,
    reportZone: 'US/Pacific',
  },
])('the views on $name, with reports in $reportZone', ({ available, fresh, count, reportZone }) => {
  let opened: TestStore;
  beforeAll(async () => {
    if (available) opened = await fresh({ reportZone });
  });
  afterAll(() => opened?.[Symbol.asyncDispose]());

  it.runIf(available)(
    'equal a plain computation from the rows, and put every invitee into exactly one journey',
    async () => {
      const { store } = opened;
      await fc.assert(
        fc.asyncProperty(arrivals, async (batches) => {
          await emptyTables(store);
          for (const batch of batches) await ingestObservations(store, batch);
          const contents = await projectedRows(store);
          for (const [view, expected] of Object.entries(viewsOf(contents, new Date().toISOString(), reportZone))) {
            const { key = [] } = (await shapeOfView(store, view)) ?? {};
            expect({ view, rows: await viewRows(store, view) }).toEqual({ view, rows: inOrder(expected, key) });
          }
          const journeys = await viewRows(store, 'booking_journeys');
          const placed = journeys.reduce((sum, journey) => sum + Number(journey['invitees']), 0);
          expect(placed).toBe(contents.invitees?.length ?? 0);
        }),
        runs(count),
      );
    },
    propertyTimeoutMs,
  );
});
