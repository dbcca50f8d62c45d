// A page of rows of one table or view: as the question of a caller asks for it, or as a list with conditions of its own does.
import type { RawBuilder, SqlBool } from 'kysely';
import type { PaginationEnvelope } from '#schemas/resources/envelope.ts';
import { invalid, notFound } from '#src/http/http-error.ts';
import { sortColumns } from '#src/read/tables/order.ts';
import type { OrderTerm, Question } from '#src/read/tables/question.ts';
import { findRelation, type Relation } from '#src/read/tables/relation.ts';
import { mostSorted, readRows, selectedKinds, type PageOfRows } from '#src/read/tables/rows.ts';
import type { ColumnKind } from '#src/store/columns.ts';
import type { StoreEngine } from '#src/store/contract.ts';
import type { StoredRow } from '#src/store/rows.ts';
import type { QuestionContext } from '#src/api/api-operation.ts';
import { readQuestion, usualRows, type Parameters } from './grammar.ts';
import { paginationOf, readPage, type AskedPage } from './page.ts';
import { refuse } from './refusal.ts';

type Context = Pick<QuestionContext, 'reading' | 'cursors'>;

export interface Asked extends Pick<AskedPage, 'parameters' | 'page'>, Pick<PageOfRows, 'also'> {
  readonly question: Question;
  readonly url: URL;
}

export async function pageOfRows(
  { reading, cursors }: Context,
  relation: Relation,
  { question, parameters, page, also, url }: Asked,
): Promise<{ readonly rows: readonly StoredRow[]; readonly pagination: PaginationEnvelope }> {
  const limit = question.limit ?? usualRows;
  const found = await readRows(reading, relation, { question, page: { ...page, limit, ...(also && { also }) } });
  if (found === 'too many') throw tooManyToSort(relation);
  if (found === 'other order')
    throw invalid({ message: 'made for another order: begin again without it', parameter: 'page_token' });
  return { rows: found.rows, pagination: paginationOf({ found, parameters, url, cursors }) };
}

function tooManyToSort({ name, fast, key, isView, columns }: Relation): Error {
  const orders = [...fast, ...(isView ? [] : key.slice(0, 1))];
  const filter = [...fast, ...Object.keys(columns)].find((each) => columns[each]?.kind === 'time') ?? key[0] ?? '';
  const example = columns[filter]?.kind === 'time' ? `${filter}=gte.2026-11-01` : `${filter}=eq.…`;
  const other = orders.length === 0 ? '' : `, or sort by ${orders.join(' or ')}`;
  return refuse(
    'order',
    `More than ${mostSorted} rows of ${name} match, and no index has them in this order: add a filter, such as ${example}${other}.`,
  );
}

export interface ListQuestion {
  /** A table or view that every reader may see. */
  readonly name: string;
  /** In the grammar of the door. */
  readonly parameters: Parameters;
  readonly pageToken?: string | undefined;
  /** What the grammar cannot state. */
  also?(engine: StoreEngine): readonly RawBuilder<SqlBool>[];
}

export interface ListedRows {
  readonly table: Pick<Relation, 'name' | 'key'>;
  readonly kinds: Readonly<Record<string, ColumnKind>>;
  readonly order: readonly OrderTerm[];
  readonly rows: readonly StoredRow[];
  readonly pagination: PaginationEnvelope;
}

export async function listRows(
  context: Context,
  { name, parameters: given, pageToken, also }: ListQuestion,
): Promise<ListedRows> {
  const relation = await findRelation(context.reading, name);
  if (relation === undefined) throw notFound(`The view ${name} is not installed: doctor says why.`);
  const url = new URL(`http://localhost/api/tables/${name}`);
  for (const [parameter, text] of given) url.searchParams.append(parameter, text);
  if (pageToken !== undefined) url.searchParams.set('page_token', pageToken);
  const { parameters, page } = readPage(url, context.cursors);
  const question = readQuestion({ relation, isAdmin: false }, parameters);
  return {
    table: relation,
    kinds: selectedKinds(relation, question.select),
    order: sortColumns(relation, question.order),
    ...(await pageOfRows(context, relation, {
      question,
      parameters,
      page,
      url,
      ...(also && { also: also(context.reading.engine) }),
    })),
  };
}
