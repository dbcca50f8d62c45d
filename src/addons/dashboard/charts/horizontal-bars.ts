// Bars from left to right, one a row, with the name above and the value beside it: for names of any length, and for funnels.
import { html } from 'hono/html';
import type { Markup } from '#src/addons/dashboard/components/markup.ts';
import { figure, linkedMark, px, shortened, toned, type ChartText, type Tone } from './figure.ts';
import { numberText, scaleOf, tickText } from './scale.ts';

export interface BarRow {
  readonly label: string;
  /** Null where there is no value to draw; `note` says why. */
  readonly value: number | null;
  /** Beside the name instead of the value: `12.5%, 5 of 40`. */
  readonly note?: string;
  readonly tone?: Tone;
  readonly href?: string | undefined;
}

export interface RowChart extends ChartText {
  readonly rows: readonly BarRow[];
  /** What a row is and what its value is: `['Host', 'No-show rate']`. */
  readonly head: readonly [string, string];
  readonly format?: (value: number) => string;
  /** Draws no axis: the first row is the whole, as in a funnel. */
  readonly funnel?: boolean;
}

const width = 560;
const rowHeight = 42;
const left = 1;
const right = width - 14;
const longestName = 34;

export function horizontalBars(chart: RowChart): Markup {
  const { id, rows, head, format = numberText, funnel = false } = chart;
  const scale = scaleOf(rows.map(({ value }) => value ?? 0));
  const xOf = (value: number): number => left + scale.at(value) * (right - left);
  const bottom = Math.max(1, rows.length) * rowHeight + 6;
  const height = bottom + (funnel ? 2 : 24);
  const noteOf = ({ value, note }: BarRow): string => note ?? (value === null ? '–' : format(value));
  const ticks = funnel
    ? []
    : scale.ticks.map((tick, index) => {
        const anchor = index === 0 ? 'start' : index === scale.ticks.length - 1 ? 'end' : 'middle';
        const x = px(xOf(tick));
        return html`<line x1="${x}" x2="${x}" y1="4" y2="${bottom}" class="${tick === 0 ? 'axis' : 'grid'}"/><text x="${x}" y="${bottom + 17}" text-anchor="${anchor}">${(chart.format ?? tickText)(tick)}</text>`;
      });
  const drawn = rows.map((row, index) => {
    const y = index * rowHeight;
    const end = px(Math.max(0, xOf(Math.max(0, row.value ?? 0)) - left));
    const note = noteOf(row);
    const bar = html`<g class="row"><title>${row.label}: ${note}</title><rect x="0" y="${y + 4}" width="${width}" height="${rowHeight - 6}" class="row-area"/><text x="${left + 4}" y="${y + 19}" class="row-name">${shortened(row.label, longestName)}</text><text x="${right}" y="${y + 19}" text-anchor="end" class="row-note">${note}</text><rect x="${left}" y="${y + 26}" width="${end}" height="11" ${toned(id, row.tone ?? 'accent')}/></g>\n`;
    return linkedMark(bar, row.href);
  });
  return figure({
    text: chart,
    width,
    height,
    linked: rows.some(({ href }) => href !== undefined),
    body: html`<g class="axes" aria-hidden="true">${ticks}</g>\n${drawn}`,
    table: { head, rows: rows.map((row) => ({ cells: [row.label, noteOf(row)], href: row.href })) },
  });
}
