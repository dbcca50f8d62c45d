// Charts with columns from left to right, such as days: bars, stacked where there are several series.
import { html } from 'hono/html';
import type { Markup } from '#src/addons/dashboard/components/markup.ts';
import { figure, linkedMark, px, shortened, toned, widthOf, type ChartText, type Series } from './figure.ts';
import { dayLabels, everyFew, numberText, scaleOf, tickText, type Scale } from './scale.ts';

export interface ChartColumn {
  /** In the tooltip, in the table and, where there is room, under the axis. */
  readonly label: string;
  /** `2026-11-16`, where the columns are days: the axis then marks weeks, months or years. */
  readonly day?: string;
  /** One of each series; null where there is no value. */
  readonly values: readonly (number | null)[];
  /** In the tooltip and the table instead of the values: `12.5%, 5 of 40`. */
  readonly notes?: readonly string[];
  readonly href?: string | undefined;
  /** Where the mark of each series leads, if not to `href`. */
  readonly hrefs?: readonly (string | undefined)[];
}

export interface ColumnChart extends ChartText {
  /** Bars are stacked from the bottom up in this order. */
  readonly series: readonly Series[];
  readonly columns: readonly ChartColumn[];
  /** What a column is: `Day`. */
  readonly columnName: string;
  /** How a value is written; with separators of thousands when absent. */
  readonly format?: (value: number) => string;
  /** As wide as the page, not as a half of it. */
  readonly wide?: boolean;
}

const height = 230;
const letterWidth = 6.6;
const longestLabel = 14;
const top = 10;
const bottom = height - 26;

interface Plot {
  readonly width: number;
  readonly left: number;
  readonly right: number;
  /** The room of one column. */
  readonly pitch: number;
  xOf(index: number): number;
  yOf(value: number): number;
}

export function bars(chart: ColumnChart): Markup {
  const { series, columns, columnName, format = numberText } = chart;
  const scale = scaleOf(columns.map(({ values }) => values.reduce<number>((sum, value) => sum + above(value), 0)));
  const ticks = scale.ticks.map(chart.format ?? tickText);
  const left = Math.ceil(Math.max(...ticks.map((text) => text.length)) * letterWidth) + 12;
  const width = widthOf(chart);
  const right = width - 10;
  const pitch = (right - left) / Math.max(1, columns.length);
  const plot: Plot = {
    width,
    left,
    right,
    pitch,
    xOf: (index) => left + index * pitch,
    yOf: (value) => bottom - scale.at(value) * (bottom - top),
  };
  return figure({
    text: chart,
    width,
    height,
    fit: chart.wide ? 'wide' : 'half',
    series,
    linked: columns.some(({ href, hrefs = [] }) => [href, ...hrefs].some((each) => each !== undefined)),
    body: html`<g class="axes" aria-hidden="true">${valueAxis(plot, scale, ticks)}${columnAxis(plot, columns)}</g>\n${columns.flatMap((_, index) => stack(chart, plot, index))}`,
    table: {
      head: [columnName, ...series.map(({ label }) => label)],
      rows: columns.map((column) => ({
        cells: [column.label, ...series.map((_, at) => noteOf(column, at, format))],
        href: column.href,
      })),
    },
  });
}

function noteOf({ values, notes }: ChartColumn, at: number, format: (value: number) => string): string {
  const value = values[at] ?? null;
  return notes?.[at] ?? (value === null ? '–' : format(value));
}

const valueAxis = ({ yOf, left, right }: Plot, scale: Scale, ticks: readonly string[]): readonly Markup[] =>
  scale.ticks.map((tick, index) => {
    const y = px(yOf(tick));
    return html`<line x1="${left}" x2="${right}" y1="${y}" y2="${y}" class="${tick === 0 ? 'axis' : 'grid'}"/><text x="${left - 8}" y="${y + 4}" text-anchor="end">${ticks[index]}</text>`;
  });

function columnAxis({ xOf, pitch, left, right, width }: Plot, columns: readonly ChartColumn[]): readonly Markup[] {
  const days = columns.flatMap(({ day }) => day ?? []);
  const isDaily = columns.length > 0 && days.length === columns.length;
  const labels = columns.map(({ label }) => shortened(label, longestLabel));
  const widest = isDaily ? 'Nov 2026'.length : Math.max(1, ...labels.map((text) => text.length));
  const most = Math.max(1, Math.floor((right - left) / ((widest + 1.5) * letterWidth)));
  return (isDaily ? dayLabels(days, most) : everyFew(labels, most)).map(({ index, text }) => {
    const x = px(xOf(index) + pitch / 2);
    // A label near an edge begins or ends there, so that nothing of it is cut off.
    const half = (text.length * letterWidth) / 2;
    const anchor = x < half ? 'start' : x + half > width ? 'end' : 'middle';
    const at = anchor === 'start' ? 0 : anchor === 'end' ? width : x;
    return html`<line x1="${x}" x2="${x}" y1="${bottom}" y2="${bottom + 4}" class="axis"/><text x="${at}" y="${bottom + 18}" text-anchor="${anchor}">${text}</text>`;
  });
}

const above = (value: number | null | undefined): number => Math.max(0, value ?? 0);

/** The parts of one column, each on top of the one before. */
function stack({ id, series, columns, format = numberText }: ColumnChart, plot: Plot, index: number): Markup[] {
  const column = columns[index];
  const barWidth = Math.min(plot.pitch * 0.8, 48);
  const x = px(plot.xOf(index) + (plot.pitch - barWidth) / 2);
  let below = 0;
  return series.flatMap(({ label, tone }, at) => {
    const value = above(column?.values[at]);
    if (column === undefined || value === 0) return [];
    const from = plot.yOf(below);
    below += value;
    const y = plot.yOf(below);
    const name = series.length > 1 ? ` ${label.toLowerCase()}` : '';
    const mark = html`<rect x="${x}" y="${px(y)}" width="${px(barWidth)}" height="${px(from - y)}" ${toned(id, tone)}><title>${column.label}: ${noteOf(column, at, format)}${name}</title></rect>\n`;
    return [linkedMark(mark, column.hrefs?.[at] ?? column.href)];
  });
}
