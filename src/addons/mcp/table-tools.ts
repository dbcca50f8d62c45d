// The tools on the door of tables: which there are, what is in one, and the rows that answer a question.
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { isObject } from '#schemas/wire.ts';
import { readQuestion } from '#src/api/tables/grammar.ts';
import { itemsIn } from '#src/api/tables/lists.ts';
import { readPage } from '#src/api/tables/page.ts';
import { suggestion } from '#src/api/tables/refusal.ts';
import { queryTable } from '#src/api/tables/tables.ts';
import { findRelation, readRelations, type Relation } from '#src/read/tables/relation.ts';
import type { Question } from '#src/read/tables/question.ts';
import { checkQuestion, hasPages, maskedCell, usesOf, uses } from './masking.ts';
import { label, MarkedValue, ours, type Presentation } from './marked.ts';
import { defineTool, refusal, type ToolCall } from './tool.ts';

const tableName = z.string().min(1).max(100).describe('The name of a table or view, from list_tables.');

/** What a model may read; only administrators read the others. */
async function relationNamed({ context: { reading } }: Pick<ToolCall, 'context'>, name: string): Promise<Relation> {
  const relation = await findRelation(reading, name);
  if (relation !== undefined && !relation.isForAdmins) return relation;
  const names = (await readable(reading)).map((each) => each.name);
  throw refusal(400, `There is no table or view of this name.${suggestion(name, names)} list_tables lists them.`);
}

const readable = async (reading: ToolCall['context']['reading']): Promise<readonly Relation[]> =>
  (await readRelations(reading)).filter(({ isForAdmins }) => !isForAdmins);

export const listTables = defineTool({
  name: 'list_tables',
  description:
    'Lists the tables and views of the mirror and what a row of each is. Use it first; bookings, people, no_show_rate, payments and routing_funnel answer most questions.',
  input: {},
  async answer({ context }) {
    const relations = await readable(context.reading);
    return {
      data: {
        tables: relations.map(({ name, isView, about }) => ({
          name: ours(name),
          kind: ours(isView ? 'view' : 'table'),
          about: ours(about),
        })),
      },
    };
  },
});

export const describeTable = defineTool({
  name: 'describe_table',
  description:
    'Describes the columns of a table or view: kind, meaning, the column of another table with the same value, all values there are, and what may be asked of masked columns. Use it before query_table.',
  input: { table: tableName },
  async answer(call, { table }) {
    const relation = await relationNamed(call, table);
    const { name, about, key, fast, isView, columns } = relation;
    // Hosts name custom fields, which have columns there.
    const word = name === 'contacts_wide' ? label : ours;
    return {
      data: {
        table: ours(name),
        kind: ours(isView ? 'view' : 'table'),
        about: ours(about),
        key: key.map(ours),
        fast_orders: [...new Set([...fast, ...(isView ? [] : key.slice(0, 1))])].map(ours),
        columns: Object.entries(columns)
          .filter(([, { isForAdmins }]) => !isForAdmins)
          .map(([column, { kind, about: meaning, holds, joins, oneOf }]) => ({
            name: word(column),
            kind: ours(kind),
            about: word(meaning),
            joins: ours(joins),
            one_of: oneOf?.map(ours),
            holds: holds === 'plain' ? null : ours(holds),
            may_ask: call.isRevealed || usesOf(relation, column) === uses ? null : usesOf(relation, column).map(ours),
          })),
      },
    };
  },
});

/** Rows of an answer; the door gives more, which would not fit. */
const mostRows = 200;

const conditions = z.union([z.string().max(16_384), z.array(z.string().max(16_384)).max(20)]);

export const queryTableTool = defineTool({
  name: 'query_table',
  description:
    'Reads rows of a table or view, or counts and sums groups of them, in the grammar of PostgREST. Example: {"table": "bookings", "filters": {"outcome": "in.(came,no_show,unknown)", "start_day": ["gte.2026-11-01", "lt.2026-12-01"]}, "select": "host,outcome,count()", "order": "count.desc"}. A value that is null is left out. Use it for every question about data, after describe_table.',
  input: {
    table: tableName,
    filters: z
      .record(z.string().max(100), conditions)
      .optional()
      .describe(
        'Conditions by column, all of which hold: "eq.no_show", or several as a list. The operators are eq, neq, gt, gte, lt, lte, in.(a,b), is.null, like and ilike (* is any text), each also after not.',
      ),
    or: z.string().max(16_384).optional().describe('Any of these: (outcome.eq.no_show,and(moves.gt.0,host.is.null)).'),
    and: z.string().max(16_384).optional().describe('All of these, for groups within groups: (or(…),not.or(…)).'),
    select: z
      .string()
      .max(4_096)
      .optional()
      .describe(
        'Columns, with commas between them; all by default. While people are masked, no_show_rate.value is shown with dimension, event_log.subject_uri with event. count(), sum(column), avg(column), min(column) and max(column) make one row of each group with equal values in the other columns; they are called count, sum_column and so on.',
      ),
    order: z
      .string()
      .max(1_024)
      .optional()
      .describe('Columns, each with .asc or .desc: start_time.desc. Groups: count.desc. Nulls come last.'),
  },
  pages: { rows: 20, most: 1_000, limit: `How many rows of a page, at most ${mostRows}; or how many groups at most.` },
  async answer(call, { table, ...asked }) {
    const { ask, context, isRevealed, from } = call;
    const relation = await relationNamed(call, table);
    const url = new URL(`/api/tables/${relation.name}`, 'http://localhost/');
    const query = from === undefined ? queryOf(asked) : { ...queryOf(asked), page_token: from };
    url.search = String(new URLSearchParams(query));
    // What is checked is what the door will read: of a further page, the question that the token carries.
    const question = readQuestion({ relation, isAdmin: false }, readPage(url, context.cursors).parameters);
    if (!isRevealed) checkQuestion(relation, question);
    const isPaged = !question.isGrouped && (isRevealed || hasPages(relation));
    // A limit would choose rows by what is masked.
    const limit = question.isGrouped ? call.limit : isPaged ? Math.min(call.rows, mostRows) : mostRows;
    const { collection, pagination } = await ask(queryTable, {
      params: { name: relation.name },
      query: { ...query, ...(limit !== undefined && { limit: String(limit) }) },
    });
    if (!isPaged && pagination.next_page_token !== null)
      throw refusal(400, `More than ${mostRows} rows match, and ${relation.name} has a masked key: add a filter.`);
    const shown = collection.flatMap((row) => (isObject(row) ? [rowOf({ relation, question, isRevealed }, row)] : []));
    return {
      data: { rows: isPaged || question.isGrouped ? shown : shuffled(shown) },
      next: pagination.next_page_token ?? undefined,
      ...(!isPaged && { isWhole: true }),
    };
  },
});

interface AskedText {
  readonly filters?: Readonly<Record<string, string | readonly string[]>> | undefined;
  readonly or?: string | undefined;
  readonly and?: string | undefined;
  readonly select?: string | undefined;
  readonly order?: string | undefined;
}

/** All conditions but `or` are one group: there a column can have the name of a parameter, and several conditions. */
function queryOf({ filters = {}, or, and, select, order }: AskedText): Record<string, string> {
  const items = Object.entries(filters).flatMap(([column, tests]) =>
    [tests].flat().map((test) => `${column}.${quotedValue(test)}`),
  );
  const further = and === undefined ? [] : itemsIn(and);
  if (further === undefined) throw refusal(400, 'and: expected conditions in brackets, such as (a.eq.1,b.is.null).');
  items.push(...further);
  return {
    ...(items.length > 0 && { and: `(${items.join(',')})` }),
    ...(or !== undefined && { or }),
    ...(select !== undefined && { select }),
    ...(order !== undefined && { order }),
  };
}

/** Within a group, a value with a comma or a bracket is in double quotes. A list has its own brackets. */
function quotedValue(test: string): string {
  const [, operator = '', value = ''] = /^((?:not\.)?\w+\.)(.*)$/s.exec(test) ?? [];
  if (/^(not\.)?in\.$/.test(operator) || !/[(),"\\]/.test(value)) return test;
  return `${operator}"${value.replaceAll(/["\\]/g, (each) => `\\${each}`)}"`;
}

interface Asked {
  readonly relation: Relation;
  readonly question: Question;
  readonly isRevealed: boolean;
}

function rowOf({ relation, question, isRevealed }: Asked, row: Readonly<Record<string, unknown>>): Presentation {
  const cells = question.select.map(({ name, column = '', aggregate }): readonly [string, Presentation] => {
    const value = row[name];
    if (isRevealed) return [name, value === null || value === undefined ? null : new MarkedValue('plain', value)];
    const isNumber = aggregate === 'count' || aggregate === 'sum' || aggregate === 'avg';
    if (isNumber) return [name, typeof value === 'number' ? value : null];
    return [name, maskedCell({ relation, column, row }, value)];
  });
  return Object.fromEntries(cells);
}

const shuffled = (rows: readonly Presentation[]): readonly Presentation[] =>
  rows
    .map((row) => ({ row, key: randomUUID() }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ row }) => row);
