// The search of bookings finds what the view has, whatever the links between invitees and however little it examines at a time.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dayMs, instantOf } from '#src/base/time.ts';
import { refillBookings } from '#src/store/bookings/booking-follower.ts';
import { writeRows, type StoredRow } from '#src/store/rows.ts';
import type { BookingSearch } from '#src/read/bookings/booking-conditions.ts';
import { countUnconfirmed } from '#src/read/bookings/needs-attention.ts';
import { findBookings, journeyOf, type BookingRow } from '#src/read/bookings/bookings.ts';
import type { KeysetPosition } from '#src/store/keyset.ts';
import { viewColumns } from '#src/store/views/views.ts';
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
  [{ outcome: 'held' }, (row) => row['outcome'] === 'held'],
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
      String(row['end_time'] ?? row['start_time']) >= since;
    return [{ unconfirmedSince: since }, isFound];
  }),
];

const inView = (row: BookingRow) =>
  Object.fromEntries(Object.entries(row).filter(([name]) => name in viewColumns('booking_journeys')));
const orderOf = (row: StoredRow) => `${String(row['booked_at'])} ${String(row['first_invitee'])}`;

for (const engine of availableEngines)
  describe(`the search of bookings on ${engine.name}`, () => {
    const opened = openedOnce(engine.fresh);

    async function all(search: BookingSearch, effort: { mostScanned: number; mostSorted: number }, backwards: boolean) {
      const found: BookingRow[] = [];
      let from: KeysetPosition | undefined;
      for (;;) {
        const request = { count: 2, descending: true, backwards, ...(from && { from }) };
        const page = await findBookings(opened.store, search, request, effort);
        found.push(...(backwards ? page.items.toReversed() : page.items));
        if (!(backwards ? page.hasPrevious : page.hasNext)) return found;
        from = backwards ? page.first : page.last;
      }
    }

    it('finds the rows of the view in order, each once', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(invitee, { minLength: 4, maxLength: most }),
          fc.record({ mostScanned: fc.integer({ min: 4, max: 6 }), mostSorted: fc.constantFrom(1, 100) }),
          async (invitees, effort) => {
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
              await refillBookings(unit);
            });
            const view = (await viewRows(store, 'booking_journeys')).toSorted((a, b) =>
              orderOf(a) < orderOf(b) ? 1 : -1,
            );
            for (const [search, isFound] of searches) {
              const found = await all(search, effort, false);
              expect(view.filter(isFound)).toMatchObject(found.map(inView));
              expect(await all(search, effort, true)).toEqual(found.toReversed());
              const { unconfirmedSince: since } = search;
              if (since) expect(await countUnconfirmed(store, Date.parse(since))).toBe(found.length);
            }
            for (const journey of view) {
              const position = await journeyOf(store, String(journey['first_invitee']));
              expect(position?.journey.journey_uri).toBe(journey['journey_uri']);
              expect(position?.members).toHaveLength(Number(journey['invitees']));
              expect(position?.members.at(-1)).toBe(journey['last_invitee']);
            }
          },
        ),
        runs(engine.name === 'sqlite' ? 8 : 4),
      );
    });
  });
