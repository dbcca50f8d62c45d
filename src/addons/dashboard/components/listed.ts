// A list with fixed columns: rows of one table or view that the filters of a page select, in the order that its address has (`order=…`), with
// what the door refuses above them.
import { html } from 'hono/html';
import { ApiError } from '#src/api/ask.ts';
import { listRows, type ListedRows, type ListQuestion } from '#src/api/tables/list-rows.ts';
import type { Parameters } from '#src/api/tables/grammar.ts';
import type { PageCall } from '#src/addons/dashboard/page.ts';
import { notice, type Markup } from './markup.ts';
import { rowList, rowPager, type Row, type RowColumn, type RowList } from './rows.ts';

export interface FixedList extends Pick<ListQuestion, 'name' | 'also'> {
  /** Columns to read. */
  readonly select: readonly string[];
  /** In the grammar of the door. */
  readonly conditions: Parameters;
  /** Where the address has none: `created_at.desc`. */
  readonly order: string;
}

export type Listed = ListedRows | { readonly refused: ApiError };

export async function findListed(
  { read, url }: Pick<PageCall, 'read' | 'url'>,
  { name, select, conditions, also, order }: FixedList,
): Promise<Listed> {
  const { searchParams } = url;
  const limit = searchParams.get('limit');
  const parameters: Parameters = [
    ...conditions,
    ['select', select.join(',')],
    ['order', searchParams.get('order') ?? order],
    ...(limit === null ? [] : [['limit', limit] as const]),
  ];
  const pageToken = searchParams.get('page_token') ?? undefined;
  try {
    return await read((mirror) => listRows(mirror, { name, parameters, pageToken, ...(also && { also }) }));
  } catch (error) {
    if (!(error instanceof ApiError) || error.status === 404) throw error;
    return { refused: error };
  }
}

export const rowsOf = (listed: Listed): readonly Row[] => ('refused' in listed ? [] : listed.rows);

/** What the door says, each wrong parameter with its own sentence: the name of a condition is that of its column. */
export const refusalTexts = ({ details, message }: ApiError): readonly string[] =>
  (details.length > 0 ? details : [message]).map((text) => text.replace(/^(\w+: )\1/, '$1'));

/** Of the view of the page. */
export const statusOf = (listed: Listed) =>
  'refused' in listed ? ({ status: listed.refused.status < 500 ? 400 : 503 } as const) : {};

export interface FixedColumn extends Omit<RowColumn, 'kind'> {
  readonly label: string;
}

export function listedView(
  listed: Listed,
  {
    url,
    columns,
    ...rest
  }: Pick<RowList, 'caption' | 'empty' | 'linkOf'> & { readonly url: URL; readonly columns: readonly FixedColumn[] },
): Markup {
  if ('refused' in listed) {
    return html`${notice(refusalTexts(listed.refused).join(' '), 'problem')}
      <p><a href="${url.pathname}">Begin again without filters</a></p>`;
  }
  const { table, rows, kinds, order, pagination } = listed;
  return html`${rowList({
    ...rest,
    table,
    rows,
    order,
    url,
    columns: columns.map((column) => ({ ...column, kind: kinds[column.name] ?? 'text' })),
  })}
  ${rowPager(pagination, url)}`;
}
