// A line without axes, as high as a line of text.
import { html } from 'hono/html';
import type { Markup } from '#src/addons/dashboard/components/markup.ts';
import { px } from './figure.ts';
import { scaleOf } from './scale.ts';

const width = 120;
const height = 28;
const margin = 3;

/** The values from left to right; `summary` says in one sentence what they are. The last value has a dot. */
export function sparkline({
  values,
  summary,
}: {
  readonly values: readonly number[];
  readonly summary: string;
}): Markup {
  const scale = scaleOf(values);
  const step = (width - 2 * margin) / Math.max(1, values.length - 1);
  const points = values.map((value, index) => ({
    x: px(margin + index * step),
    y: px(height - margin - scale.at(value) * (height - 2 * margin)),
  }));
  const path = points.map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${x} ${y}`).join('') || 'M0 0';
  const last = points.at(-1);
  const dot = last && html`<circle cx="${last.x}" cy="${last.y}" r="2.5" class="mark mark-accent"/>`;
  return html`<svg class="sparkline" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${summary}"><title>${summary}</title><path d="${path}" class="line"/>${dot}</svg>`;
}
