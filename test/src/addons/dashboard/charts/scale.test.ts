// Ticks are round, enclose the data and are few; days are marked where weeks, months and years begin.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dayLabels, everyFew, numberText, percentText, scaleOf, tickText } from '#src/addons/dashboard/charts/scale.ts';
import { runs } from '../../../../harness/runs.ts';

const finite = fc.oneof(
  fc.integer({ min: 0, max: 1000 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, 1, 0.1, 0.3, 1e-12, 5e-324, 1e15, -1, 1e299),
);

describe('a scale', () => {
  it('has round ticks that enclose the data', () => {
    expect(scaleOf([34]).ticks).toEqual([0, 10, 20, 30, 40]);
    expect(scaleOf([3]).ticks).toEqual([0, 1, 2, 3]);
    expect(scaleOf([0.17]).ticks).toEqual([0, 0.05, 0.1, 0.15, 0.2]);
    expect(scaleOf([12_345]).ticks).toEqual([0, 5_000, 10_000, 15_000]);
    expect(scaleOf([-3, 4]).ticks).toEqual([-4, -2, 0, 2, 4]);
    expect(scaleOf([]).ticks).toEqual([0, 1]);
    expect(scaleOf([0, 0]).ticks).toEqual([0, 1]);
  });

  it('covers any finite data with two to eight ticks, in even steps', () => {
    fc.assert(
      fc.property(fc.array(finite, { maxLength: 20 }), (values) => {
        const { ticks, at } = scaleOf(values);
        const shown = values.map((value) => Math.max(-1e300, Math.min(1e300, value)));
        const [first = 0, second = 0] = ticks;
        const last = ticks.at(-1) ?? 0;
        const slack = (last - first) * 1e-9;
        expect(ticks.length).toBeGreaterThanOrEqual(2);
        expect(ticks.length).toBeLessThanOrEqual(8);
        expect(ticks.every(Number.isFinite)).toBe(true);
        expect(first).toBeLessThanOrEqual(Math.min(0, ...shown) + slack);
        expect(last).toBeGreaterThanOrEqual(Math.max(0, ...shown) - slack);
        for (const [index, tick] of ticks.entries())
          expect(Math.abs(tick - first - index * (second - first))).toBeLessThanOrEqual(slack);
        for (const value of values) {
          expect(at(value)).toBeGreaterThanOrEqual(0);
          expect(at(value)).toBeLessThanOrEqual(1);
        }
        if (values.every(Number.isInteger)) expect(ticks.every(Number.isInteger)).toBe(true);
      }),
      runs(300),
    );
  });
});

const daysFrom = (first: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) =>
    new Date(Date.parse(`${first}T00:00:00Z`) + index * 86_400_000).toISOString().slice(0, 10),
  );
const textsOf = (days: readonly string[], most: number): string[] => dayLabels(days, most).map(({ text }) => text);

describe('the labels of days', () => {
  it('are every day, then Mondays, then months, then quarters, then years', () => {
    expect(textsOf(daysFrom('2026-11-14', 4), 8)).toEqual(['14 Nov', '15 Nov', '16 Nov', '17 Nov']);
    expect(textsOf(daysFrom('2026-11-01', 30), 8)).toEqual(['2 Nov', '9 Nov', '16 Nov', '23 Nov', '30 Nov']);
    expect(textsOf(daysFrom('2026-09-01', 90), 8)).toEqual(['7 Sept', '21 Sept', '5 Oct', '19 Oct', '2 Nov', '16 Nov']);
    const months = 'Jul 2026, Aug 2026, Sept 2026, Oct 2026, Nov 2026, Dec 2026';
    expect(textsOf(daysFrom('2026-06-15', 200), 8)).toEqual(months.split(', '));
    const quarters = 'Jan 2026, Apr 2026, Jul 2026, Oct 2026, Jan 2027';
    expect(textsOf(daysFrom('2025-12-15', 400), 8)).toEqual(quarters.split(', '));
    expect(textsOf(daysFrom('2020-06-01', 2_000), 8)).toEqual(['2021', '2022', '2023', '2024', '2025']);
    const weeks = daysFrom('2026-02-02', 200).filter((_, index) => index % 7 === 0);
    expect(textsOf(weeks, 8)).toEqual(['Mar 2026', 'Apr 2026', 'May 2026', 'Jun 2026', 'Jul 2026', 'Aug 2026']);
    expect(textsOf(['2026-11-16'], 1)).toEqual(['16 Nov']);
    expect(textsOf([], 8)).toEqual([]);
  });

  it('are never more than there is room for', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_500 }), fc.integer({ min: 1, max: 12 }), (count, most) => {
        const labels = dayLabels(daysFrom('2019-03-07', count), most);
        expect(labels.length).toBeLessThanOrEqual(most);
        if (count > 0) expect(labels.length).toBeGreaterThan(0);
        expect(everyFew(daysFrom('2019-03-07', count), most).length).toBeLessThanOrEqual(most);
      }),
      runs(40),
    );
  });
});

it('values are written with separators, ticks in short, shares as percentages', () => {
  expect([numberText(1234567.891), tickText(12_000), percentText(0.125)]).toEqual(['1,234,567.89', '12K', '12.5%']);
  expect([numberText(1e300), tickText(1e18)]).toEqual(['1.0E300', '1.0E18']);
});
