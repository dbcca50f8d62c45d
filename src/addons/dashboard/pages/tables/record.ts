// One row of any table or view: its values with what they mean, the rows that it refers to, those that refer to it, and its deliveries.
import { html } from 'hono/html';
import { getTableRow, listTables, queryTable } from '#src/api/tables/tables.ts';
import { counted } from '#src/base/number-text.ts';
import { address, idOf, joined, time, uriActions, type Markup } from '#src/addons/dashboard/components/markup.ts';
import { recordAddress, rowsWith, searchOf } from '#src/addons/dashboard/components/question.ts';
import {
  columnOf,
  joinAddress,
  linkedColumn,
  rowList,
  shortValue,
  type Described,
  type DescribedColumn,
  type Row,
} from '#src/addons/dashboard/components/rows.ts';
import type { PageCall, View } from '#src/addons/dashboard/page.ts';
import { inCode } from './form.ts';
import { ownCell } from './own-cells.ts';
import { isName, usualColumns } from './usual-columns.ts';

/** Of each table that refers to the row. */
const mostReferring = 5;

export async function showRecord({ ask, params }: PageCall): Promise<View> {
  const { name = '', key = '' } = params;
  const { resource: row, joins } = await ask(getTableRow, { params: { name, key } });
  const { collection: tables } = await ask(listTables);
  const table = tables.find((each) => each.name === name);
  if (table === undefined) throw new TypeError(`The table ${name} is answered and not listed.`);
  const referring = await referringRows({ ask }, { tables, table, row });
  const title = titleOf(table, row);
  return {
    title: `${title}, ${name}`,
    content: html`<p class="soft"><a href="/tables">Tables</a> / <a href="/tables/${name}">${name}</a> / <bdi>${keyText(table, row)}</bdi></p>
      <h1><bdi>${title}</bdi></h1>
      <p class="row">${joined(linksOf(table, row), ' ')}</p>
      ${valuesView(table, row)}
      ${refersTo(tables, joins)}
      ${referredBy(referring, { tables, table, row })}
      ${await deliveriesOf({ ask }, tables, row)}`,
  };
}

const keyText = ({ key }: Pick<Described, 'key'>, row: Row): string =>
  key.map((column) => shortValue(String(row[column]))).join(', ');

/** What a person calls it; else its key. */
function titleOf(table: Pick<Described, 'key' | 'columns'>, row: Row): string {
  const named = table.columns.find(
    ({ name, joins }) => isName(name) && joins === null && typeof row[name] === 'string' && row[name] !== '',
  );
  return named ? shortValue(String(row[named.name])) : keyText(table, row);
}

/** Where a page shows more of it than its values. */
const ownPages: Readonly<Record<string, readonly [path: string, text: string]>> = {
  contacts: ['/contacts', 'The contact, with the timeline'],
  contacts_wide: ['/contacts', 'The contact, with the timeline'],
  invitees: ['/bookings', 'The booking, with its timeline'],
  bookings: ['/bookings', 'The booking, with its timeline'],
  event_log: ['/deliveries', 'The delivery, and what it changed'],
};

/** The list of a page that leads to its rows. */
const ownLists: Readonly<Record<string, readonly [path: string, text: string]>> = {
  meeting_recaps: ['/recaps', 'All recaps'],
  routing_form_submissions: ['/routing', 'All submissions'],
};

function linksOf({ name, key }: Described, row: Row): readonly Markup[] {
  const [path, text] = ownPages[name] ?? [];
  const list = ownLists[name];
  const [column = ''] = key;
  const value = String(row[column]);
  return [
    ...(path === undefined ? [] : [html`<a href="${path}/${idOf(value)}">${text}</a>`]),
    ...(list === undefined ? [] : [html`<a href="${list[0]}">${list[1]}</a>`]),
    ...(isRecord(row)
      ? [html`<a href="${address('/deliveries', { subject: row.uri })}">Deliveries about it</a>`, uriActions(row.uri)]
      : []),
  ];
}

/** A row with a URI is a record of the service. */
const isRecord = (row: Row): row is Row & { readonly uri: string } =>
  typeof row['uri'] === 'string' && row['uri'] !== '';

/** What is empty is folded: a record has many columns that do not concern it. */
function valuesView(table: Described, row: Row): Markup {
  const isEmpty = ({ name }: DescribedColumn): boolean => row[name] === null || row[name] === undefined;
  const empty = table.columns.filter(isEmpty);
  return html`${valueTable(
    table,
    table.columns.filter((column) => !isEmpty(column)),
    row,
  )}
    ${
      empty.length === 0
        ? ''
        : html`<details><summary>${counted(empty.length, 'column')} without a value</summary>${valueTable(table, empty, row)}</details>`
    }`;
}

const valueTable = ({ name }: Described, columns: readonly DescribedColumn[], row: Row): Markup =>
  html`<div class="scroll" tabindex="0" role="region" aria-label="Values">
    <table class="values">
      <caption class="hidden">Values of this row of ${name}</caption>
      <thead><tr><th scope="col">Column</th><th scope="col">Value</th><th scope="col">Meaning</th></tr></thead>
      <tbody>
        ${columns.map(
          (column) =>
            html`<tr><th scope="row"><code>${column.name}</code></th><td data-label="Value">${ownCell(name, column.name, row[column.name]) ?? wholeValue(row[column.name], column)}</td><td class="soft" data-label="Meaning">${inCode(column.about)}</td></tr>`,
        )}
      </tbody>
    </table>
  </div>`;

function wholeValue(value: unknown, { kind, joins }: Pick<DescribedColumn, 'kind' | 'joins'>): Markup | string {
  if (value === null || value === undefined) return html`<span class="none">empty</span>`;
  if (kind === 'json' || typeof value === 'object')
    return html`<pre class="json-value" tabindex="0">${JSON.stringify(value, null, 2)}</pre>`;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const text = String(value);
  if (kind === 'time') return time(text);
  if (text === '') return html`<span class="none">a text without characters</span>`;
  if (joins !== null) return html`<a href="${joinAddress(joins, text)}"><bdi>${text}</bdi></a>`;
  return html`<bdi class="whole">${text}</bdi>`;
}

type Joins = Readonly<Record<string, { readonly table: string; readonly rows: readonly Row[] }>>;

function refersTo(tables: readonly Described[], joins: Joins): Markup {
  const found = Object.entries(joins).flatMap(([column, { table: name, rows }]) => {
    const table = tables.find((each) => each.name === name);
    return table === undefined ? [] : [{ column, table, rows }];
  });
  if (found.length === 0) return html``;
  return html`<h2>What it refers to</h2>
    <ul class="plain meanings">
      ${found.map(
        ({ column, table, rows }) => html`<li><code>${column}</code> <span class="soft">of ${table.name}</span>
          <span>${
            rows.length === 0
              ? html`<span class="soft">not in the mirror</span>`
              : joined(
                  rows.map(
                    (row) => html`<a href="${recordAddress(table, row) ?? ''}"><bdi>${titleOf(table, row)}</bdi></a>`,
                  ),
                  ', ',
                )
          }</span></li>`,
      )}
    </ul>`;
}

interface Known {
  readonly tables: readonly Described[];
  readonly table: Described;
  readonly row: Row;
}

interface Reference {
  readonly from: Described;
  readonly column: string;
  readonly value: string;
}

/** Columns of other tables that join a column of this row. */
const referencesTo = ({ tables, table, row }: Known): readonly Reference[] =>
  tables.flatMap((from) =>
    from.columns.flatMap(({ name: column, joins }): readonly Reference[] => {
      const [target, joinedColumn = ''] = joins?.split('.') ?? [];
      const value = row[joinedColumn];
      return target === table.name && value !== null && value !== undefined
        ? [{ from, column, value: String(value) }]
        : [];
    }),
  );

interface Referring extends Reference {
  readonly rows: readonly Row[];
  readonly isMore: boolean;
}

/** Of tables, whose joins have indexes; a view could be computed as a whole. */
async function referringRows({ ask }: Pick<PageCall, 'ask'>, known: Known): Promise<readonly Referring[]> {
  const found: Referring[] = [];
  for (const reference of referencesTo(known)) {
    const { from, column, value } = reference;
    if (from.kind === 'view') continue;
    const conditions = [{ column, operator: 'eq', value }];
    const select = usualColumns(from).join(',');
    const search = searchOf({ conditions, groups: [], select, limit: String(mostReferring) });
    const { collection, pagination } = await ask(queryTable, { params: { name: from.name }, search });
    found.push({ ...reference, rows: collection, isMore: pagination.next_page_token !== null });
  }
  return found;
}

function referredBy(found: readonly Referring[], known: Known): Markup {
  const views = referencesTo(known).filter(({ from }) => from.kind === 'view');
  if (found.length + views.length === 0) return html``;
  const without = found.filter(({ rows }) => rows.length === 0);
  const linkTo = ({ from, column, value }: Reference) =>
    html`<a href="${rowsWith(from.name, column, value)}"><code>${from.name}.${column}</code></a>`;
  return html`<h2>What refers to it</h2>
    ${found
      .filter(({ rows }) => rows.length > 0)
      .map(
        (each) => html`<h3><code>${each.from.name}.${each.column}</code></h3>
          ${rowList({
            table: each.from,
            rows: each.rows,
            order: [],
            columns: usualColumns(each.from)
              .filter((name) => name !== each.column || each.from.key.includes(name))
              .slice(0, 6)
              .map((name) => linkedColumn(each.from, name)),
            caption: `Rows of ${each.from.name} that refer to it`,
            empty: '',
          })}
          <p class="soft"><a href="${rowsWith(each.from.name, each.column, each.value)}">${each.isMore ? 'All of them' : counted(each.rows.length, 'row')} in ${each.from.name}</a></p>`,
      )}
    ${without.length === 0 ? '' : html`<p class="soft">No row in ${joined(without.map(linkTo), ', ')}.</p>`}
    ${views.length === 0 ? '' : html`<p>Views that may have it: ${joined(views.map(linkTo), ', ')}.</p>`}`;
}

async function deliveriesOf({ ask }: Pick<PageCall, 'ask'>, tables: readonly Described[], row: Row): Promise<Markup> {
  const log = tables.find(({ name }) => name === 'event_log');
  if (log === undefined || !isRecord(row)) return html``;
  const names = ['seq', 'event', 'outcome', 'source', 'occurred_at'];
  const { collection } = await ask(queryTable, {
    params: { name: log.name },
    search: searchOf({
      conditions: [{ column: 'subject_uri', operator: 'eq', value: row.uri }],
      groups: [],
      select: names.join(','),
      limit: String(mostReferring),
    }),
  });
  const linkOf = ({ seq }: Row) => `/deliveries/${String(seq)}`;
  return html`<h2>Latest deliveries</h2>
    ${rowList({
      table: log,
      rows: collection,
      order: [],
      columns: names.map((name) =>
        name === 'seq'
          ? {
              ...columnOf(log, name),
              cell: (entry: Row) => html`<a href="${linkOf(entry)}">#${String(entry[name])}</a>`,
            }
          : columnOf(log, name),
      ),
      linkOf,
      caption: 'Latest deliveries about it',
      empty: 'No entry of the log is about this record itself: its values came with another one.',
    })}`;
}
