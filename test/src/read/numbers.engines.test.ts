// The numbers equal a plain computation over the rows, on every store.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { fillBookingInvitees } from '#src/store/bookings/booking-invitees.ts';
import { numbersQuery } from '#src/addons/dashboard/pages/numbers/range.ts';
import { parseInput } from '#src/http/request.ts';
import { countBookings } from '#src/read/booking-counts.ts';
import { readBookingNumbers } from '#src/read/booking-numbers.ts';
import { readRevenueNumbers } from '#src/read/revenue-numbers.ts';
import { insertRows } from '#src/store/rows.ts';
import { applySettings } from '#src/store/settings-row.ts';
import { addTimeZones } from '#src/store/time-zones.ts';
import { openReadApi } from '../../harness/mirror/read-api.ts';
import { openedOnce } from '../../harness/opened.ts';
import { propertyTimeoutMs, runs } from '../../harness/runs.ts';
import { availableEngines, emptyTables, freshSqlite } from '../../harness/stores.ts';
import { bookingNumbersOf, revenueOf } from '../../oracle/numbers.ts';
import { bookingWorld, rowsOfWorld, uriOf, type WorldRows } from '../../harness/data/booking-world.ts';

const from = '2026-03-20';
const to = '2026-04-10';

describe.each(availableEngines)('numbers on $name', { timeout: propertyTimeoutMs }, ({ name, fresh }) => {
  const [count, reportZone] = name === 'sqlite' ? [36, 'Australia/Lord_Howe'] : [8, 'US/Pacific'];
  const api = openedOnce(() => openReadApi(() => fresh({ reportTimezone: reportZone })));
  beforeAll(() => applySettings(api.store, { reportTimezone: reportZone }, new Date().toISOString()));

  async function fill(rows: WorldRows): Promise<void> {
    await emptyTables(api.store);
    await api.store.transaction(async (unit) => {
      await insertRows(unit, 'event_types', rows.event_types);
      await insertRows(unit, 'users', rows.users);
      await insertRows(unit, 'scheduled_events', rows.scheduled_events);
      await insertRows(unit, 'invitees', rows.invitees);
      await fillBookingInvitees(unit);
      await addTimeZones(
        unit,
        [...rows.users, ...rows.invitees].flatMap(({ timezone }) => timezone ?? []),
      );
    });
  }

  it('equal a plain computation over the rows, for every filter and whichever link states a reschedule', async () => {
    const some = (kind: 'event_types' | 'users') => fc.constantFrom(...[0, 1, 2, 9].map((id) => uriOf(kind, id)));
    const zones = fc.record({ time_zone: fc.constantFrom('host', 'invitee') }, { requiredKeys: [] });
    const filter = fc.oneof(
      { weight: 3, arbitrary: fc.constant({}) },
      fc.record({ event_type: some('event_types') }),
      fc.record({ host: some('users') }),
      fc.record({ event_type: some('event_types'), host: some('users') }),
    );
    const missingLink = fc.constantFrom({}, { old_invitee: null }, { new_invitee: null });
    await fc.assert(
      fc.asyncProperty(bookingWorld, filter, zones, missingLink, async (world, filtered, inZones, missing) => {
        const asked = { ...filtered, ...inZones };
        const expected = { timezone: reportZone, from, to, ...asked };
        const rows = rowsOfWorld(world);
        await fill({ ...rows, invitees: rows.invitees.map((invitee) => ({ ...invitee, ...missing })) });
        const query = parseInput(numbersQuery, { from, to, ...asked });
        const numbers = await readBookingNumbers(api.context.reading, query, Date.now());
        expect(numbers).toEqual(bookingNumbersOf(rows, expected, new Date().toISOString()));
        expect(await readRevenueNumbers(api.context.reading, query, Date.now())).toEqual(revenueOf(rows, expected));
      }),
      runs(count),
    );
  });

  it('are the same in parts of any size', async () => {
    const groupings = ['day', 'hour', 'event_type', 'host', 'campaign', 'lead_time'] as const;
    const sums = async (bookingsPerPart?: number) => {
      const added = new Map<string, [number, number]>();
      const range = { from: `${from}T00:00:00.000000Z`, to: `${to}T00:00:00.000000Z`, where: [], bookingsPerPart };
      for await (const counts of countBookings(api.store, range, groupings))
        for (const { by, key, outcome, bookings, ended } of counts) {
          const [all, over] = added.get(`${by} ${key} ${outcome}`) ?? [0, 0];
          added.set(`${by} ${key} ${outcome}`, [all + bookings, over + ended]);
        }
      return added;
    };
    await fc.assert(
      fc.asyncProperty(bookingWorld, fc.nat(5), async (world, bookingsPerPart) => {
        await fill(rowsOfWorld(world));
        expect(await sums(bookingsPerPart)).toEqual(await sums());
      }),
      runs(Math.ceil(count / 4)),
    );
  });
});

describe('a request for numbers', () => {
  it('is about 90 days that end today when it does not say', async () => {
    await using api = await openReadApi(freshSqlite);
    const query = parseInput(numbersQuery, {});
    const numbers = await readBookingNumbers(api.context.reading, query, Date.now());
    const today = new Date().toISOString().slice(0, 10);
    expect(numbers).toMatchObject({ to: today, bookings: 0, rate: null });
    expect([numbers.days.length, numbers.days.at(-1)?.day]).toEqual([90, today]);
    const revenue = await readRevenueNumbers(api.context.reading, query, Date.now());
    expect(revenue).toMatchObject({ from: numbers.from, to: today, currencies: [] });
  });

  it('is refused for a range that ends before it begins, is longer than five years, or is no day', () => {
    for (const query of [
      { from: '2026-02-02', to: '2026-02-01' },
      { from: '2015-01-01', to: '2026-01-01' },
      { from: 'yesterday' },
      { to: '2026-02-30' },
      // No store has days before the first year, or after that of four digits.
      { to: '0001-01-01' },
      { from: '9999-12-31' },
      { x: '1' },
    ])
      expect(() => parseInput(numbersQuery, query)).toThrow(expect.objectContaining({ status: 400 }));
  });
});
