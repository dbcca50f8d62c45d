// The search of bookings finds what the view has, page by page, whatever the links between invitees.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dayMs, instantOf } from '#src/base/time.ts';
import { fillBookingInvitees } from '#src/store/bookings/booking-invitees.ts';
import { writeRows, type StoredRow } from '#src/store/rows.ts';
import { countUnconfirmed } from '#src/read/bookings/needs-attention.ts';
import { bookingOfInvitee, findBookings, newestBookings, type BookingQuestion } from '#src/read/bookings/bookings.ts';
import type { Condition, OrderTerm } from '#src/read/tables/question.ts';
import type { PageOfRows } from '#src/read/tables/rows.ts';
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

const where = (column: string, value: string, operator: 'eq' | 'gte' | 'lte' = 'eq'): Condition => ({
  column,
  isNegated: false,
  operator,
  value,
});
const isMissed = [where('attendance', 'no_show')];

type Search = readonly [BookingQuestion, isFound: (row: StoredRow) => boolean];
const searches: readonly Search[] = [
  [{}, () => true],
  ...(['no_show', 'came', 'unknown', 'canceled', 'moved', 'upcoming'] as const).map((outcome): Search => [
    { where: [where('outcome', outcome)] },
    (row) => row['outcome'] === outcome,
  ]),
  [{ status: 'active' }, (row) => ['upcoming', 'came', 'no_show', 'unknown'].includes(String(row['outcome']))],
  [{ status: 'canceled' }, (row) => row['outcome'] === 'canceled'],
  [{ where: isMissed }, (row) => row['attendance'] === 'no_show'],
  [{ where: [where('attendance', 'unconfirmed')] }, (row) => row['attendance'] === 'unconfirmed'],
  [{ email: 'ben@example.test' }, (row) => /^ben/i.test(String(row['invitee_email']))],
  [{ q: 'BEN@' }, (row) => /^ben/i.test(String(row['invitee_email']))],
  [
    { q: 'BEN@', where: isMissed },
    (row) => /^ben/i.test(String(row['invitee_email'])) && row['attendance'] === 'no_show',
  ],
  [{ host: uri('users', 1) }, (row) => row['host'] === uri('users', 1)],
  [
    {
      where: [
        where('start_time', instantOf(firstMs + 5 * dayMs), 'gte'),
        where('start_time', instantOf(firstMs + 6 * dayMs), 'lte'),
      ],
    },
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

const orders: readonly OrderTerm[] = ['made_at', 'start_time', 'outcome', 'attendance', 'invitee_name'].flatMap(
  (name) => [true, false].map((isDescending) => ({ name, isDescending })),
);

/** Rows without a value come last; the key decides between equal ones. */
function inOrder(rows: readonly StoredRow[], { name, isDescending }: OrderTerm): readonly StoredRow[] {
  const sign = isDescending ? -1 : 1;
  const compare = (a: StoredRow, b: StoredRow, column: string): number => {
    const [one, other] = [a[column] ?? null, b[column] ?? null];
    if (one === other) return 0;
    if (one === null || other === null) return one === null ? 1 : -1;
    return String(one) < String(other) ? -sign : sign;
  };
  return rows.toSorted((a, b) => compare(a, b, name) || compare(a, b, 'uri'));
}

for (const engine of availableEngines)
  describe(`the search of bookings on ${engine.name}`, () => {
    const opened = openedOnce(engine.fresh);

    async function all(search: BookingQuestion, order: OrderTerm, isBackwards: boolean) {
      const rows: StoredRow[] = [];
      let from: PageOfRows['from'];
      for (;;) {
        const found = await findBookings(opened.store, search, {
          order: [order],
          page: { limit: 4, isBackwards, from },
        });
        if (typeof found === 'string') throw new Error(found);
        rows.push(...(isBackwards ? found.rows.toReversed() : found.rows));
        if (!(isBackwards ? found.hasPrevious : found.hasNext)) return rows;
        from = isBackwards ? found.first : found.last;
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
          const view = await viewRows(store, 'bookings');
          for (const [index, [search, isFound]] of searches.entries()) {
            const order = orders[index % orders.length] as OrderTerm;
            const found = await all(search, order, false);
            expect(found).toEqual(inOrder(view.filter(isFound), order));
            expect(await all(search, order, true)).toEqual(found.toReversed());
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
      const { rows } = await newestBookings(store, { email }, 2);
      expect(rows.map(({ last_invitee: last }) => last)).toEqual([uri('invitees', 32_999), uri('invitees', 32_998)]);
    });
  });
