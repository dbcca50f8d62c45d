// Local weekdays and hours agree with the runtime for any minute, on days with a change of clocks too.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { localHours, startOfDay } from '#src/base/time-zone.ts';
import { runs } from '../../harness/runs.ts';

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'America/St_Johns',
];
const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** As the runtime writes it, asked for every minute. */
function written(zone: string, minute: string) {
  const options = { timeZone: zone, weekday: 'short', hour: '2-digit', hourCycle: 'h23' } as const;
  const parts = new Intl.DateTimeFormat('en', options).formatToParts(Date.parse(`${minute}:00Z`));
  const part = (type: string) => parts.find((each) => each.type === type)?.value ?? '';
  return { weekday: weekdays.indexOf(part('weekday')) + 1, hour: Number(part('hour')) };
}

describe('local hours', () => {
  it('follow the clocks when they change', () => {
    const berlin = localHours('Europe/Berlin');
    expect(berlin?.('2026-03-29T00:30')).toEqual({ weekday: 7, hour: 1 });
    expect(berlin?.('2026-03-29T01:30')).toEqual({ weekday: 7, hour: 3 });
    expect(berlin?.('2026-10-25T00:30')).toEqual({ weekday: 7, hour: 2 });
    expect(berlin?.('2026-10-25T01:30')).toEqual({ weekday: 7, hour: 2 });
    expect(localHours('Asia/Kolkata')?.('2026-11-16T09:45')).toEqual({ weekday: 1, hour: 15 });
  });

  it('equal what the runtime writes for any minute', () => {
    const known = new Map(zones.map((zone) => [zone, localHours(zone)]));
    const from = Date.parse('2024-01-01T00:00Z') / 60_000;
    fc.assert(
      fc.property(fc.constantFrom(...zones), fc.integer({ min: from, max: from + 3 * 527_040 }), (zone, at) => {
        const minute = new Date(at * 60_000).toISOString().slice(0, 16);
        expect(known.get(zone)?.(minute)).toEqual(written(zone, minute));
      }),
      runs(2_000),
    );
  });

  it('are not known for what is no zone', () => {
    expect(['', 'Mars/Olympus', '<script>', '__proto__'].map(localHours)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

it.each([
  ['2026-01-01T12:00:00Z', 'UTC', '2026-01-01T00:00:00.000Z'],
  ['2026-01-01T00:00:00Z', 'UTC', '2026-01-01T00:00:00.000Z'],
  ['2026-01-01T23:30:00Z', 'Europe/Berlin', '2026-01-01T23:00:00.000Z'],
  ['2026-01-01T01:00:00Z', 'America/Los_Angeles', '2025-12-31T08:00:00.000Z'],
  // The clocks changed at 02:00 of this day.
  ['2026-03-29T10:00:00Z', 'Europe/Berlin', '2026-03-28T23:00:00.000Z'],
  ['2026-10-25T10:00:00Z', 'Europe/Berlin', '2026-10-24T22:00:00.000Z'],
  ['2026-06-01T12:00:00Z', 'Asia/Kolkata', '2026-05-31T18:30:00.000Z'],
])('at %s in %s the day began at %s', (now, timezone, start) => {
  expect(new Date(startOfDay(Date.parse(now), timezone)).toISOString()).toBe(start);
});
