// The numbers equal a plain computation over the rows, on every store.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { refillBookings } from '#src/store/bookings/booking-follower.ts';
import { countBookings } from '#src/read/numbers/booking-counts.ts';
import { insertRows } from '#src/store/rows.ts';
import { addTimeZones } from '#src/store/time-zones.ts';
import { openReadApi } from '../../../harness/mirror/read-api.ts';
import { propertyTimeoutMs, runs } from '../../../harness/runs.ts';
import { emptyTables, freshMemory, freshPostgres, freshSqlite } from '../../../harness/stores.ts';
import { bookingNumbersOf, revenueOf } from '../../../oracle/numbers.ts';
import { bookingWorld, rowsOfWorld, uriOf, type WorldRows } from '../../../harness/data/booking-world.ts';

const from = '2026-03-20';
const to = '2026-04-10';
const booking = { leadMinutes: 60, eventType: 0, campaign: 'spring', zone: 'UTC', ending: 'held' } as const;

describe.each([
  { name: 'sqlite', available: true, open: freshMemory, count: 36, reportZone: 'UTC' },
  {
    name: 'postgres',
    available: inject('postgresUrl') !== '',
    open: freshPostgres,
    count: 8,
    reportZone: 'US/Pacific',
  },
])('numbers on $name, with reports in $reportZone', ({ available, open, count, reportZone }) => {
  let api: Awaited<ReturnType<typeof openReadApi>>;
  beforeAll(async () => {
    if (available) api = await openReadApi(() => open({ reportZone }));
  });
  afterAll(() => api?.[Symbol.asyncDispose]());

  async function fill(rows: WorldRows): Promise<void> {
    await emptyTables(api.store);
    await api.store.transaction(async (unit) => {
      await insertRows(unit, 'event_types', rows.event_types);
      await insertRows(unit, 'users', rows.users);
      await insertRows(unit, 'scheduled_events', rows.scheduled_events);
      await insertRows(unit, 'invitees', rows.invitees);
      await refillBookings(unit);
      await addTimeZones(
        unit,
        [...rows.users, ...rows.invitees].flatMap(({ timezone }) => timezone ?? []),
      );
    });
  }

  it.runIf(available)(
    'equal a plain computation over the rows, for every filter',
    async () => {
      const filter = fc.record(
        {
          event_type: fc.constantFrom(uriOf('event_types', 0), uriOf('event_types', 9)),
          host: fc.constantFrom(uriOf('users', 0), uriOf('users', 9)),
          time_zone: fc.constantFrom('host', 'invitee'),
          timezone: fc.constantFrom('Europe/Berlin', 'Asia/Kolkata', 'pacific/auckland'),
        },
        { requiredKeys: [] },
      );
      await fc.assert(
        fc.asyncProperty(bookingWorld, filter, async (world, asked) => {
          const expected = { timezone: reportZone, from, to, ...asked };
          const rows = rowsOfWorld(world);
          await fill(rows);
          const query = new URLSearchParams({ from, to, ...asked });
          const { status, body } = await api.get(`/api/numbers/bookings?${query}`);
          expect([status, body]).toEqual([200, bookingNumbersOf(rows, expected, new Date().toISOString())]);
          query.delete('time_zone');
          const revenue = await api.get(`/api/numbers/revenue?${query}`);
          expect([revenue.status, revenue.body]).toEqual([200, revenueOf(rows, expected)]);
        }),
        runs(count),
      );
    },
    propertyTimeoutMs,
  );

  it.runIf(available)('count a rescheduled booking and its payment once, whichever link states it', async () => {
    const payment = { currency: 'EUR', amount: 20, identified: false } as const;
    const starts = ['2026-03-23T10:00Z', '2026-03-24T10:00Z', '2026-03-25T10:00Z'].map((time) => Date.parse(time));
    const rows = rowsOfWorld([{ ...booking, hosts: [0], starts, payment }]);
    const asked = { timezone: reportZone, from, to };
    for (const missing of [{ old_invitee: null }, { new_invitee: null }]) {
      await fill({ ...rows, invitees: rows.invitees.map((invitee) => ({ ...invitee, ...missing })) });
      const numbers = await api.get(`/api/numbers/bookings?from=${from}&to=${to}`);
      expect(numbers.body).toEqual(bookingNumbersOf(rows, asked, new Date().toISOString()));
      const revenue = await api.get(`/api/numbers/revenue?from=${from}&to=${to}`);
      expect(revenue.body).toEqual(revenueOf(rows, asked));
    }
  });

  it.runIf(available)('count a meeting for each of its hosts once, however many it has', async () => {
    const starts = [Date.parse('2026-03-23T10:00Z')];
    const rows = rowsOfWorld(
      [[], [0], [0, 1], [1, 1], [2, 0, 1]].map((hosts) => ({ ...booking, payment: null, hosts, starts })),
    );
    await fill(rows);
    const { body } = await api.get(`/api/numbers/bookings?from=${from}&to=${to}`);
    expect(body).toEqual(bookingNumbersOf(rows, { timezone: reportZone, from, to }, new Date().toISOString()));
    expect(body).toMatchObject({
      hosts: [
        { uri: uriOf('users', 0), meetings: 3 },
        { uri: uriOf('users', 1), meetings: 3 },
        { uri: null, meetings: 1 },
        { uri: uriOf('users', 2), meetings: 1 },
      ],
    });
  });

  it.runIf(available)(
    'are the same in parts of any size',
    async () => {
      const groupings = ['day', 'hour', 'event_type', 'host', 'campaign', 'lead_time'] as const;
      const sums = async (bookingsPerPart?: number) => {
        const added = new Map<string, number>();
        const range = { from: `${from}T00:00:00.000000Z`, to: `${to}T00:00:00.000000Z`, where: [], bookingsPerPart };
        for await (const counts of countBookings(api.store, range, groupings))
          for (const { by, key, outcome, bookings } of counts)
            added.set(`${by} ${key} ${outcome}`, bookings + (added.get(`${by} ${key} ${outcome}`) ?? 0));
        return added;
      };
      await fc.assert(
        fc.asyncProperty(bookingWorld, fc.nat(5), async (world, bookingsPerPart) => {
          await fill(rowsOfWorld(world));
          expect(await sums(bookingsPerPart)).toEqual(await sums());
        }),
        runs(Math.ceil(count / 4)),
      );
    },
    propertyTimeoutMs,
  );
});

describe('a request for numbers', () => {
  it('is about 90 days that end today when it does not say', async () => {
    await using api = await openReadApi(freshSqlite);
    const { body } = await api.get('/api/numbers/bookings');
    const today = new Date().toISOString().slice(0, 10);
    expect(body).toMatchObject({ to: today, bookings: 0, rate: null });
    expect([body.days.length, body.days.at(-1).day]).toEqual([90, today]);
    expect((await api.get('/api/numbers/revenue')).body).toMatchObject({ from: body.from, to: today, currencies: [] });
  });

  it('is refused for a range that ends before it begins, is longer than five years, or is no day', async () => {
    await using api = await openReadApi(freshSqlite);
    for (const query of [
      'from=2026-02-02&to=2026-02-01',
      'from=2015-01-01&to=2026-01-01',
      'from=yesterday',
      'to=2026-02-30',
      // No store has days before the first year, or after that of four digits.
      'to=0001-01-01',
      'from=9999-12-31',
      'x=1',
    ])
      for (const path of ['bookings', 'revenue'])
        expect([query, (await api.get(`/api/numbers/${path}?${query}`)).status]).toEqual([query, 400]);
  });
});
