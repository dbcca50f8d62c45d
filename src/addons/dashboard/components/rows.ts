// A list of rows of a table or view, as `queryTable` answers them. A heading sorts by its column, a cell shows a value of its kind, a value that
// joins another table leads there, and a row leads to its page.
//
// A page that shows all of a table takes `columnOf` of each column, or `linkedColumn`, whose key leads to the row. A page of its own, such as
// Bookings, names its columns and gives them labels and cells: `rowList({ table, rows, order, url, columns: [{ ...columnOf(table, 'start_time'),
// label: 'Starts' }, …], linkOf, … })`. Its address has the order in the grammar of the door (`order=start_time.desc`, see question.ts), which it
// hands on to `queryTable`; without one, `order` is the usual order of the page. Headings and `rowPager`, which links the pages before and after,
// keep every other parameter of the address as it is, also those of a page's own filter form.
import { html } from 'hono/html';
import type { PaginationEnvelope } from '#schemas/resources/envelope.ts';
import type { listTables } from '#src/api/tables/tables.ts';
import type { RecordOf } from '#src/addons/dashboard/page.ts';
import { shortUri } from './changes.ts';
import { table as listTable, type Column } from './list.ts';
import { nothing, time, type Markup } from './markup.ts';
import { addressOf, orderText, pathOf, questionIn, recordAddress, rowsWith, type OrderTerm } from './question.ts';

/** As the door describes it to this visitor. */
export type Described = RecordOf<typeof listTables>['collection'][number];
export type DescribedColumn = Described['columns'][number];
export type Row = Readonly<Record<string, unknown>>;

export interface RowColumn<ShownRow extends Row = Row> {
  /** By which the list is sorted, and whose value is shown where there is no cell of its own. */
  readonly name: string;
  readonly kind: DescribedColumn['kind'];
  /** The heading; the name where absent. */
  readonly label?: string;
  readonly about?: string | undefined;
  /** `table.column` with the same value. */
  readonly joins?: string | null;
  cell?(row: ShownRow): Markup | string;
  /** Is left out on a narrow screen. */
  readonly isMinor?: true;
  /** The list cannot be sorted by it. */
  readonly isUnsorted?: true;
}

export interface RowList<ShownRow extends Row = Row> {
  readonly table: { readonly name: string; readonly key: readonly string[] };
  readonly rows: readonly ShownRow[];
  readonly columns: readonly RowColumn<ShownRow>[];
  /** In which the rows came. */
  readonly order: readonly OrderTerm[];
  /** Of the page: a heading changes its order and begins at its first page. Without it, nothing is sorted. */
  readonly url?: URL;
  /** What the list has, for screen readers. */
  readonly caption: string;
  /** What to do where it has nothing. */
  readonly empty: Markup | string;
  /** Where a row leads: to its own page where absent. */
  linkOf?(row: ShownRow): string | undefined;
  /** Identifies a row when the page is refreshed. */
  keyOf?(row: ShownRow): string;
}

export function rowList<ShownRow extends Row>({
  table,
  rows,
  columns,
  order,
  url,
  caption,
  empty,
  linkOf,
  keyOf,
}: RowList<ShownRow>): Markup {
  const linkTo = linkOf ?? ((row: ShownRow) => recordAddress(table, row));
  const isLinked = rows.some((row) => linkTo(row) !== undefined);
  const [first] = order;
  return listTable<ShownRow>({
    caption,
    rows,
    empty,
    ...(isLinked && { linkOf: (row: ShownRow) => linkTo(row) ?? '' }),
    ...(keyOf && { keyOf }),
    columns: columns.map((column): Column<ShownRow> => {
      const { name, kind, label = name, isMinor } = column;
      return {
        name: label,
        heading:
          url && isSortable(column)
            ? sortLink(column, first, url)
            : html`<span title="${column.about ?? ''}">${label}</span>`,
        ...(first?.name === name && { sorted: first.isDescending ? 'descending' : 'ascending' }),
        ...(isNumber(kind) && { isNumber: true }),
        ...(isMinor && { isMinor }),
        cell: (row) => column.cell?.(row) ?? valueCell(row[name], column),
      };
    }),
  });
}

const isSortable = ({ kind, isUnsorted }: Pick<RowColumn, 'kind' | 'isUnsorted'>): boolean =>
  kind !== 'json' && !isUnsorted;
const isNumber = (kind: RowColumn['kind']): boolean => kind === 'integer' || kind === 'number';

/** A second click turns the order around. The first one shows the newest and the largest, or A before Z. */
function sortLink(
  { name, kind, label = name, about }: Pick<RowColumn, 'name' | 'kind' | 'label' | 'about'>,
  first: OrderTerm | undefined,
  url: URL,
): Markup {
  const isFirst = first?.name === name;
  const isDescending = isFirst ? !first.isDescending : kind === 'time' || kind === 'date' || isNumber(kind);
  const href = addressOf(url.pathname, {
    ...questionIn(url.searchParams),
    order: orderText({ name, isDescending }),
  });
  const arrow = isFirst ? html` <span aria-hidden="true">${first.isDescending ? '↓' : '↑'}</span>` : nothing;
  return html`<a href="${href}" title="${about ?? ''}">${label}${arrow}</a>`;
}

export function columnOf({ columns }: Pick<Described, 'columns'>, name: string): RowColumn {
  const found = columns.find((column) => column.name === name);
  return { name, kind: found?.kind ?? 'text', about: found?.about, joins: found?.joins ?? null };
}

/** A column whose value leads to the page of the row. */
export function linkedColumn(table: Described, name: string): RowColumn {
  const column = columnOf(table, name);
  if (!table.key.includes(name)) return column;
  const text = (value: unknown) =>
    column.kind === 'text' && value !== '' ? shownText(String(value)) : valueCell(value, { ...column, joins: null });
  return {
    ...column,
    cell(row) {
      const href = recordAddress(table, row);
      return href === undefined ? valueCell(row[name], column) : html`<a href="${href}">${text(row[name])}</a>`;
    },
  };
}

const shortText = 80;

/** A value as a cell shows it; none is an empty cell. */
export function valueCell(value: unknown, { kind, joins }: Pick<RowColumn, 'kind' | 'joins'>): Markup | string {
  if (value === null || value === undefined) return '';
  if (kind === 'json' || typeof value === 'object') return html`<code>${shortened(JSON.stringify(value))}</code>`;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const text = String(value);
  if (kind === 'time') return time(text);
  if (kind === 'date') return html`<span class="nowrap">${text}</span>`;
  if (text === '') return html`<span class="none" title="a text without characters">""</span>`;
  const shown = shownText(text);
  return joins === null || joins === undefined
    ? shown
    : html`<a href="${joinAddress(joins, text)}" title="${text}">${shown}</a>`;
}

/** Where the rows of `table.column` with this value are: `uri` is always a whole key. */
export function joinAddress(joins: string, value: string): string {
  const [table = '', column = ''] = joins.split('.');
  return column === 'uri' ? pathOf(table, value) : rowsWith(table, column, value);
}

/** A URI, and what is as short, stays on one line where there is room. */
function shownText(text: string): Markup {
  if (recordUri.test(text)) return html`<bdi class="nowrap" title="${text}">${shortUri(text)}</bdi>`;
  return html`<bdi class="${text.length > oneLine ? '' : 'nowrap'}">${shortened(text)}</bdi>`;
}

const oneLine = 24;

const recordUri = /^https?:\/\/\S+\/\w+\/[\w-]+$/;

/** The end of a URI of a record, or the beginning of a text. */
export const shortValue = (text: string): string => (recordUri.test(text) ? shortUri(text) : shortened(text));

const shortened = (text: string): string => (text.length > shortText ? `${text.slice(0, shortText)}…` : text);

/** Links to the pages before and after, by the tokens of the door. */
export function rowPager(
  {
    next_page_token: next,
    previous_page_token: previous,
  }: Pick<PaginationEnvelope, 'next_page_token' | 'previous_page_token'>,
  url: URL,
): Markup {
  const isFirst = !url.searchParams.has('page_token');
  if (next === null && previous === null && isFirst) return nothing;
  const question = questionIn(url.searchParams);
  const link = (token: string | null, text: string, rel: string): Markup =>
    token === null ? nothing : html`<a rel="${rel}" href="${addressOf(url.pathname, question, token)}">${text}</a>`;
  return html`<nav class="row spaced" aria-label="Pages of this list">
    ${isFirst ? '' : html`<a href="${addressOf(url.pathname, question)}">First</a>`}${link(previous, '← Previous', 'prev')}${link(next, 'Next →', 'next')}
  </nav>`;
}
