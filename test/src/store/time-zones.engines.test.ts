// Local time in SQL equals that of the runtime on each store, and is there for rows that were stored before. By the views: views-property.engines.test.ts.
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { instantOf } from '#src/base/time.ts';
import { zonePeriods } from '#src/base/time-zone.ts';
import type { Unit } from '#src/store/contract.ts';
import { openStore } from '#src/store/open-store.ts';
import { deleteRows, writeRows } from '#src/store/rows.ts';
import { applySettings, settleSettings } from '#src/store/settings-row.ts';
import { addTimeZones } from '#src/store/time-zones.ts';
import { openedOnce } from '../../harness/opened.ts';
import { viewRows } from '../../harness/mirror/view-rows.ts';
import { propertyTimeoutMs, runs } from '../../harness/runs.ts';
import { availableEngines, emptyTables } from '../../harness/stores.ts';
import { someInstant, weekdayOf, written } from '../../oracle/local-time.ts';

const zones = Intl.supportedValuesOf('timeZone');
const always = ['Australia/Lord_Howe', 'Pacific/Apia', 'Asia/Kathmandu', 'America/St_Johns', 'US/Pacific', 'asia/GAZA'];
const moment = fc.record({
  zone: fc.oneof(fc.constantFrom(...zones), fc.constantFrom(...always)),
  change: fc.nat(),
  share: fc.double({ noNaN: true, min: 0, max: 1 }),
  fraction: fc.constantFrom('000000', '999999'),
});

for (const engine of availableEngines)
  describe(`local time on ${engine.name}`, { timeout: propertyTimeoutMs }, () => {
    const opened = openedOnce(() => engine.fresh({ reportTimezone: 'Europe/Berlin' }));
    afterEach(() => void vi.restoreAllMocks());

    it('are stored, though an earlier transaction that added them was undone', async () => {
      const { store } = opened;
      const add = (unit: Unit) => addTimeZones(unit, ['Asia/Colombo']);
      const undone = store.transaction(async (unit) => {
        await add(unit);
        // A second fold of the same transaction finds them.
        await add(unit);
        throw new Error('undone');
      });
      await expect(undone).rejects.toThrow('undone');
      await store.transaction(add);
      const stored = await store.db
        .selectFrom('time_zones')
        .select('name')
        .where('name', '=', 'asia/colombo')
        .execute();
      expect(stored.length).toBeGreaterThan(0);
    });

    it('equals what the runtime writes, for any zone and instant from 2000 to 2060', async () => {
      const { store } = opened;
      await fc.assert(
        fc.asyncProperty(fc.array(moment, { minLength: 20, maxLength: 20 }), async (moments) => {
          await store.transaction((unit) =>
            addTimeZones(
              unit,
              moments.map(({ zone }) => zone),
            ),
          );
          const given = moments.map(({ zone, change, share, fraction }) => {
            const ms = someInstant(zonePeriods(zone) ?? [], change, share);
            return { zone, ms, at: instantOf(ms + 59_000).replace('000000', fraction) };
          });
          const bookings = given.map(({ zone, at }, n) => ({ uri: String(n).padStart(2, '0'), zone, at }));
          await store.db.deleteFrom('invitees').execute();
          await store.db.deleteFrom('scheduled_events').execute();
          await store.transaction(async (unit) => {
            await writeRows(
              unit,
              'scheduled_events',
              bookings.map(({ uri, at }) => ({ uri, start_time: at })),
            );
            await writeRows(
              unit,
              'invitees',
              bookings.map(({ uri, zone }) => ({ uri, event_uri: uri, timezone: zone })),
            );
          });
          const { rows } = await sql`select cast(start_day_invitee as text) as day, start_hour_invitee as hour,
            start_weekday_invitee as weekday from ${sql.table('bookings')} order by uri`.execute(store.db);
          const expected = given.map(({ zone, ms }) => {
            const local = written(zone, ms);
            const day = local.slice(0, 10);
            return { day, hour: Number(local.slice(11, 13)), weekday: weekdayOf(day) };
          });
          expect(rows).toEqual(expected);
        }),
        runs(12),
      );
    });

    const starts = ['2025-03-29T22:30', '2025-03-29T23:30', '2025-03-30T00:30', '2025-03-30T01:30', '2025-03-30T22:30'];
    const uri = (kind: string, id: number) => `https://api.example.test/${kind}/${id}`;

    it('is there after the first start for rows whose zone is missing, and follows the setting at once', async () => {
      await emptyTables(opened.store);
      const times = starts.map((start) => `${start}:00.000000Z`);
      await opened.store.transaction(async (unit) => {
        const events = times.map((at, n) => ({ uri: uri('events', n), start_time: at, end_time: at }));
        await writeRows(unit, 'scheduled_events', events);
        const zoned = { timezone: 'Asia/Kolkata', status: 'active' };
        const invitees = times.map((created_at, n) => ({
          uri: uri('invitees', n),
          event_uri: uri('events', n),
          created_at,
        }));
        await writeRows(
          unit,
          'invitees',
          invitees.map((each) => ({ ...each, ...zoned })),
        );
        await deleteRows(unit, 'time_zones', 'name', ['asia/kolkata']);
      });
      const hours = async () => (await viewRows(opened.store, 'bookings')).map((row) => row['start_hour_invitee']);
      expect(await hours()).toEqual([null, null, null, null, null]);
      await using tokyo = await openStore({ report: () => {}, stated: { reportTimezone: 'Asia/Tokyo' } }, opened.url);
      expect(await hours()).toEqual([4, 5, 6, 7, 4]);
      const days = async () => (await viewRows(tokyo, 'bookings_daily')).map(({ day, booked }) => [day, booked]);
      // No worker has settled it: UTC.
      const inUtc = [
        ['2025-03-29', 2],
        ['2025-03-30', 3],
      ];
      expect(await days()).toEqual(inUtc);
      await settleSettings(tokyo, times[0] ?? '');
      expect(await days()).toEqual([
        ['2025-03-30', 4],
        ['2025-03-31', 1],
      ]);
      await applySettings(tokyo, { reportTimezone: 'Europe/Berlin' }, times[0] ?? '');
      expect(await days()).toEqual([
        ['2025-03-29', 1],
        ['2025-03-30', 3],
        ['2025-03-31', 1],
      ]);
    });
  });
