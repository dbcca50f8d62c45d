// Tables: what there is, and the rows of any table or view that answer the question in the address.
import { html } from 'hono/html';
import { ApiError } from '#src/api/ask.ts';
import { explainQuestion, type ExplainedQuestion } from '#src/api/tables/explain.ts';
import { listTables, queryTable } from '#src/api/tables/tables.ts';
import { counted, number } from '#src/base/number-text.ts';
import { refusalTexts } from '#src/addons/dashboard/components/listed.ts';
import { table as listTable } from '#src/addons/dashboard/components/list.ts';
import { breadcrumb, copyable, notice, type Markup } from '#src/addons/dashboard/components/markup.ts';
import {
  addressOf,
  pairsOf,
  questionIn,
  recordAddress,
  searchOf,
  type AskedQuestion,
} from '#src/addons/dashboard/components/question.ts';
import {
  columnOf,
  linkedColumn,
  rowList,
  rowPager,
  valueCell,
  type Described,
  type Row,
  type RowColumn,
} from '#src/addons/dashboard/components/rows.ts';
import { definePage, type Page, type PageCall, type Shown, type View } from '#src/addons/dashboard/page.ts';
import { csvFile, mostDownloaded } from './download.ts';
import { inCode, questionForm, sentQuestion, shownColumns } from './form.ts';
import { showRecord } from './record.ts';

export const tablePages: readonly Page[] = [
  definePage({ path: '/tables', section: '/tables', show: showTables }),
  definePage({ path: '/tables/:name', section: '/tables', show: showTable }),
  definePage({ path: '/tables/:name/:key', section: '/tables', show: showRecord }),
];

async function showTables(call: PageCall): Promise<View> {
  const { collection } = await call.ask(listTables);
  const listOf = (kind: Described['kind']): Markup =>
    listTable({
      caption: kind === 'view' ? 'Views' : 'Tables',
      rows: collection.filter((each) => each.kind === kind),
      keyOf: ({ name }) => name,
      linkOf: ({ name }) => `/tables/${name}`,
      empty: kind === 'view' ? 'No view is installed.' : 'There is no table.',
      columns: [
        { name: 'Name', cell: ({ name }) => html`<a href="/tables/${name}"><code>${name}</code></a>` },
        { name: 'What it has', cell: ({ about }) => inCode(about) },
        { name: 'Columns', cell: ({ columns }) => String(columns.length), isNumber: true, isMinor: true },
      ],
    });
  return {
    title: 'Tables',
    content: html`<h1>Tables</h1>
      <p class="lead">Everything that Slotstream has stored, row by row. Filter, sort, group and count, and take the result with you.</p>
      <h2>Views: answers to common questions</h2>
      ${listOf('view')}
      <h2>Tables: what the service sent, and the state of the mirror</h2>
      ${listOf('table')}
      <h2 id="http">Read the same with a program</h2>
      ${copyable(curlOf(call, '/api/tables/bookings?limit=10'))}
      <p class="soft">Each table and view shows the command for its rows. <a href="/openapi.json">openapi.json</a> describes all operations, for programs.</p>`,
  };
}

async function showTable(call: PageCall): Promise<Shown> {
  const { ask, url, params } = call;
  const name = (params['name'] ?? '').replace(/\.csv$/, '');
  const { collection } = await ask(listTables);
  const table = collection.find((each) => each.name === name);
  // The door says why, and which name is similar.
  if (table === undefined) return (await ask(queryTable, { params: { name } })) && { to: '/tables' };
  const path = `/tables/${name}`;
  const sent = sentQuestion(table, url.searchParams);
  if (sent !== undefined) return { to: addressOf(path, sent) };
  const question = questionIn(url.searchParams);
  if (params['name'] !== name) return csvFile(call, table, question);
  const page = { table, question, path };
  try {
    return await rowsView(call, page);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return refusedView(error, page);
  }
}

interface TablePage {
  readonly table: Described;
  readonly question: AskedQuestion;
  readonly path: string;
}

const heading = ({ name, about }: Described): Markup =>
  html`${breadcrumb('/tables', 'Tables', name)}
    <h1>${name}</h1>
    <p class="lead">${inCode(about)}</p>`;

/** The question stays in the form, with what the door says about it. */
function refusedView(error: ApiError, { table, question, path }: TablePage): View {
  const texts = refusalTexts(error);
  return {
    title: table.name,
    status: error.status < 500 ? 400 : 503,
    content: html`${heading(table)}
      ${notice(html`${texts.map((text, index) => html`${index === 0 ? '' : html`<br />`}${inCode(text)}`)}`, 'problem')}
      ${questionForm({ table, question, path, first: undefined })}
      <p><a href="${path}">Begin again with all rows</a></p>`,
  };
}

async function rowsView(call: PageCall, page: TablePage): Promise<View> {
  const { ask, read, url, isReadOnly } = call;
  const { table, question, path } = page;
  const asked = { ...question, select: question.select ?? shownColumns(table, question).join(',') };
  const explained = await read((mirror) =>
    explainQuestion(mirror, { name: table.name, isAdmin: !isReadOnly, parameters: pairsOf(asked) }),
  );
  if (explained === undefined) return { title: table.name, content: heading(table), status: 404 };
  const search = searchOf(explained.isGrouped ? asked : { ...asked, select: withKey(table, asked.select) });
  const token = url.searchParams.get('page_token');
  if (token !== null) search.set('page_token', token);
  const { collection: rows, pagination } = await ask(queryTable, { params: { name: table.name }, search });
  const count = counted(rows.length, explained.isGrouped ? 'group' : 'row');
  const isWhole = pagination.next_page_token === null && token === null;
  return {
    title: table.name,
    content: html`${heading(table)}
      ${questionForm({ table, question, path, first: explained.order[0] })}
      <p class="row spaced">
        <span class="soft">${isWhole ? count : `${count} on this page`}</span>
        ${rows.length === 0 ? '' : html`<a href="${addressOf(`${path}.csv`, question)}">Download as CSV</a> <span class="soft">${explained.isGrouped ? '' : `all pages, at most ${number(mostDownloaded)} rows`}</span>`}
      </p>
      ${rowList({
        table,
        rows,
        columns: explained.isGrouped ? groupColumns(page, explained) : columnsOf(page),
        order: explained.order,
        url,
        caption: `Rows of ${table.name}`,
        empty: emptyText(page),
        ...(explained.isGrouped && { linkOf: (row: Row) => groupAddress(page, explained, row) }),
      })}
      ${rowPager(pagination, url)} ${programs(call, { ...page, question: asked }, explained)}`,
  };
}

/** A row leads to its page by its key, also where that is not shown. */
function withKey({ key }: Described, select: string): string {
  if (select === '*') return select;
  const names = select.split(',');
  return [...names, ...key.filter((name) => !names.includes(name))].join(',');
}

/** The first column of the key leads to the row; where none is shown, a column of its own does. */
function columnsOf({ table, question }: TablePage): readonly RowColumn[] {
  const names = shownColumns(table, question);
  const leading = names.find((name) => table.key.includes(name));
  const columns = names.map((name) => (name === leading ? linkedColumn(table, name) : columnOf(table, name)));
  if (leading !== undefined) return columns;
  const cell = (row: Row) => html`<a href="${recordAddress(table, row) ?? ''}">open</a>`;
  return [{ name: '', kind: 'text', label: 'Row', isUnsorted: true, cell }, ...columns];
}

/** The columns of groups. The value of the first leads to the rows of the group. */
function groupColumns(page: TablePage, explained: ExplainedQuestion): readonly RowColumn[] {
  const [first] = explained.groupedBy;
  return Object.entries(explained.kinds).map(([name, kind]): RowColumn => {
    const column = { ...columnOf(page.table, name), name, kind, joins: null };
    if (name !== first) return column;
    const text = (row: Row) =>
      row[name] === null ? html`<span class="none">empty</span>` : valueCell(row[name], column);
    return { ...column, cell: (row) => html`<a href="${groupAddress(page, explained, row) ?? ''}">${text(row)}</a>` };
  });
}

/** Every row of a group has its values, so that these replace what was asked of the same columns. */
function groupAddress({ path, question }: TablePage, { groupedBy }: ExplainedQuestion, row: Row): string | undefined {
  if (groupedBy.length === 0) return undefined;
  const others = question.conditions.filter(({ column }) => !groupedBy.includes(column));
  const own = groupedBy.map((column) => {
    const value = row[column];
    return value === null || value === undefined
      ? { column, operator: 'is', value: 'null' }
      : { column, operator: 'eq', value: String(value) };
  });
  return addressOf(path, { conditions: [...others, ...own], groups: question.groups });
}

function emptyText({ question, path, table }: TablePage): Markup {
  if (question.conditions.length + question.groups.length > 0)
    return html`No row matches. <a href="${addressOf(path, { ...question, conditions: [], groups: [] })}">Remove all filters</a>`;
  return html`There is no row yet: ${inCode(table.about)}`;
}

/** The same for a program and for SQL. */
function programs(call: PageCall, { table, question }: TablePage, { sql, isGrouped }: ExplainedQuestion): Markup {
  const curl = curlOf(call, addressOf(`/api/tables/${table.name}`, question));
  const first = isGrouped ? '' : ', for the first page of it';
  return html`<h2>Read the same elsewhere</h2>
    <details><summary>With curl</summary>${copyable(curl)}
      <p class="soft">Add <code>-H 'Accept: text/csv'</code> for CSV. <a href="/openapi.json">All operations</a></p></details>
    <details><summary>With SQL${first}</summary>${copyable(sql)}</details>`;
}

function curlOf({ url, isReadOnly }: PageCall, path: string): string {
  const token = isReadOnly ? '$ADMIN_READ_TOKEN' : '$(cat data/admin-token)';
  // The name of a session at this machine is a secret.
  const origin = url.hostname.endsWith('.localhost') ? `http://127.0.0.1:${url.port}` : url.origin;
  return `curl -gH "Authorization: Bearer ${token}" '${origin}${path}'`;
}
