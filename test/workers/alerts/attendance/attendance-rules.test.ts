// The evening of a host, by the clocks of the host's time zone.
import { describe, expect, it } from 'vitest';
import { mayHaveEvening } from '#workers/alerts/attendance/attendance-rules.ts';
import { timeOfDayAfter } from '#workers/alerts/outbox/quiet-hours.ts';

const evening = (text: string, at: string, zone: string) =>
  new Date(timeOfDayAfter(Date.parse(text), at, zone)).toISOString();

describe('the evening of a host', () => {
  it.each([
    { why: 'at that minute', from: '2026-03-04T17:00:00Z', zone: 'Europe/Berlin', is: '2026-03-04T17:00:00.000Z' },
    // The clocks go forward at 02:00 on 29 March and back at 03:00 on 25 October.
    {
      why: 'when clocks go forward',
      from: '2026-03-28T20:00:00Z',
      zone: 'Europe/Berlin',
      is: '2026-03-29T16:00:00.000Z',
    },
    { why: 'when clocks go back', from: '2026-10-24T20:00:00Z', zone: 'Europe/Berlin', is: '2026-10-25T17:00:00.000Z' },
    {
      why: 'in an unknown zone, as in UTC',
      from: '2026-03-04T10:00:00Z',
      zone: 'Mars',
      is: '2026-03-04T18:00:00.000Z',
    },
  ])('is $why', ({ from, zone, is }) => {
    expect(evening(from, '18:00', zone)).toBe(is);
  });

  it('waits a day where the clocks skip its time', () => {
    expect(evening('2026-03-28T12:00:00Z', '02:30', 'Europe/Berlin')).toBe('2026-03-30T00:30:00.000Z');
  });

  it('can be within a period only when a quarter of an hour passes in it', () => {
    const period = (from: string, to: string) => ({ afterMs: Date.parse(from), throughMs: Date.parse(to) });
    expect(mayHaveEvening('18:05', period('2026-03-04T10:04:50Z', '2026-03-04T10:05:00Z'))).toBe(true);
    expect(mayHaveEvening('18:05', period('2026-03-04T10:05:00Z', '2026-03-04T10:05:10Z'))).toBe(false);
  });
});
