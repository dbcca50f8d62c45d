// Local time agrees with the runtime for any minute, on days with a change of clocks too.
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { localClock, startOfDay, zonePeriods } from '#src/base/time-zone.ts';
import { runs } from '../../harness/runs.ts';
import { someInstant, written } from '../../oracle/local-time.ts';

const zones = Intl.supportedValuesOf('timeZone');

describe('local time', () => {
  it('equals what the runtime writes for any minute and any zone', () => {
    fc.assert(
      fc.property(fc.constantFrom(...zones), fc.nat(), fc.double({ noNaN: true, min: 0, max: 1 }), (zone, n, share) => {
        const ms = someInstant(zonePeriods(zone) ?? [], n, share);
        expect([zone, ms, localClock(zone)?.(ms).toISOString().slice(0, 16)]).toEqual([zone, ms, written(zone, ms)]);
      }),
      runs(120),
    );
  });

  it('misses no change of clocks, however soon the next follows', () => {
    const hours = 3_600_000;
    for (const [zone, from, to] of [
      ['Asia/Gaza', '2040-09-01Z', '2041-12-01Z'],
      ['Asia/Gaza', '2053-03-01Z', '2054-06-01Z'],
      ['Africa/Casablanca', '2026-01-01Z', '2027-01-01Z'],
      ['America/Recife', '2000-09-01Z', '2001-03-01Z'],
    ] as const)
      for (let ms = Date.parse(from); ms < Date.parse(to); ms += 12 * hours)
        expect([zone, localClock(zone)?.(ms).toISOString().slice(0, 16)]).toEqual([zone, written(zone, ms)]);
  });

  it('is known for aliases and in any letter case, and not for what is no zone', () => {
    expect(zonePeriods('Asia/Calcutta')).toEqual(zonePeriods('Asia/Kolkata'));
    expect(zonePeriods('US/Pacific')).toEqual(zonePeriods('america/LOS_ANGELES'));
    expect(zonePeriods('UTC')).toEqual(zonePeriods('Etc/UTC'));
    const others = ['', 'Mars/Olympus', '<script>', '__proto__', '+02:00', '\u221202:00', 'Asia/Kol\u212aata'];
    expect(others.map(localClock)).toEqual(others.map(() => undefined));
  });

  it('is not asked of the runtime again for what is no zone, nor for what cannot be one', () => {
    using asked = vi.spyOn(Intl, 'DateTimeFormat');
    for (let times = 0; times < 3; times += 1)
      for (const zone of ['Pacific/Nowhere', 'x'.repeat(1_000_000), 'a/'.repeat(100_000)])
        expect(zonePeriods(zone)).toBeUndefined();
    expect(asked).toHaveBeenCalledOnce();
  });
});

it.each([
  ['2026-01-01', 'UTC', '2026-01-01T00:00:00.000Z'],
  ['2026-01-02', 'Europe/Berlin', '2026-01-01T23:00:00.000Z'],
  ['2025-12-31', 'America/Los_Angeles', '2025-12-31T08:00:00.000Z'],
  // The clocks changed at 02:00 of this day.
  ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00.000Z'],
  ['2026-10-25', 'Europe/Berlin', '2026-10-24T22:00:00.000Z'],
  ['2026-06-01', 'Asia/Kolkata', '2026-05-31T18:30:00.000Z'],
  // The clocks skipped the hour after midnight, or the whole day.
  ['2018-11-04', 'America/Sao_Paulo', '2018-11-04T03:00:00.000Z'],
  ['2011-12-30', 'Pacific/Apia', '2011-12-30T10:00:00.000Z'],
])('%s in %s began at %s', (day, timezone, start) => {
  expect(new Date(startOfDay(day, timezone)).toISOString()).toBe(start);
});
