import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { earliestSend } from '#workers/out/alerts/outbox/quiet-hours.ts';
import { runs } from '../../../../harness/runs.ts';

const minuteMs = 60_000;

describe('quiet hours', () => {
  it.each([
    ['2026-02-10T06:59:30Z', '2026-02-10T07:00:00Z'],
    ['2026-02-10T07:00:00Z', '2026-02-10T07:00:00Z'],
    ['2026-02-10T07:00:01Z', '2026-02-11T07:00:00Z'],
    ['2026-03-28T12:00:00Z', '2026-03-29T06:00:00Z'],
  ])('of a digest at a time of day: what is due at %s is sent at %s', (due, expected) => {
    const digest = { at: '08:00', timezone: 'Europe/Berlin' };
    expect(earliestSend(Date.parse(due), { digest })).toBe(Date.parse(expected));
    const quiet = { from: '07:00', to: '09:00', timezone: 'Europe/Berlin' };
    expect(earliestSend(Date.parse(due), { digest, quiet })).toBe(Date.parse(expected) + 3_600_000);
  });

  it('allow a message in the first minute after them, also when the clocks change', () => {
    const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata', 'UTC'] as const;
    const clocks = new Map(
      zones.map((timeZone) => [timeZone, new Intl.DateTimeFormat('sv', { timeZone, timeStyle: 'short' })]),
    );
    const time = fc
      .nat(1439)
      .map((n) => [Math.floor(n / 60), n % 60].map((part) => String(part).padStart(2, '0')).join(':'));
    // Within a day or so of a change of clocks in one of them.
    const change = fc.constantFrom('2026-03-08', '2026-03-29', '2026-04-05', '2026-10-04', '2026-10-25', '2026-11-01');
    const due = fc
      .tuple(change, fc.integer({ min: -36 * 3_600, max: 36 * 3_600 }))
      .map(([day, seconds]) => Date.parse(day) + seconds * 1_000);
    fc.assert(
      fc.property(fc.constantFrom(...zones), time, time, due, (timezone, from, to, ms) => {
        fc.pre(from !== to);
        const isQuiet = (at: number): boolean => {
          const now = clocks.get(timezone)?.format(at) ?? '';
          return from < to ? from <= now && now < to : now >= from || now < to;
        };
        const leaves = earliestSend(ms, { quiet: { from, to, timezone } });
        expect(isQuiet(leaves)).toBe(false);
        if (!isQuiet(ms)) expect(leaves).toBe(ms);
        else {
          expect(isQuiet(leaves - minuteMs)).toBe(true);
          expect(leaves % minuteMs).toBe(0);
          expect(leaves).toBeGreaterThan(ms);
          expect(leaves - ms).toBeLessThan(50 * 3_600_000);
        }
      }),
      runs(1_000),
    );
  });
});
