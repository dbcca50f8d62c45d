// One rule says how a booking ended: views, API, pages, tools, numbers, people and alerts agree for any deliveries in any order, also where
// only one of two links states a reschedule.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadBookingContexts } from '#src/read/bookings/booking-context.ts';
import { catchUpBookings, refillBookings } from '#src/store/bookings/booking-follower.ts';
import type { StoredRow } from '#src/store/rows.ts';
import { bookingRules } from '../../harness/alerts/watched-rules.ts';
import { ingestObservations } from '../../harness/data/api-reads.ts';
import { bookingHistory } from '../../harness/data/booking-histories.ts';
import { cut, reordered } from '../../harness/data/delivery-histories.ts';
import { openDashboard } from '../../harness/mirror/dashboard.ts';
import { openMcp } from '../../harness/mirror/mcp.ts';
import { viewRows } from '../../harness/mirror/view-rows.ts';
import { openedOnce } from '../../harness/opened.ts';
import { propertyTimeoutMs, runs } from '../../harness/runs.ts';
import { emptyTables, availableEngines, rowsOf } from '../../harness/stores.ts';

const arrivals = bookingHistory.chain((observations) => reordered(observations).chain(cut));
const outcomes = ['upcoming', 'held', 'no_show', 'canceled_by_host', 'late_cancellation', 'rescheduled'];
const sum = (rows: readonly StoredRow[], column: string) => rows.reduce((all, row) => all + Number(row[column]), 0);
const idOf = (uri: unknown) => String(uri).split('/').at(-1);

describe.each(availableEngines)('how bookings ended, on $name', { timeout: propertyTimeoutMs }, ({ name, fresh }) => {
  const mcp = openedOnce(() => openMcp({ fresh }));
  const pages = openedOnce(() =>
    openDashboard(async () => ({ store: mcp.store, [Symbol.asyncDispose]: async () => {} })),
  );

  const last = (rows: readonly StoredRow[]) => rows.map((row) => idOf(row['last_invitee'])).toSorted();

  /** The last invitees of the bookings with an outcome, as the page and the tool have them. */
  async function readersOf(outcome: string) {
    const { html } = await pages.page(`/bookings?outcome=${outcome}`);
    const { data } = await mcp.call('list_bookings', { outcome });
    return {
      page: [...new Set([...html.matchAll(/href="\/bookings\/(\d+)"/g)].map(([, id]) => id))].toSorted(),
      tool: (data.answer.bookings as { booking: string }[]).map(({ booking }) => idOf(booking)).toSorted(),
    };
  }

  it('is the same in views, API, pages, tools, numbers, people and alerts', async () => {
    const { store } = mcp;
    const [rule] = await bookingRules({ name: 'missed', when: 'no_show' });
    await fc.assert(
      fc.asyncProperty(arrivals, fc.constantFrom(...outcomes), async (batches, outcome) => {
        await emptyTables(store);
        await store.transaction(refillBookings);
        for (const batch of batches) await ingestObservations(store, batch);
        await catchUpBookings(store);
        const journeys = await viewRows(store, 'booking_journeys');
        const ended = (outcome: string) => journeys.filter((row) => row['outcome'] === outcome);
        // A list by the time of booking leaves out bookings without one.
        const dated = (rows: readonly StoredRow[]) => rows.filter((row) => row['booked_at'] !== null);
        const { body: list } = await mcp.get('/api/bookings?count=100');
        for (const each of outcomes)
          expect([each, last(list.collection.filter((row: StoredRow) => row['outcome'] === each))]).toEqual([
            each,
            last(dated(ended(each))),
          ]);
        const ids = last(dated(ended(outcome)));
        expect([outcome, await readersOf(outcome)]).toEqual([outcome, { page: ids, tool: ids }]);

        const inJanuary = (row: StoredRow) => String(row['start_time']).startsWith('2025-01');
        const meetings = [...ended('held'), ...ended('no_show')];
        const unconfirmed = meetings.filter((row) => /unconfirmed|suspected/.test(String(row['attendance'])));
        const { body: numbers } = await mcp.get('/api/numbers/bookings?from=2025-01-01&to=2025-01-31&timezone=UTC');
        expect(numbers).toMatchObject({
          meetings: meetings.filter(inJanuary).length,
          no_shows: ended('no_show').filter(inJanuary).length,
          unconfirmed: unconfirmed.filter(inJanuary).length,
        });
        const rates = (await viewRows(store, 'no_show_rate')).filter((row) => row['dimension'] === 'event_type');
        expect([sum(rates, 'held'), sum(rates, 'no_shows'), sum(rates, 'unconfirmed')]).toEqual([
          ended('held').length,
          ended('no_show').length,
          unconfirmed.length,
        ]);
        const people = await viewRows(store, 'people');
        const addressed = (rows: readonly StoredRow[]) => rows.filter((row) => row['invitee_email']).length;
        expect([sum(people, 'shows'), sum(people, 'no_shows'), sum(people, 'unconfirmed')]).toEqual([
          addressed(ended('held')),
          addressed(ended('no_show')),
          addressed(unconfirmed),
        ]);

        const invitees = (await rowsOf(store, 'invitees')).map(({ uri }) => String(uri));
        const contexts = await loadBookingContexts(store, invitees);
        const alerted = invitees.filter((uri) => {
          const context = contexts.get(uri);
          return context !== undefined && rule !== undefined && rule.find(context).length > 0;
        });
        const missed = ended('no_show').map((row) => String(row['last_invitee']));
        expect(alerted.toSorted()).toEqual(missed.toSorted());
        const { body: marks } = await mcp.get('/api/no_shows?count=100');
        const marked = (marks.collection as StoredRow[]).map((row) => String(row['invitee_uri']));
        expect([...new Set(marked)].toSorted()).toEqual(missed.toSorted());
      }),
      runs(name === 'sqlite' ? 18 : 5),
    );
  });
});
