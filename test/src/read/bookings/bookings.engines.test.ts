// The search of bookings finds what the view has, page by page, whatever the links between invitees.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dayMs, instantOf } from '#src/base/time.ts';
import { fillBookingInvitees } from '#src/store/bookings/booking-invitees.ts';
import { writeRows, type StoredRow } from '#src/store/rows.ts';
import type { BookingSearch } from '#src/read/bookings/booking-conditions.ts';
import { countUnconfirmed } from '#src/read/bookings/needs-attention.ts';
import { bookingOfInvitee, findBookings, type BookingRow } from '#src/read/bookings/bookings.ts';
import type { KeysetPosition } from '#src/store/keyset.ts';
import { openedOnce } from '../../../harness/opened.ts';
import { viewRows } from '../../../harness/mirror/view-rows.ts';
import { runs } from '../../../harness/runs.ts';
import { emptyTables, availableEngines } from '../../../harness/stores.ts';

const uri = (kind: string, n: number) => `https://api.example.test/${kind}/${String(n).padStart(3, '0')}`;
const firstMs = Date.parse('2025-01-01T00:00:00Z');
const most = 14;
const upcoming = 36_500;

/** Links to itself, in circles, and to invitees that are not mirrored, too. */
const invitee = fc.record({
  bookedOn: fc.integer({ min: 0, max: 5 }),
  // Also in a hundred years: upcoming.
  startsOn: fc.oneof(fc.integer({ min: 4, max: 6 }), fc.constant(upcoming)),
  /** None, at once, overnight. */
  tookDays: fc.constantFrom(null, 0, 0.9, 0.9),
  status: fc.constantFrom('active', 'active', 'canceled'),
  attendees: fc.constantFrom(null, null, [], [{ host: true }], [{ host: false, user_email: 'ada@example.test' }]),
  old: fc.option(fc.integer({ min: 0, max: most + 2 }), { freq: 1 }),
  new: fc.option(fc.integer({ min: 0, max: most + 2 }), { freq: 1 }),
  isMissed: fc.constantFrom(true, false, false),
  host: fc.integer({ min: 0, max: 1 }),
  email: fc.constantFrom('ada@example.test', 'Ben@example.test', 'BEN@example.test'),
});

type Search = readonly [BookingSearch, isFound: (row: StoredRow) => boolean];
const searches: readonly Search[] = [
  [{}, () => true],
  [{ outcome: 'no_show' }, (row) => row['outcome'] === 'no_show'],
  ...(['came', 'unknown', 'canceled', 'moved', 'upcoming'] as const).map((outcome): Search => [
    { outcome },
    (row) => row['outcome'] === outcome,
  ]),
  [{ status: 'active' }, (row) => ['upcoming', 'came', 'no_show', 'unknown'].includes(String(row['outcome']))],
  [{ status: 'canceled' }, (row) => row['outcome'] === 'canceled'],
  [{ attendance: 'no_show' }, (row) => row['attendance'] === 'no_show'],
  [{ attendance: 'unconfirmed' }, (row) => row['attendance'] === 'unconfirmed'],
  [{ email: 'ben@example.test' }, (row) => /^ben/i.test(String(row['invitee_email']))],
  [{ q: 'BEN@' }, (row) => /^ben/i.test(String(row['invitee_email']))],
  [{ host: uri('users', 1) }, (row) => row['host'] === uri('users', 1)],
  [
    { min_start_time: instantOf(firstMs + 5 * dayMs), max_start_time: instantOf(firstMs + 6 * dayMs) },
    (row) =>
      String(row['start_time']) >= instantOf(firstMs + 5 * dayMs) &&
      String(row['start_time']) <= instantOf(firstMs + 6 * dayMs),
  ],
  ...[4.5, 5.5].map((day): Search => {
    const since = instantOf(firstMs + day * dayMs);
    const isFound = (row: StoredRow) =>
      ['unconfirmed', 'suspected_no_show'].includes(String(row['attendance'])) &&
      String(row['ended_at'] ?? '') >= since;
    return [{ unconfirmedSince: since }, isFound];
  }),
];

const orderOf = (row: StoredRow) => `${String(row['made_at'])} ${String(row['last_invitee'])}`;
const positionOf = (row: BookingRow | undefined): KeysetPosition | undefined =>
  row && { key: String(row.made_at), uri: row.last_invitee };

for (const engine of availableEngines)
  describe(`the search of bookings on ${engine.name}`, () => {
    const opened = openedOnce(engine.fresh);

    async function all(search: BookingSearch, backwards: boolean) {
      const found: BookingRow[] = [];
      let from: KeysetPosition | undefined;
      for (;;) {
        const request = { count: 2, descending: true, backwards, ...(from && { from }) };
        const page = await findBookings(opened.store, search, request);
        found.push(...(backwards ? page.items.toReversed() : page.items));
        if (!(backwards ? page.hasPrevious : page.hasNext)) return found;
        from = positionOf(found.at(-1));
      }
    }

    it('finds the rows of the view in order, each once', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(invitee, { minLength: 4, maxLength: most }), async (invitees) => {
          const { store } = opened;
          await emptyTables(store);
          await store.transaction(async (unit) => {
            await writeRows(
              unit,
              'invitees',
              invitees.map((one, n) => ({
                uri: uri('invitees', n),
                event_uri: uri('events', n),
                created_at: instantOf(firstMs + one.bookedOn * dayMs),
                email: one.email,
                name: one.email,
                status: one.status,
                old_invitee: one.old === null ? null : uri('invitees', one.old),
                new_invitee: one.new === null ? null : uri('invitees', one.new),
                no_show_at: one.isMissed ? instantOf(firstMs + 20 * dayMs) : null,
              })),
            );
            await writeRows(
              unit,
              'scheduled_events',
              invitees.map((one, n) => ({
                uri: uri('events', n),
                start_time: instantOf(firstMs + one.startsOn * dayMs),
                end_time: one.tookDays === null ? null : instantOf(firstMs + (one.startsOn + one.tookDays) * dayMs),
                hosts: [{ user: uri('users', one.host) }],
              })),
            );
            const recaps = invitees.map(({ attendees }, n) => ({
              uri: uri('recaps', n),
              event_uri: uri('events', n),
              attendees,
            }));
            await writeRows(unit, 'meeting_recaps', recaps);
            await fillBookingInvitees(unit);
          });
          const view = (await viewRows(store, 'bookings')).toSorted((a, b) => (orderOf(a) < orderOf(b) ? 1 : -1));
          for (const [search, isFound] of searches) {
            const found = await all(search, false);
            expect(view.filter(isFound)).toEqual(found);
            expect(await all(search, true)).toEqual(found.toReversed());
            const { unconfirmedSince: since } = search;
            if (since) expect(await countUnconfirmed(store, Date.parse(since))).toBe(found.length);
          }
          for (const booking of view) {
            const found = await bookingOfInvitee(store, String(booking['first_invitee']));
            expect(found?.booking).toEqual(booking);
            expect(found?.members).toHaveLength(Number(booking['invitees']));
          }
        }),
        runs(engine.name === 'sqlite' ? 8 : 4),
      );
    });

    it('finds the bookings of an address that has more of them than SQLite takes parameters', async () => {
      const { store } = opened;
      await emptyTables(store);
      const email = 'ada@example.test';
      const many = Array.from({ length: 33_000 }, (_, n) => ({
        uri: uri('invitees', n),
        event_uri: uri('events', 0),
        created_at: instantOf(firstMs + n * 1000),
        email,
      }));
      await store.transaction(async (unit) => {
        await writeRows(unit, 'scheduled_events', [{ uri: uri('events', 0) }]);
        await writeRows(unit, 'invitees', many);
      });
      const { items } = await findBookings(store, { email }, { count: 2, descending: true, backwards: false });
      expect(items.map(({ last_invitee: last }) => last)).toEqual([uri('invitees', 32_999), uri('invitees', 32_998)]);
    });
  });
