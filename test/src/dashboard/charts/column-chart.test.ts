// Bars are well-formed and inside their plot for any data, and say in words what they draw.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bars, type ColumnChart } from '#src/dashboard/charts/column-chart.ts';
import type { Tone } from '#src/dashboard/charts/figure.ts';
import { runs } from '../../../harness/runs.ts';
import { boxAround, boxOf, elementsIn, faultsOf, isInside, marksIn } from '../../../harness/svg.ts';

const tones: readonly Tone[] = ['accent', 'soft', 'alert', 'muted', 'faint'];
const value = fc.oneof(
  fc.nat(500),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, Number.MAX_VALUE, Number.MIN_VALUE, 1e15),
);
const text = fc.oneof(
  fc.string(),
  fc.constantFrom('</title><script>', '"><a href="javascript:x"', 'x'.repeat(500), '🏴‍☠️\u202E'),
);

const anyChart: fc.Arbitrary<ColumnChart> = fc
  .tuple(fc.integer({ min: 0, max: 4 }), fc.oneof(fc.nat(5), fc.nat(100)), fc.boolean())
  .chain(([series, columns, daily]) =>
    fc.record({
      id: fc.constant('chart'),
      title: text,
      summary: text.map((summary) => `A chart. ${summary}`),
      columnName: text,
      series: fc.tuple(...tones.slice(0, series).map((tone) => text.map((label) => ({ label, tone })))),
      columns: fc.array(
        fc
          .record(
            {
              label: text,
              values: fc.array(fc.option(value), { minLength: series, maxLength: series }),
              day: fc.constant(daily ? '2026-11-16' : undefined),
              href: fc.constantFrom('/bookings?from=1&to=2', undefined),
            },
            { requiredKeys: ['label', 'values', 'href'] },
          )
          .map(({ day, ...column }) => (day === undefined ? column : { ...column, day })),
        { minLength: columns, maxLength: columns },
      ),
    }),
  );

describe('bars', () => {
  it('of any finite data are well-formed, inside the plot, with a tooltip each', () => {
    fc.assert(
      fc.property(anyChart, (chart) => {
        const markup = String(bars(chart));
        expect(faultsOf(markup)).toEqual([]);
        const elements = elementsIn(markup);
        const grid = elements.filter(
          ({ attributes }) => attributes['class'] === 'grid' || attributes['class'] === 'axis',
        );
        const plot = boxAround(grid.map(boxOf));
        for (const mark of marksIn(elements)) expect(isInside(boxOf(mark), plot)).toBe(true);
        expect(elements.filter(({ name }) => name === 'tr').length).toBe(Math.max(1, chart.columns.length) + 1);
      }),
      runs(80),
    );
  });
});

const chart: ColumnChart = {
  id: 'daily',
  title: 'Bookings per day',
  summary: 'Three bookings in two days.',
  columnName: 'Day',
  series: [
    { label: 'Held', tone: 'accent' },
    { label: 'No-show', tone: 'alert' },
  ],
  columns: [
    { label: '16 November', day: '2026-11-16', values: [2, 1], href: '/bookings?day=2026-11-16' },
    { label: '17 November', day: '2026-11-17', values: [0, null], href: '/bookings?day=2026-11-17' },
  ],
};

describe('stacked bars', () => {
  it('stand on each other, leave zeros out, and lead to their lists by pointer and in the table by keyboard', () => {
    const elements = elementsIn(String(bars(chart)));
    const marks = marksIn(elements);
    const [held, missed] = marks.map(boxOf);
    expect(marks.length).toBe(2);
    expect(missed?.bottom).toBeCloseTo(held?.top ?? 0, 1);
    expect(elements.filter(({ name }) => name === 'title').map((title) => title.text)).toEqual([
      '16 November: 2 held',
      '16 November: 1 no-show',
    ]);
    const links = elements.filter(({ name }) => name === 'a').map(({ attributes }) => attributes);
    expect(links.filter(({ tabindex }) => tabindex === '-1').length).toBe(2);
    expect(links.filter(({ tabindex }) => tabindex === undefined).map(({ href }) => href)).toEqual([
      '/bookings?day=2026-11-16',
      '/bookings?day=2026-11-17',
    ]);
    const svg = elements.find(({ name, within }) => name === 'svg' && !within.includes('li'));
    expect(svg?.attributes).toMatchObject({ role: 'group', 'aria-label': 'Three bookings in two days.' });
  });

  it('differ in texture as well as in colour', () => {
    const fills = marksIn(elementsIn(String(bars(chart)))).map(({ attributes }) => [
      attributes['class'],
      attributes['fill'],
    ]);
    expect(fills).toEqual([
      ['mark mark-accent', undefined],
      ['mark mark-alert', 'url(#daily-alert)'],
    ]);
  });

  it('without links are one image', () => {
    const columns = chart.columns.map(({ label, values }) => ({ label, values }));
    expect(String(bars({ ...chart, columns }))).toContain('role="img"');
  });
});
