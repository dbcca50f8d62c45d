// The search of bookings finds what the view has, whatever the links between invitees and however little it examines at a time.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dayMs, instantOf } from '#src/base/time.ts';
import { writeRows, type StoredRow } from '#src/store/rows.ts';
import type { BookingSearch } from '#src/read/bookings/booking-conditions.ts';
import { findBookings, journeyOf } from '#src/read/bookings/bookings.ts';
import type { KeysetPosition } from '#src/store/keyset.ts';
import { viewRows } from '../../../harness/mirror/view-rows.ts';
import { runs } from '../../../harness/runs.ts';
import { emptyTables, storeEngines, type TestStore } from '../../../harness/stores.ts';

const uri = (kind: string, n: number) => `https://api.example.test/${kind}/${String(n).padStart(3, '0')}`;
const firstMs = Date.parse('2025-01-01T00:00:00Z');
const most = 14;
const upcoming = 36_500;

/** Links to itself, in circles, and to invitees that are not mirrored, too. */
const invitee = fc.record({
  bookedOn: fc.integer({ min: 0, max: 5 }),
  // Also in a hundred years: upcoming.
  startsOn: fc.oneof(fc.integer({ min: 3, max: 9 }), fc.constant(upcoming)),
  old: fc.option(fc.integer({ min: 0, max: most + 2 }), { freq: 2 }),
  new: fc.option(fc.integer({ min: 0, max: most + 2 }), { freq: 2 }),
  isMissed: fc.boolean(),
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
];

type Invitee = typeof invitee extends fc.Arbitrary<infer Value> ? Value : never;
const single: Invitee = {
  bookedOn: 1,
  startsOn: 3,
  old: null,
  new: null,
  isMissed: false,
  host: 0,
  email: 'ada@example.test',
};
const first: Invitee = { ...single, bookedOn: 0, startsOn: upcoming, new: 1 };
type Example = [Invitee[], Search, { perPiece: number; mostIndexed: number }];
const examined = { perPiece: 1, mostIndexed: 1 };
const heldSearch: Search = [{ attendance: 'unconfirmed' }, (row) => row['attendance'] === 'unconfirmed'];
/** Each invitee is examined alone, so none may be left out that is the first of a journey that matches. */
const examples: Example[] = [
  // Moved to an upcoming meeting, and held all the same: moved again to an earlier time, or moved to two meetings.
  [[first, { ...single, startsOn: upcoming }, { ...single, old: 1 }], heldSearch, examined],
  [[first, { ...single, startsOn: upcoming, new: 2 }, single], heldSearch, examined],
  [[first, { ...single, startsOn: upcoming }, { ...single, bookedOn: 2, old: 0 }], heldSearch, examined],
  // Circles, which begin at their first URI.
  [
    [
      { ...single, old: 1 },
      { ...single, old: 0 },
    ],
    heldSearch,
    examined,
  ],
  [[{ ...single, old: 1, new: 1 }, single], [{ q: 'ada' }, () => true], examined],
];

const orderOf = (row: StoredRow) => `${String(row['booked_at'])} ${String(row['first_invitee'])}`;

for (const engine of storeEngines)
  describe.runIf(engine.available)(`the search of bookings on ${engine.name}`, () => {
    let opened: TestStore;
    beforeAll(async () => void (opened = await engine.fresh()));
    afterAll(() => opened[Symbol.asyncDispose]());

    async function all(search: BookingSearch, effort: { perPiece: number; mostIndexed: number }, backwards: boolean) {
      const found: StoredRow[] = [];
      let from: KeysetPosition | undefined;
      for (;;) {
        const page = { count: 2, descending: true, backwards, ...(from && { from }) };
        const { items, stoppedAt } = await findBookings(opened.store, search, page, { ...effort, mostExamined: 4 });
        const last = items.slice(0, 2).at(-1);
        found.push(...items.slice(0, 2));
        if (items.length <= 2 && stoppedAt === undefined) return found;
        from =
          items.length > 2 && last ? { key: String(last['booked_at']), uri: String(last['first_invitee']) } : stoppedAt;
      }
    }

    it('finds the rows of the view in order, each once', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(invitee, { minLength: 1, maxLength: most }),
          fc.constantFrom(...searches),
          fc.record({ perPiece: fc.integer({ min: 1, max: 5 }), mostIndexed: fc.constantFrom(1, 100) }),
          async (invitees, [search, isFound], effort) => {
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
                  status: 'active',
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
                  hosts: [{ user: uri('users', one.host) }],
                })),
              );
            });
            const view = (await viewRows(store, 'booking_journeys')).toSorted((a, b) =>
              orderOf(a) < orderOf(b) ? 1 : -1,
            );
            const expected = view.filter(isFound).map(({ contact_uri: _contact, ...row }) => row);
            expect(await all(search, effort, false)).toEqual(expected);
            expect(await all(search, effort, true)).toEqual(expected.toReversed());
            for (const journey of view) {
              const found = await journeyOf(store, String(journey['first_invitee']));
              expect(found?.journey['journey_uri']).toBe(journey['journey_uri']);
              expect(found?.members).toHaveLength(Number(journey['invitees']));
            }
          },
        ),
        {
          ...runs(engine.name === 'sqlite' ? 20 : 8),
          examples,
        },
      );
    });
  });
