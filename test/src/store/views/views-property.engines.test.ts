// For any deliveries in any order, each view equals a plain computation from the rows.
import fc, { type Arbitrary } from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { attendances } from '#src/store/bookings/words.ts';
import { applySettings } from '#src/store/settings-row.ts';
import { shapeOfView } from '#src/store/views/views.ts';
import { openedOnce } from '../../../harness/opened.ts';
import { attendedHistory, bookingHistory, submittedHistory } from '../../../harness/data/booking-histories.ts';
import { cut, reordered, type Observation } from '../../../harness/data/delivery-histories.ts';
import { ingestObservations, mixedHistory } from '../../../harness/data/api-reads.ts';
import { availableEngines, emptyTables, projectedRows, type Contents } from '../../../harness/stores.ts';
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
    counts: [45, 12],
  },
  'who came': { history: attendedHistory, counts: [120, 12], views: ['bookings'], met: [...attendances, null] },
  'of forms': {
    history: submittedHistory,
    counts: [36, 9],
    views: ['unbooked_submissions'],
    met: ['name', 'email', 'booked_otherwise'],
  },
};

/** Those whose booking has a meeting: an invitee without one is no booking. */
function inviteesWithMeeting({ invitees = [], booking_invitees: links = [] }: Contents) {
  const bookingOf = new Map(links.map((link) => [link['invitee_uri'], link['booking_uri']]));
  const lastOf = new Map(
    links.filter((link) => link['is_last']).map((link) => [link['booking_uri'], link['invitee_uri']]),
  );
  const meetingOf = new Map(invitees.map(({ uri, event_uri: event }) => [uri, event]));
  return invitees.filter(({ uri }) => meetingOf.get(lastOf.get(bookingOf.get(uri)) ?? uri) !== null);
}

describe.each(availableEngines)('the views on $name', { timeout: propertyTimeoutMs }, ({ name, fresh }) => {
  const reportZone = name === 'sqlite' ? 'Australia/Lord_Howe' : 'Europe/Lisbon';
  const opened = openedOnce(fresh);
  beforeAll(() => applySettings(opened.store, { reportTimezone: reportZone }, new Date().toISOString()));

  it.each(Object.entries(facts))(
    'equal a plain computation from the rows for facts %s, and put every invitee of a meeting into exactly one booking',
    async (_, { history, counts: [onSqlite, onPostgres], views, met = [] }) => {
      const { store } = opened;
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
            const bookings = await viewRows(store, 'bookings');
            const placed = bookings.reduce((sum, booking) => sum + Number(booking['invitees']), 0);
            expect(placed).toBe(inviteesWithMeeting(contents).length);
          },
        ),
        runs(name === 'sqlite' ? onSqlite : onPostgres),
      );
      if (name === 'sqlite') expect(met.filter((each) => !found.has(each))).toEqual([]);
    },
  );
});
