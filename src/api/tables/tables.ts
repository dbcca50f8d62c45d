// One door to every table and view: what there is, the rows that answer a question, and one row with what it refers to.
import { z } from 'zod';
import { paginationEnvelope, type PaginationEnvelope } from '#schemas/resources/envelope.ts';
import { json } from '#schemas/wire.ts';
import { denied, invalid, notFound } from '#src/http/http-error.ts';
import { findRelation, readRelations, type Relation } from '#src/read/tables/relation.ts';
import type { Condition, Question } from '#src/read/tables/question.ts';
import { mostGroups, mostSorted, readGroups, readSome, selectedKinds } from '#src/read/tables/rows.ts';
import type { StoredRow } from '#src/store/rows.ts';
import { defineQuestion, type QuestionContext } from '#src/api/api-operation.ts';
import { formOf, otherForms } from './answer.ts';
import { deepest, mostConditions, mostRows, mostValues, readQuestion, usualRows } from './grammar.ts';
import { itemsIn, unquoted } from './lists.ts';
import { pageOfRows } from './list-rows.ts';
import { readPage } from './page.ts';
import { anyRow, describedRelation, tableRecord } from './records.ts';
import { refuse, suggestion } from './refusal.ts';
import { valueOf } from './values.ts';

const common = { method: 'GET', tag: 'Tables', answers: 'object' } as const;
const limits = {
  503: 'Too many questions are being answered, or the database does not answer: ask again after `Retry-After` seconds.',
} as const;
const refusals = {
  ...limits,
  403: 'The table or column needs the admin token.',
  404: 'No such table or view.',
  414: 'The address is longer than 8 kB.',
} as const;

const nameOfTable = z.string().describe('The name of a table or view.');

export const listTables = defineQuestion({
  ...common,
  id: 'listTables',
  path: '/api/tables',
  summary: 'The tables and views, with their columns',
  description: 'What each is for, its columns and what they mean, and the columns that join it with others.',
  errors: limits,
  query: z.strictObject({}),
  schema: z.strictObject({
    collection: z.array(tableRecord),
    pagination: paginationEnvelope,
    behind_seconds: z
      .number()
      .nullable()
      .describe('How old the rows may be: by how much the standby of `DATABASE_READ_URL` is behind. Null without one.'),
  }),
  async run({ reading, caller }) {
    const isAdmin = mayReadAll(caller);
    const relations = (await readRelations(reading)).filter(({ isForAdmins }) => isAdmin || !isForAdmins);
    const collection = relations.map((relation) => describedRelation(relation, isAdmin));
    return { collection, pagination: onePage(collection.length), behind_seconds: await reading.behindSeconds() };
  },
});

const questionQuery = z.object({
  column: z
    .string()
    .optional()
    .describe(
      'A condition, under the name of any column, also several times: `start_time=gte.2026-11-01`, `outcome=in.(came,no_show)`. The operators are `eq neq gt gte lt lte in is like ilike`, each also after `not.`. `like` and `ilike` take `*` for any text and `_` for one character; `ilike` ignores the case of A to Z.',
    ),
  or: z
    .string()
    .optional()
    .describe(`Any of these conditions: \`(outcome.eq.no_show,and(moves.gt.0,host.is.null))\`; to depth ${deepest}.`),
  and: z.string().optional().describe('All of these conditions. `not.or` and `not.and` are the opposite.'),
  select: z
    .string()
    .optional()
    .describe(
      'Columns, separated by commas. `count()`, `sum(column)`, `avg(column)`, `min(column)` and `max(column)` make one row of each group with equal values in the other columns; theirs are `count`, `sum_column` and so on.',
    ),
  order: z
    .string()
    .optional()
    .describe('Columns, each with `.asc` or `.desc`: `start_time.desc,uri`. Rows without a value come last.'),
  limit: z.string().optional().describe(`How many rows: 1 to ${mostRows}, ${usualRows} by default.`),
  page_token: z.string().optional().describe('The token of the next or previous page. It carries its question.'),
  raw: z.enum(['true', 'false']).optional().describe('CSV as it is, not guarded against formulas of spreadsheets.'),
});

export const queryTable = defineQuestion({
  ...common,
  id: 'queryTable',
  path: '/api/tables/{name}',
  summary: 'Rows of a table or view',
  description: `Any question to one table or view. At most ${mostConditions} conditions, ${mostValues} values and 8 kB of address; at most ${mostGroups} groups. An order that no index has is for at most ${mostSorted} rows. As \`text/csv\` or \`application/x-ndjson\` where \`Accept\` asks for it, with the next page in the header \`Link\`.`,
  errors: refusals,
  params: z.object({ name: nameOfTable }),
  ownQuery: questionQuery,
  schema: z.strictObject({ collection: z.array(anyRow), pagination: paginationEnvelope }),
  alternatives: otherForms,
  async run({ reading, caller, params, url, cursors, request }) {
    const { parameters, page, isRaw } = readPage(url, cursors);
    const relation = await relationFor({ reading, caller }, params.name);
    const question = readQuestion({ relation, isAdmin: mayReadAll(caller) }, parameters);
    const form = { accept: request.headers.get('accept'), isRaw };
    const kinds = selectedKinds(relation, question.select);
    if (question.isGrouped) {
      const rows = await groupsFor(reading, relation, question);
      return formOf({ rows, kinds, pagination: onePage(rows.length) }, form);
    }
    const found = await pageOfRows({ reading, cursors }, relation, { question, parameters, page, url });
    return formOf({ ...found, kinds }, form);
  },
});

const joinedRows = z
  .strictObject({
    table: z.string(),
    address: z.string().describe('Where all of them are.'),
    rows: z.array(anyRow),
  })
  .describe('The first rows of the table to which the column refers.');

export const getTableRow = defineQuestion({
  ...common,
  id: 'getTableRow',
  path: '/api/tables/{name}/{key}',
  summary: 'One row, with the rows that it refers to',
  errors: { ...refusals, 404: 'No such table or view, or no such row.' },
  params: z.object({
    name: nameOfTable,
    key: z
      .string()
      .describe(
        'The value of its key, encoded for an address. Several columns: their values in their order, separated by commas; a value with a comma in double quotes.',
      ),
  }),
  ownQuery: z.object({}),
  schema: z.strictObject({
    resource: z.record(z.string(), json),
    joins: z.record(z.string(), joinedRows).describe('By the column that refers to them.'),
  }),
  async run({ reading, caller, params, url, cursors }) {
    const { parameters } = readPage(url, cursors);
    const [unknown] = parameters;
    if (unknown !== undefined) throw refuse(unknown[0], 'one row takes no conditions');
    const relation = await relationFor({ reading, caller }, params.name);
    const [row] = await readSome(reading, relation, {
      where: rowWithKey(relation, params.key),
      ...allFor(relation, caller),
    });
    if (row === undefined) throw noSuchRow(relation);
    return { resource: row, joins: await joinsOf({ reading, caller }, relation, row) };
  },
});

export const tableOperations = [listTables, queryTable, getTableRow] as const;

type Asking = Pick<QuestionContext, 'reading' | 'caller'>;

/** Who may change things, and the program itself. */
const mayReadAll = (caller: QuestionContext['caller']): boolean =>
  caller === undefined || caller.who.startsWith('admin ');

async function relationFor({ reading, caller }: Asking, name: string): Promise<Relation> {
  const relation = await findRelation(reading, name);
  if (relation?.isForAdmins && !mayReadAll(caller)) throw denied(`The table ${relation.name} needs the admin token.`);
  if (relation !== undefined) return relation;
  const names = (await readRelations(reading)).flatMap((each) =>
    each.isForAdmins && !mayReadAll(caller) ? [] : [each.name],
  );
  throw notFound(`There is no table or view of this name.${suggestion(name, names)} GET /api/tables lists them.`);
}

async function groupsFor(
  reading: QuestionContext['reading'],
  relation: Relation,
  question: Question,
): Promise<readonly StoredRow[]> {
  const groups = await readGroups(reading, relation, question);
  if (groups === 'too many')
    throw refuse('select', `There are more than ${mostGroups} groups: group by less, filter, or give a limit.`);
  if (groups === 'too large') throw refuse('select', 'A sum is larger than a number can be.');
  return groups;
}

const onePage = (count: number): PaginationEnvelope => ({
  count,
  next_page: null,
  previous_page: null,
  next_page_token: null,
  previous_page_token: null,
});

const noSuchRow = ({ name }: Relation): Error => notFound(`${name} has no row with this key.`);

function rowWithKey(relation: Relation, key: string): readonly Condition[] {
  const { name, key: names, columns } = relation;
  const parts = names.length === 1 ? [key] : itemsIn(`(${key})`)?.map(unquoted);
  if (parts?.length !== names.length)
    throw invalid({ message: `The key of ${name} is ${names.join(',')}.`, parameter: 'key' });
  return names.map((column, index): Condition => {
    const declared = columns[column];
    const value = declared && valueOf(declared, parts[index] ?? '');
    if (value === undefined || typeof value === 'string') throw noSuchRow(relation);
    return { column, isNegated: false, operator: 'eq', ...value };
  });
}

const allFor = ({ columns }: Relation, caller: QuestionContext['caller']) => ({
  columns: Object.keys(columns).filter((name) => mayReadAll(caller) || columns[name]?.isForAdmins === false),
});

/** Of a join with many rows, these are shown. */
const mostJoined = 10;

async function joinsOf(asking: Asking, { columns }: Relation, row: StoredRow): Promise<Record<string, object>> {
  const joins: Record<string, object> = {};
  for (const [name, { joins: target }] of Object.entries(columns)) {
    const value = row[name];
    const [table, column] = target?.split('.') ?? [];
    if (
      table === undefined ||
      column === undefined ||
      value === null ||
      value === undefined ||
      typeof value === 'object'
    )
      continue;
    const relation = await findRelation(asking.reading, table);
    if (relation === undefined || (relation.isForAdmins && !mayReadAll(asking.caller))) continue;
    const where: Condition = { column, isNegated: false, operator: 'eq', value };
    const rows = await readSome(asking.reading, relation, {
      where: [where],
      ...allFor(relation, asking.caller),
      limit: mostJoined,
    });
    joins[name] = { table, address: `/api/tables/${table}?${column}=${encodeURIComponent(`eq.${value}`)}`, rows };
  }
  return joins;
}
