// A heat map: rows and columns of cells, darker where the value is greater, with the value written in each cell.
import { html } from 'hono/html';
import type { Markup } from '#src/addons/dashboard/components/markup.ts';
import { figure, linkedMark, px, shortened, widthOf, type ChartText } from './figure.ts';
import { numberText, shownValue, tickText } from './scale.ts';

export interface HeatMap extends ChartText {
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  /** One of each row, and in it one of each column; nothing below zero. */
  readonly values: readonly (readonly number[])[];
  /** What a row is: `Weekday`. */
  readonly rowName: string;
  /** What is counted, after a number: `bookings`. */
  readonly unit: string;
  /** As wide as the page, not as a half of it. */
  readonly wide?: boolean;
  /** How a cell is named in its tooltip; row and column when absent. */
  nameOf?(row: number, column: number): string;
  hrefOf?(row: number, column: number): string | undefined;
}

/** How dark each step is, and that of no value. */
const opacities = [0, 0.12, 0.28, 0.46, 0.85, 1] as const;
const steps = opacities.length - 1;
const cellHeight = 28;
const top = 6;

export function heatMap(chart: HeatMap): Markup {
  const { rows, columns, values, rowName, unit } = chart;
  const cell = Math.max(26, Math.min(64, Math.floor((widthOf(chart) - 60) / Math.max(1, columns.length))));
  const names = rows.map((name) => shortened(name, 12));
  const left = Math.max(1, ...names.map((name) => name.length)) * 8 + 14;
  const width = Math.max(widthOf(chart), left + columns.length * cell + 2);
  const height = top + Math.max(1, rows.length) * cellHeight + 22;
  const valueAt = (row: number, column: number): number => shownValue(Math.max(0, values[row]?.[column] ?? 0));
  const greatest = Math.max(0, ...rows.flatMap((_, row) => columns.map((_column, column) => valueAt(row, column))));
  const stepOf = (value: number): number => (value === 0 ? 0 : Math.min(steps, Math.ceil((value * steps) / greatest)));
  const nameOf = chart.nameOf ?? ((row, column) => `${rows[row]} ${columns[column]}`);
  const hrefOf = (row: number, column: number) => (valueAt(row, column) > 0 ? chart.hrefOf?.(row, column) : undefined);
  const drawn = rows.map((_, row) =>
    columns.map((_column, column) => {
      const value = valueAt(row, column);
      const step = stepOf(value);
      const x = px(left + column * cell);
      const y = top + row * cellHeight;
      const label =
        value === 0
          ? ''
          : html`<text x="${px(x + cell / 2)}" y="${y + 18}" text-anchor="middle" class="heat-value">${tickText(value)}</text>`;
      const mark = html`<g class="heat heat-${step}"><title>${nameOf(row, column)}: ${numberText(value)} ${unit}</title><rect x="${x}" y="${y}" width="${cell - 2}" height="${cellHeight - 2}" rx="2" class="mark" fill-opacity="${opacities[step]}"/>${label}</g>\n`;
      return linkedMark(mark, hrefOf(row, column));
    }),
  );
  const axes = html`<g class="axes" aria-hidden="true">${names.map((name, row) => html`<text x="${left - 8}" y="${top + row * cellHeight + 18}" text-anchor="end">${name}</text>`)}${columns.map((name, column) => html`<text x="${px(left + (column + 0.5) * cell - 1)}" y="${height - 6}" text-anchor="middle">${shortened(name, Math.max(2, Math.floor(cell / 7)))}</text>`)}</g>\n`;
  return figure({
    text: chart,
    width,
    height,
    fit: chart.wide ? 'wide' : 'half',
    linked: chart.hrefOf !== undefined,
    legend: legendOf(greatest, unit),
    body: html`${axes}${drawn}`,
    table: {
      head: [rowName, ...columns],
      rows: rows.map((name, row) => ({
        cells: [name, ...columns.map((_column, column) => numberText(valueAt(row, column)))],
      })),
    },
  });
}

/** The range of values of each step; steps that no whole number falls into are left out. */
function legendOf(greatest: number, unit: string): Markup {
  const ranges = Array.from({ length: steps }, (_, index) => ({
    step: index + 1,
    from: Math.floor((index * greatest) / steps) + 1,
    to: Math.floor(((index + 1) * greatest) / steps),
  })).filter(({ from, to }) => from <= to);
  const item = (step: number, text: string) =>
    html`<li><svg class="swatch heat heat-${step}" width="14" height="14" aria-hidden="true"><rect x="1" y="1" width="12" height="12" rx="2" class="mark" fill-opacity="${opacities[step]}"/></svg>${text}</li>`;
  return html`<ul class="plain row soft chart-legend">${item(0, `no ${unit}`)}${ranges.map(({ step, from, to }) => item(step, from === to ? numberText(to) : `${numberText(from)}–${numberText(to)}`))}</ul>\n`;
}
