// The evening of a host, by the clocks of the host's time zone.
import { describe, expect, it } from 'vitest';
import { mayHaveEvening } from '#workers/out/alerts/attendance/attendance-rules.ts';
import { timeOfDayAfter } from '#workers/out/alerts/outbox/quiet-hours.ts';

describe('the evening of a host', () => {
  // The clocks go forward at 02:00 on 29 March and back at 03:00 on 25 October.
  it.each([
    ['at that minute', '2026-03-04T17:00:00Z', '18:00', 'Europe/Berlin', '2026-03-04T17:00:00.000Z'],
    ['when clocks go forward', '2026-03-28T20:00:00Z', '18:00', 'Europe/Berlin', '2026-03-29T16:00:00.000Z'],
    ['when clocks go back', '2026-10-24T20:00:00Z', '18:00', 'Europe/Berlin', '2026-10-25T17:00:00.000Z'],
    [
      'a day later where the clocks skip it',
      '2026-03-28T12:00:00Z',
      '02:30',
      'Europe/Berlin',
      '2026-03-30T00:30:00.000Z',
    ],
    ['in an unknown zone, as in UTC', '2026-03-04T10:00:00Z', '18:00', 'Mars', '2026-03-04T18:00:00.000Z'],
  ])('is %s', (_why, from, at, zone, expected) => {
    expect(new Date(timeOfDayAfter(Date.parse(from), at, zone)).toISOString()).toBe(expected);
  });

  it('can be within a period only when a quarter of an hour passes in it', () => {
    const period = (from: string, to: string) => ({ afterMs: Date.parse(from), throughMs: Date.parse(to) });
    expect(mayHaveEvening('18:05', period('2026-03-04T10:04:50Z', '2026-03-04T10:05:00Z'))).toBe(true);
    expect(mayHaveEvening('18:05', period('2026-03-04T10:05:00Z', '2026-03-04T10:05:10Z'))).toBe(false);
  });
});
