// For any deliveries in any order, each view equals a plain computation from the rows.
import fc, { type Arbitrary } from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { attendances } from '#src/store/bookings/evidence.ts';
import { shapeOfView } from '#src/store/views/views.ts';
import { attendedHistory, bookingHistory, submittedHistory } from '../../../harness/data/booking-histories.ts';
import { cut, reordered, type Observation } from '../../../harness/data/delivery-histories.ts';
import { ingestObservations, mixedHistory } from '../../../harness/data/api-reads.ts';
import { emptyTables, freshMemory, freshPostgres, projectedRows, type TestStore } from '../../../harness/stores.ts';
import { inOrder, viewRows } from '../../../harness/mirror/view-rows.ts';
import { propertyTimeoutMs, runs } from '../../../harness/runs.ts';
import { viewsOf } from '../../../oracle/views.ts';

interface Facts {
  readonly history: Arbitrary<Observation[]>;
  /** Per engine. */
  readonly counts: readonly [sqlite: number, postgres: number];
  /** All, unless named: a view costs as much as a delivery. */
  readonly views?: readonly string[];
  /** What rows must have had, or the facts prove nothing. */
  readonly met?: readonly (string | null)[];
}
const facts: Readonly<Record<string, Facts>> = {
  'of bookings': {
    history: fc.oneof({ weight: 3, arbitrary: bookingHistory }, { weight: 1, arbitrary: mixedHistory() }),
    counts: [50, 12],
  },
  'about who came': {
    history: attendedHistory,
    counts: [30, 10],
    views: ['booking_journeys'],
    met: [...attendances, null],
  },
  'of forms': {
    history: submittedHistory,
    counts: [60, 15],
    views: ['unbooked_submissions'],
    met: ['name', 'email', 'booked_otherwise'],
  },
};

describe.each(
  [
    { name: 'sqlite', available: true, fresh: freshMemory, reportZone: 'UTC' },
    { name: 'sqlite', available: true, fresh: freshMemory, reportZone: 'Australia/Lord_Howe' },
    { name: 'postgres', available: inject('postgresUrl') !== '', fresh: freshPostgres, reportZone: 'UTC' },
    { name: 'postgres', available: inject('postgresUrl') !== '', fresh: freshPostgres, reportZone: 'US/Pacific' },
  ].filter(({ available }) => available),
)('the views on $name, with reports in $reportZone', ({ name, fresh, reportZone }) => {
  let opened: TestStore;
  beforeAll(async () => void (opened = await fresh({ reportZone })));
  afterAll(() => opened[Symbol.asyncDispose]());

  const inUtc = reportZone === 'UTC';
  // Days and hours depend on the zone; who came and which form led to no booking does not.
  const tried = Object.entries(facts).filter(([, { views }]) => inUtc || views === undefined);
  it.each(tried)(
    'equal a plain computation from the rows for facts %s, and put every invitee into exactly one journey',
    async (_, { history, counts: [onSqlite, onPostgres], views, met = [] }) => {
      const { store } = opened;
      const count = name === 'sqlite' ? onSqlite : onPostgres;
      const found = new Set<unknown>();
      await fc.assert(
        fc.asyncProperty(
          history.chain((observations) => reordered(observations).chain(cut)),
          async (batches) => {
            await emptyTables(store);
            for (const batch of batches) await ingestObservations(store, batch);
            const contents = await projectedRows(store);
            const model = Object.entries(viewsOf(contents, new Date().toISOString(), reportZone));
            for (const [view, expected] of model.filter(([view]) => views?.includes(view) ?? true)) {
              const { key = [] } = (await shapeOfView(store, view)) ?? {};
              const rows = await viewRows(store, view);
              expect({ view, rows }).toEqual({ view, rows: inOrder(expected, key) });
              for (const row of rows)
                for (const [column, value] of Object.entries(row))
                  found.add(column === 'attendance' ? value : value === null ? undefined : column);
            }
            const journeys = await viewRows(store, 'booking_journeys');
            const placed = journeys.reduce((sum, journey) => sum + Number(journey['invitees']), 0);
            expect(placed).toBe(contents.invitees?.length ?? 0);
          },
        ),
        runs(inUtc ? count : Math.ceil(count / 2)),
      );
      if (name === 'sqlite') expect(met.filter((each) => !found.has(each))).toEqual([]);
    },
    propertyTimeoutMs,
  );
});
