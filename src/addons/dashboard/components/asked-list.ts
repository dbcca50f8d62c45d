// What the address of a list with filters of its own asks for, such as `/bookings?outcome=no_show&order=start_time.asc&count=50`. A value is
// checked against the column that it is compared with; order and pages are those of /api/tables.
import { html } from 'hono/html';
import type { QuestionContext } from '#src/api/api-operation.ts';
import { ApiError } from '#src/api/ask.ts';
import { readQuestion } from '#src/api/tables/grammar.ts';
import { paginationOf, readPage } from '#src/api/tables/page.ts';
import { refuse, suggestion } from '#src/api/tables/refusal.ts';
import { valueOf } from '#src/api/tables/values.ts';
import { number } from '#src/base/number-text.ts';
import type { RawQuery } from '#src/http/request.ts';
import type { Condition, OrderTerm } from '#src/read/tables/question.ts';
import { relationNamed, type Relation } from '#src/read/tables/relation.ts';
import { mostSorted, type PageOfRows, type RowsFound } from '#src/read/tables/rows.ts';
import type { View } from '#src/addons/dashboard/page.ts';
import { filters, withQuery, type Field } from './form.ts';
import { localQuery, type Boundaries, type LocalQuery } from './local-times.ts';
import { joined, notice } from './markup.ts';
import type { RowColumn } from './rows.ts';

/** A column of the table that has the value, or at least or at most this one; or a value that is compared with something else. */
export type Filter =
  | { readonly column: string; readonly operator: 'eq' | 'gte' | 'lte' }
  | { readonly oneOf: readonly string[] }
  | 'text'
  | 'uri'
  | 'time';

export interface ListRequest {
  readonly url: URL;
  readonly timezone: string;
}

interface ListKind {
  readonly table: string;
  readonly filters: Readonly<Record<string, Filter>>;
  /** Which filters are days or times of the visitor. */
  readonly ends: Boundaries;
  /** Where the address names none. */
  readonly order: readonly OrderTerm[];
}

export interface AskedList {
  readonly relation: Relation;
  /** The filters that compare a column. */
  readonly where: readonly Condition[];
  /** Of all filters; a time is an instant in UTC. */
  readonly values: RawQuery;
  readonly order: readonly OrderTerm[];
  readonly page: PageOfRows;
  /** The rows that were found; refuses where they are too many for their order. */
  listed<Row>(found: FoundRows<Row> | 'too many' | 'other order'): ListedRows<Row>;
}

type FoundRows<Row> = Omit<RowsFound, 'rows'> & { readonly rows: readonly Row[] };

interface ListedRows<Row> {
  readonly rows: readonly Row[];
  readonly pagination: ReturnType<typeof paginationOf>;
}

const usualRows = 20;
const mostRows = 100;
const longestText = 320;

/** Throws what `PageCall.read` turns into an `ApiError`, for `refusedList`. */
export async function askedList(
  { reading, cursors }: QuestionContext,
  { url: given, timezone }: ListRequest,
  { table, filters: known, ends, order: usual }: ListKind,
): Promise<AskedList> {
  const relation = await relationNamed(reading, table);
  // The same question has one token, in whichever order it is written.
  const url = new URL(given);
  url.searchParams.sort();
  const { parameters, page } = readPage(url, cursors);
  const filled = Object.fromEntries(parameters.filter(([, text]) => text !== ''));
  const { order, count = String(usualRows), ...query } = localQuery({ query: filled, timezone }, ends).query;
  const where: Condition[] = [];
  const values: Record<string, string> = {};
  for (const [name, text] of Object.entries(query)) {
    const filter = filterNamed(known, name);
    const read = valueFor(relation, filter, text);
    if (typeof read === 'string') throw refuse(name, read);
    values[name] = String(read.value);
    if (typeof filter === 'object' && 'column' in filter) where.push({ ...filter, isNegated: false, ...read });
  }
  if (!/^\d{1,3}$/.test(count) || Number(count) < 1 || Number(count) > mostRows)
    throw refuse('count', `expected a whole number from 1 to ${mostRows}.`);
  const asked = order === undefined ? usual : readQuestion({ relation, isAdmin: true }, [['order', order]]).order;
  return {
    relation,
    where,
    values,
    order: asked,
    page: { ...page, limit: Number(count) },
    listed(found) {
      if (found === 'too many')
        throw refuse(
          'order',
          `more than ${number(mostSorted)} match, too many to sort by this column: filter them first.`,
        );
      if (found === 'other order') throw refuse('page_token', 'made for another order: begin again without it.');
      return { rows: found.rows, pagination: paginationOf({ found, parameters, url, cursors }) };
    },
  };
}

function filterNamed(known: ListKind['filters'], name: string): Filter {
  const filter = Object.hasOwn(known, name) ? known[name] : undefined;
  if (filter !== undefined) return filter;
  const names = [...Object.keys(known), 'order', 'count'];
  throw refuse(name, `there is no such filter.${suggestion(name, names)} There are ${names.join(', ')}.`);
}

/** What it selects; or why it selects nothing. */
function valueFor({ columns }: Relation, filter: Filter, text: string): ReturnType<typeof valueOf> {
  if (filter === 'time') return valueOf({ kind: 'time', oneOf: undefined }, text);
  if (typeof filter === 'string')
    return /\p{Cc}/u.test(text) ? 'expected a text without control characters.' : textFor(filter, text);
  if ('oneOf' in filter) return valueOf({ kind: 'text', oneOf: filter.oneOf }, text);
  const declared = columns[filter.column];
  if (declared === undefined) throw new TypeError(`There is no column ${filter.column}.`);
  return valueOf(declared, text);
}

function textFor(filter: 'text' | 'uri', text: string): ReturnType<typeof valueOf> {
  if (text.length > longestText) return `expected at most ${longestText} characters.`;
  return filter === 'uri' && !/^https?:\/\/\S+$/.test(text)
    ? 'expected a URI, such as https://…/users/…, as the menu has them.'
    : { value: text };
}

/** A column of the list, with what it means. */
export function columnIn({ columns }: Relation, name: string): Pick<RowColumn, 'name' | 'kind' | 'about'> {
  const declared = columns[name];
  if (declared === undefined) throw new TypeError(`There is no column ${name}.`);
  return { name, kind: declared.kind, about: declared.about };
}

interface RefusedList {
  readonly title: string;
  readonly url: URL;
  readonly fields: readonly Field[];
  readonly local: LocalQuery;
}

/** The filters stay in the form, with what is wrong about them; undefined for an error that the question did not cause. */
export function refusedList(error: unknown, { title, url, fields, local }: RefusedList): View | undefined {
  if (!(error instanceof ApiError) || error.status >= 500) return undefined;
  const labels: Readonly<Record<string, string>> = Object.fromEntries(fields.map(({ name, label }) => [name, label]));
  const lines = error.details.length > 0 ? error.details : [error.message];
  const texts = lines.map((text) => text.replace(/^\w+(?=: )/, (name) => labels[name] ?? name));
  return {
    title,
    status: 400,
    content: html`<h1>${title}</h1>
      ${notice(
        joined(
          texts.map((text) => html`${text}`),
          ' ',
        ),
        'problem',
      )}
      ${filters(url, local.query, fields, local)}
      <p class="row spaced">
        ${lines.some((text) => text.startsWith('order: ')) ? html`<a href="${withQuery(url, { order: undefined })}">Show them in the usual order</a>` : ''}
        <a href="${url.pathname}">Begin again with all</a>
      </p>`,
  };
}
