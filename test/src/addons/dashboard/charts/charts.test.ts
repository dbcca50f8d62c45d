// Every chart is well-formed and inside its drawing for any data, and says in words what it draws.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bars, type ColumnChart } from '#src/addons/dashboard/charts/column-chart.ts';
import type { Tone } from '#src/addons/dashboard/charts/figure.ts';
import { heatMap, type HeatMap } from '#src/addons/dashboard/charts/heat-map.ts';
import { horizontalBars } from '#src/addons/dashboard/charts/horizontal-bars.ts';
import { sparkline } from '#src/addons/dashboard/charts/sparkline.ts';
import { expectGolden } from '../../../../harness/golden.ts';
import { runs } from '../../../../harness/runs.ts';
import {
  boxAround,
  boxOf,
  elementsIn,
  faultsOf,
  isInside,
  marksIn,
  type Box,
  type Element,
} from '../../../../harness/svg.ts';

const tones: readonly Tone[] = ['accent', 'soft', 'alert', 'muted', 'faint'];
const value = fc.oneof(
  fc.nat(500),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, Number.MAX_VALUE, Number.MIN_VALUE, 1e15),
);
const text = fc.oneof(
  fc.string(),
  fc.constantFrom('</title><script>', '"><a href="javascript:x"', 'W'.repeat(500), '🏴‍☠️\u202E'),
);
const summary = text.map((words) => `A chart. ${words}`);
const texts = { id: fc.constant('chart'), title: text, summary };
const listOf = <Item>(item: fc.Arbitrary<Item>, length: number) =>
  fc.array(item, { minLength: length, maxLength: length });
const href = fc.constantFrom('/bookings?from=1&to=2', undefined);

const anyColumns: fc.Arbitrary<ColumnChart> = fc
  .tuple(fc.integer({ min: 0, max: 4 }), fc.oneof(fc.nat(5), fc.nat(100)), fc.boolean())
  .chain(([series, columns, daily]) =>
    fc.record({
      ...texts,
      columnName: text,
      series: fc.tuple(...tones.slice(0, series).map((tone) => text.map((label) => ({ label, tone })))),
      columns: listOf(
        fc
          .record({ label: text, values: listOf(fc.option(value), series), href })
          .map((column) => (daily ? { ...column, day: '2026-11-16' } : column)),
        columns,
      ),
    }),
  );
const anyMap: fc.Arbitrary<HeatMap> = fc.tuple(fc.nat(8), fc.nat(30)).chain(([rows, columns]) =>
  fc.record({
    ...texts,
    rows: listOf(text, rows),
    columns: listOf(text, columns),
    values: listOf(listOf(value, columns), rows),
    rowName: text,
    unit: text,
  }),
);
const anyBars = fc.record({
  ...texts,
  rows: fc.array(fc.record({ label: text, value: fc.option(value), href }), { maxLength: 40 }),
  head: fc.tuple(text, text),
  funnel: fc.boolean(),
});
const anyLine = fc.record({ summary, values: fc.array(value, { maxLength: 100 }) });

interface Drawing {
  readonly markup: string;
  readonly summary: string;
  /** How many of these elements there are. */
  readonly counts: Readonly<Record<string, number>>;
}
const drawings: Readonly<Record<string, fc.Arbitrary<Drawing>>> = {
  columns: anyColumns.map((chart) => ({
    markup: String(bars(chart)),
    summary: chart.summary,
    counts: { tr: Math.max(1, chart.columns.length) + 1 },
  })),
  'a heat map': anyMap.map((map) => ({
    markup: String(heatMap(map)),
    summary: map.summary,
    counts: { marks: map.rows.length * map.columns.length },
  })),
  'horizontal bars': anyBars.map((chart) => ({
    markup: String(horizontalBars(chart)),
    summary: chart.summary,
    counts: { marks: chart.rows.length },
  })),
  'a sparkline': anyLine.map((line) => ({
    markup: String(sparkline(line)),
    summary: line.summary,
    counts: { points: Math.max(1, line.values.length) },
  })),
};

const svgIn = (elements: readonly Element[]) =>
  elements.find(({ name, within }) => name === 'svg' && !within.includes('li'));

/** The plot of a chart with a grid, or else the whole drawing. */
function areaOf(elements: readonly Element[]): Box {
  const grid = elements.filter(({ attributes }) => attributes['class'] === 'grid');
  const axes = elements.filter(({ attributes }) => attributes['class'] === 'axis');
  if (grid.length > 0) return boxAround([...grid, ...axes].map(boxOf));
  const [left = 0, top = 0, width = 0, height = 0] = (svgIn(elements)?.attributes['viewBox'] ?? '')
    .split(' ')
    .map(Number);
  return { left, top, right: left + width, bottom: top + height };
}

it.each(Object.entries(drawings))(
  '%s of any finite data: well-formed, inside the drawing, with a tooltip for each mark and its summary as a name; one image without links',
  (_, drawing) => {
    fc.assert(
      fc.property(drawing, ({ markup, summary: words, counts }) => {
        expect(faultsOf(markup)).toEqual([]);
        const elements = elementsIn(markup);
        const marks = marksIn(elements);
        const lines = elements.filter(({ attributes }) => attributes['class'] === 'line');
        for (const one of [...marks, ...lines]) expect(isInside(boxOf(one), areaOf(elements))).toBe(true);
        const counted = {
          marks: marks.length,
          tr: elements.filter(({ name }) => name === 'tr').length,
          points: lines.flatMap(({ attributes }) => attributes['d']?.match(/[ML]/g) ?? []).length,
        };
        expect(counted).toMatchObject(counts);
        const isLinked = elements.some(({ name }) => name === 'a');
        expect(svgIn(elements)?.attributes).toMatchObject({ 'aria-label': words, role: isLinked ? 'group' : 'img' });
        const heats = elements.flatMap(({ attributes }) => /heat heat.*/.exec(attributes['class'] ?? '') ?? []);
        for (const heat of heats) expect(heat).toMatch(/^heat heat-[0-5]$/);
      }),
      runs(50),
    );
  },
);

/** Zeros, missing values, a name longer than its room, and links. */
const words = { id: 'id', title: 'Title', summary: 'Summary.' };
const examples = {
  'a-heat-map': heatMap({
    ...words,
    rows: ['Monday', 'Tuesday'],
    columns: ['08', '09'],
    values: [
      [0, 3],
      [1, 10],
    ],
    rowName: 'Weekday',
    unit: 'bookings',
    nameOf: (row, column) => `${row} at ${column}`,
    hrefOf: (row, column) => `/bookings?weekday=${row + 1}&hour=${column + 8}`,
  }),
  'horizontal-bars': horizontalBars({
    ...words,
    head: ['Host', 'No-show rate'],
    rows: [
      { label: 'A host whose name is longer than the drawing has room for', value: null, note: 'few', href: '/x' },
    ],
  }),
  'stacked-bars': bars({
    ...words,
    columnName: 'Day',
    series: [
      { label: 'Held', tone: 'accent' },
      { label: 'No-show', tone: 'alert' },
    ],
    columns: [
      { label: '16 November', day: '2026-11-16', values: [2, 1], href: '/bookings?day=2026-11-16' },
      { label: '17 November', day: '2026-11-17', values: [0, null], href: '/bookings?day=2026-11-17' },
    ],
  }),
};

it.each(Object.entries(examples))('%s are drawn as in their golden file', async (name, chart) => {
  await expectGolden(String(chart).replaceAll('><', '>\n<'), `golden/${name}.txt`);
});
