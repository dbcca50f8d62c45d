// What all charts share: the figure around a drawing, its legend, its pattern, its links and the table with the same numbers.
import { html } from 'hono/html';
import type { Markup } from '#src/addons/dashboard/components/markup.ts';

export interface ChartText {
  /** Unique on the page: the pattern of the drawing is named after it. */
  readonly id: string;
  /** A phrase: the caption of the table and the name of the figure. */
  readonly title: string;
  /** One sentence that says what the drawing shows, for people who do not see it. */
  readonly summary: string;
}

/**
 * How a mark is filled. Tones differ in lightness and texture as well as in colour: `alert` is hatched, `soft` and
 * `faint` are outlined.
 */
export type Tone = 'accent' | 'soft' | 'alert' | 'muted' | 'faint';

export interface Series {
  readonly label: string;
  readonly tone: Tone;
}

export interface ChartTable {
  readonly head: readonly string[];
  /** The first cell of a row is its heading. */
  readonly rows: readonly { readonly cells: readonly string[]; readonly href?: string | undefined }[];
}

interface FigureOptions {
  readonly text: ChartText;
  readonly width: number;
  readonly height: number;
  readonly body: Markup | readonly Markup[];
  readonly table: ChartTable;
  /** A legend is shown where there are several. */
  readonly series?: readonly Series[];
  /** Instead of the legend of the series. */
  readonly legend?: Markup;
  /**
   * Drawings for a half of the page or for its whole width scroll on a small screen; others shrink, and their text grows in
   * proportion.
   */
  readonly fit?: keyof typeof widths;
  /** Marks lead somewhere: the drawing is then a group and no single image. */
  readonly linked: boolean;
}

const widths = { half: 560, wide: 1_200 } as const;
export const widthOf = ({ wide = false }: { readonly wide?: boolean | undefined }): number =>
  widths[wide ? 'wide' : 'half'];

/** Two decimals are finer than a pixel. */
export const px = (value: number): number => Math.round(value * 100) / 100;

export function figure(drawing: FigureOptions): Markup {
  const { text, width, height, body, table, series = [], fit, linked } = drawing;
  const legend = drawing.legend ?? (series.length > 1 ? legendOf(text.id, series) : '');
  // Inside an image nothing can be focused, so a drawing with links is a group.
  return html`<figure class="chart${fit === undefined ? '' : ` chart-${fit}`}" id="${text.id}">
${legend}<div class="chart-scroll"${fit ? html` tabindex="0" role="group" aria-label="${text.title}"` : ''}><svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="${linked ? 'group' : 'img'}" aria-label="${text.summary}">
<defs>${pattern(text.id)}</defs>
${body}</svg></div>
${tableOf(text, table)}</figure>`;
}

/** Presentation attributes of a mark: a style attribute would be refused by the content security policy. */
export const toned = (id: string, tone: Tone): Markup =>
  tone === 'alert' ? html`class="mark mark-alert" fill="url(#${id}-alert)"` : html`class="mark mark-${tone}"`;

const pattern = (id: string): Markup =>
  html`<pattern id="${id}-alert" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="6" height="6" class="ground-alert"/><rect width="2" height="6" class="ink-alert"/></pattern>`;

function legendOf(id: string, series: readonly Series[]): Markup {
  const items = series.map(
    ({ label, tone }) =>
      html`<li><svg class="swatch" width="14" height="14" aria-hidden="true"><rect x="1" y="1" width="12" height="12" ${toned(id, tone)}/></svg>${label}</li>`,
  );
  return html`<ul class="plain row soft chart-legend">${items}</ul>\n`;
}

/** The link of a mark is for the pointer: by keyboard the same links are reached in the table, not in hundreds of steps. */
export const linkedMark = (mark: Markup, href: string | undefined): Markup =>
  href === undefined ? mark : html`<a href="${href}" tabindex="-1">${mark}</a>`;

function tableOf({ title }: ChartText, { head, rows }: ChartTable): Markup {
  const cells = ({ cells: [heading = '', ...rest], href }: ChartTable['rows'][number]) => {
    const name = html`<bdi>${heading}</bdi>`;
    return html`<tr><th scope="row">${href === undefined ? name : html`<a href="${href}">${name}</a>`}</th>${rest.map((cell) => html`<td>${cell}</td>`)}</tr>\n`;
  };
  return html`<details class="chart-table"><summary>As a table</summary>
<div class="chart-scroll" tabindex="0" role="group" aria-label="${title}, as a table"><table><caption>${title}</caption>
<thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${rows.length === 0 ? html`<tr><td colspan="${head.length}">Nothing to show.</td></tr>` : rows.map(cells)}</tbody></table></div></details>
`;
}

/** A long name cut for a label; the tooltip and the table have all of it. */
export function shortened(text: string, most: number): string {
  const characters = Array.from(text.replaceAll(/\s+/g, ' ').trim());
  return characters.length <= most ? characters.join('') : `${characters.slice(0, most - 1).join('')}…`;
}
