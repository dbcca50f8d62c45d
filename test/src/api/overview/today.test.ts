import { expect, it } from 'vitest';
import { isTimezone, startOfDay } from '#src/api/overview/today.ts';

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

it('knows which time zones there are', () => {
  expect(['UTC', 'Europe/Berlin', 'Nowhere/City', '', "' or 1"].map(isTimezone)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});
