// Lists: a table whose rows have keys, the links to the pages on either side, what an empty list says, facts, and answers.
import { html } from 'hono/html';
import type { PaginationEnvelope } from '#schemas/resources/envelope.ts';
import { address, foreign, nothing, type Markup } from './markup.ts';

export interface Column<Row> {
  readonly name: string;
  /** What sorts the list by this column, or back. */
  readonly heading?: Markup;
  /** The list is sorted by this column first. */
  readonly sorted?: 'ascending' | 'descending';
  cell(row: Row): Markup | string;
  /** Right-aligned, with digits of one width. */
  readonly isNumber?: true;
  /** Is left out on a narrow screen. */
  readonly isMinor?: true;
}

export interface Table<Row> {
  /** What the table lists, for screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** Identifies a row when the page is refreshed. */
  keyOf?(row: Row): string;
  /** Where a row leads; the script opens it with Enter. The first cell should be a link to it as well. */
  linkOf?(row: Row): string;
  readonly empty: Markup | string;
}

export function table<Row>({ caption, columns, rows, keyOf, linkOf, empty }: Table<Row>): Markup {
  if (rows.length === 0) return html`<p class="empty" data-rows>${empty}</p>`;
  const classOf = ({ isNumber, isMinor }: Column<Row>): string =>
    [isNumber ? 'number' : '', isMinor ? 'minor' : ''].filter(Boolean).join(' ');
  const attributes = (row: Row): Markup =>
    html`${keyOf ? html` data-key="${keyOf(row)}"` : ''}${linkOf ? html` data-href="${linkOf(row)}" tabindex="-1"` : ''}`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}">
    <table>
      <caption class="hidden">${caption}</caption>
      <thead><tr>${columns.map((column) => html`<th scope="col" class="${classOf(column)}" ${column.sorted ? html`aria-sort="${column.sorted}"` : ''}>${column.heading ?? column.name}</th>`)}</tr></thead>
      <tbody data-rows>
        ${rows.map(
          (row) =>
            html`<tr${attributes(row)}>${columns.map((column) => html`<td class="${classOf(column)}" data-label="${column.name}">${column.cell(row)}</td>`)}</tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** Links to the pages before and after. A filter that changes begins at the first page, because its form has no token. */
export function pager(
  {
    next_page_token: next,
    previous_page_token: previous,
  }: Pick<PaginationEnvelope, 'next_page_token' | 'previous_page_token'>,
  url: URL,
): Markup {
  const { page_token: current, ...query } = Object.fromEntries(url.searchParams);
  // A search that looks at a part of a list at a time may end with an empty page: there is always a way back.
  if (next === null && previous === null && current === undefined) return nothing;
  const link = (token: string | null, text: string, rel: string): Markup =>
    token === null
      ? nothing
      : html`<a rel="${rel}" href="${address(url.pathname, { ...query, page_token: token })}">${text}</a>`;
  return html`<nav class="row spaced" aria-label="Pages of this list">
    ${current === undefined ? '' : html`<a href="${address(url.pathname, query)}">First</a>`}${link(previous, '← Newer', 'prev')}${link(next, 'Older →', 'next')}
  </nav>`;
}

/** Names and values, for one record. Absent values are left out. */
export const facts = (entries: Readonly<Record<string, Markup | string | number | null | undefined>>): Markup =>
  html`<dl class="facts">
    ${Object.entries(entries).map(([name, value]) =>
      value === null || value === undefined || value === '' ? '' : html`<div><dt>${name}</dt><dd>${value}</dd></div>`,
    )}
  </dl>`;

export const answerList = (
  answers: readonly { readonly question: string | null; readonly answer: string | null }[],
): Markup =>
  html`<dl class="answers">
    ${answers.map(({ question, answer }) => html`<div><dt><bdi>${question ?? 'A question'}</bdi></dt><dd>${foreign(answer)}</dd></div>`)}
  </dl>`;
