// Heat maps and horizontal bars are well-formed and inside their drawing for any data, and say in words what they draw.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { heatMap, type HeatMap } from '#src/dashboard/charts/heat-map.ts';
import { horizontalBars } from '#src/dashboard/charts/horizontal-bars.ts';
import { runs } from '../../../harness/runs.ts';
import { boxOf, elementsIn, faultsOf, isInside, marksIn, type Element } from '../../../harness/svg.ts';

const value = fc.oneof(
  fc.nat(500),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, Number.MAX_VALUE, Number.MIN_VALUE, 1e15),
);
const text = fc.oneof(fc.string(), fc.constantFrom('</text><script>', '"><b', 'W'.repeat(500), '🏴‍☠️\u202E'));
const texts = { id: fc.constant('chart'), title: text, summary: text.map((summary) => `A chart. ${summary}`) };

/** The drawing itself. */
function areaOf(elements: readonly Element[]) {
  const svg = elements.find(({ name, within }) => name === 'svg' && !within.includes('li'));
  const [left = 0, top = 0, width = 0, height = 0] = (svg?.attributes['viewBox'] ?? '').split(' ').map(Number);
  return { left, top, right: left + width, bottom: top + height };
}

describe('a heat map', () => {
  it('of any finite data is well-formed, inside its drawing, with a tooltip for each cell', () => {
    const anyMap: fc.Arbitrary<HeatMap> = fc.tuple(fc.nat(8), fc.nat(30)).chain(([rows, columns]) =>
      fc.record({
        ...texts,
        rows: fc.array(text, { minLength: rows, maxLength: rows }),
        columns: fc.array(text, { minLength: columns, maxLength: columns }),
        values: fc.array(fc.array(value, { minLength: columns, maxLength: columns }), {
          minLength: rows,
          maxLength: rows,
        }),
        rowName: text,
        unit: text,
      }),
    );
    fc.assert(
      fc.property(anyMap, (map) => {
        const markup = String(heatMap(map));
        expect(faultsOf(markup)).toEqual([]);
        const elements = elementsIn(markup);
        const marks = marksIn(elements);
        expect(marks.length).toBe(map.rows.length * map.columns.length);
        for (const mark of marks) expect(isInside(boxOf(mark), areaOf(elements))).toBe(true);
        const classes = elements
          .map(({ attributes }) => attributes['class'] ?? '')
          .filter((name) => /heat heat/.test(name));
        for (const name of classes) expect(name).toMatch(/heat heat-[0-5]$/);
      }),
      runs(100),
    );
  });

  it('writes the values into the cells, has a legend of ranges, and links cells that are not empty', () => {
    const markup = String(
      heatMap({
        id: 'week',
        title: 'Bookings by weekday and hour',
        summary: 'Tuesday 09:00 has the most bookings: 10.',
        rows: ['Monday', 'Tuesday'],
        columns: ['08', '09'],
        values: [
          [0, 3],
          [1, 10],
        ],
        rowName: 'Weekday',
        unit: 'bookings',
        nameOf: (row, column) => `${['Monday', 'Tuesday'][row]} ${['08', '09'][column]}:00`,
        hrefOf: (row, column) => `/bookings?weekday=${row + 1}&hour=${column + 8}`,
      }),
    );
    const elements = elementsIn(markup);
    const named = (name: string) => elements.filter((element) => element.name === name);
    expect(named('title').map((title) => title.text)).toContain('Tuesday 09:00: 10 bookings');
    expect(named('li').map((item) => item.text)).toEqual(['no bookings', '1–2', '3–4', '5–6', '7–8', '9–10']);
    expect(
      named('text')
        .filter(({ attributes }) => attributes['class'] === 'heat-value')
        .map((each) => each.text),
    ).toEqual(['3', '1', '10']);
    expect(named('a').map(({ attributes }) => attributes['href'])).toEqual([
      '/bookings?weekday=1&hour=9',
      '/bookings?weekday=2&hour=8',
      '/bookings?weekday=2&hour=9',
    ]);
  });
});

describe('horizontal bars', () => {
  it('of any finite data are well-formed and inside the drawing', () => {
    const row = fc.record({
      label: text,
      value: fc.option(value),
      href: fc.constantFrom('/bookings?a=1&b=2', undefined),
    });
    const anyChart = fc.record({
      ...texts,
      rows: fc.array(row, { maxLength: 40 }),
      head: fc.tuple(text, text),
      funnel: fc.boolean(),
    });
    fc.assert(
      fc.property(anyChart, (chart) => {
        const markup = String(horizontalBars(chart));
        expect(faultsOf(markup)).toEqual([]);
        const elements = elementsIn(markup);
        const marks = marksIn(elements);
        expect(marks.length).toBe(chart.rows.length);
        for (const mark of marks) expect(isInside(boxOf(mark), areaOf(elements))).toBe(true);
      }),
      runs(100),
    );
  });

  it('show a note instead of a value, and the whole name in the tooltip', () => {
    const label = 'A host whose name is longer than the drawing has room for';
    const markup = String(
      horizontalBars({
        id: 'hosts',
        title: 'No-show rate by host',
        summary: 'One host.',
        head: ['Host', 'No-show rate'],
        rows: [{ label, value: null, note: 'too few: 1 of 3', href: '/bookings?host=x' }],
      }),
    );
    const elements = elementsIn(markup);
    expect(elements.find(({ name }) => name === 'title')?.text).toBe(`${label}: too few: 1 of 3`);
    expect(elements.find(({ attributes }) => attributes['class'] === 'row-name')?.text).toMatch(/…$/);
    expect(elements.find(({ name }) => name === 'bdi')?.text).toBe(label);
  });
});
