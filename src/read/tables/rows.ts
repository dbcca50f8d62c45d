// The rows that answer a question: one page in its order, or its groups.
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { codeOf } from '#src/base/errors.ts';
import type { ColumnKind, Json, StoredColumns } from '#src/store/columns.ts';
import type { Readable } from '#src/store/contract.ts';
import type { StoredRow } from '#src/store/rows.ts';
import { ordered } from './column-sql.ts';
import { and, rowsWhere } from './conditions.ts';
import { isFast, partsInOrder, sortColumns, type SortColumn } from './order.ts';
import type { Condition, Question, Selected, Value } from './question.ts';
import type { Relation } from './relation.ts';
import { runStatement } from './run-statement.ts';

type Sql = RawBuilder<unknown>;
type SortValues = readonly (Value | null)[];

export interface PageOfRows {
  readonly limit: number;
  /** Conditions that a question cannot state. */
  readonly also?: readonly RawBuilder<SqlBool>[];
  /** The rows are sorted however many match. */
  readonly sortsAll?: true;
  readonly isBackwards: boolean;
  /** The page lies beyond the row with these values, one for each column of the order; absent: at the beginning. */
  readonly from: SortValues | undefined;
}

export interface RowsFound {
  /** With the columns that were asked for, and no others. */
  readonly rows: readonly StoredRow[];
  /** The values of the first and of the last row in the columns of the order. */
  readonly first: SortValues | undefined;
  readonly last: SortValues | undefined;
  readonly hasPrevious: boolean;
  readonly hasNext: boolean;
}

/** How many rows may match where no index gives the order. */
export const mostSorted = 50_000;
/** More groups than these are not answered. */
export const mostGroups = 1_000;

/** `too many`: so many rows match that they are not sorted. `other order`: the page begins at a row of another order. */
export async function readRows(
  store: Readable,
  relation: Relation,
  { question, page }: { readonly question: Question; readonly page: PageOfRows },
): Promise<RowsFound | 'too many' | 'other order'> {
  const { engine } = store;
  const { limit, from, isBackwards, also, sortsAll } = page;
  // One row at most needs no order, which could lead the planner away from its key.
  const isOneRow = relation.key.every((name) => question.where.some(isEqual(name)));
  const sort = sortColumns(relation, isOneRow ? keyOrder(relation) : question.order);
  if (from !== undefined && !isOf(sort, from)) return 'other order';
  const where = and([rowsWhere(engine, relation, question.where), ...(also ?? [])]);
  const table = sql.table(relation.name);
  if (from === undefined && !sortsAll && !isOneRow && !isFast(relation, sort)) {
    const counted = sql`select count(*) as count from (select 1 from ${table} where ${where} limit ${mostSorted + 1}) as matching`;
    const [matching] = await run(store, counted);
    if (Number(matching?.['count']) > mostSorted) return 'too many';
  }
  const names = [...new Set([...question.select.map(({ name }) => name), ...sort.map(({ name }) => name)])];
  const read = async (columns: readonly string[], way: Parameters<typeof partsInOrder>[2], need: number) => {
    const found: StoredColumns[] = [];
    for (const { condition, orderBy } of partsInOrder(engine, sort, way)) {
      if (found.length === need) break;
      found.push(
        ...(await run(
          store,
          sql`select ${sql.join(columns.map((name) => sql.id(name)))} from ${table}
            where ${condition} and ${where} order by ${orderBy} limit ${need - found.length}`,
        )),
      );
    }
    return found;
  };
  const start = from && { values: from, isIncluded: false };
  const found = await read(names, { start, isBackwards }, limit + 1);
  const isMore = found.length > limit;
  // The row from which the page begins lies behind it, unless it was deleted meanwhile.
  const isBehind =
    from !== undefined &&
    (await read(relation.key, { start: { values: from, isIncluded: true }, isBackwards: !isBackwards }, 1)).length > 0;
  const items = found.slice(0, limit);
  const inOrder = isBackwards ? items.toReversed() : items;
  const sorted = (row: StoredColumns | undefined): SortValues | undefined =>
    row && sort.map((column) => sortValue(store, column, row));
  return {
    rows: inOrder.map((row) => decoded(store, row, selectedKinds(relation, question.select))),
    first: sorted(inOrder[0]),
    last: sorted(inOrder.at(-1)),
    hasNext: isBackwards ? isBehind : isMore,
    hasPrevious: isBackwards ? isMore : isBehind,
  };
}

const types: Readonly<Partial<Record<ColumnKind, string>>> = { flag: 'boolean', integer: 'number', number: 'number' };

const isOf = (sort: readonly SortColumn[], values: SortValues): boolean =>
  values.length === sort.length &&
  sort.every(({ kind }, index) => {
    const value = values[index] ?? null;
    return value === null || typeof value === (types[kind] ?? 'string');
  });

const isEqual = (name: string) => (condition: Condition) =>
  'column' in condition && condition.column === name && condition.operator === 'eq' && !condition.isNegated;
const keyOrder = ({ key }: Relation) => key.map((name) => ({ name, isDescending: false }));

/** Some rows, in no order. */
export async function readSome(
  store: Readable,
  relation: Relation,
  {
    where,
    columns,
    limit = 1,
  }: Pick<Question, 'where'> & { readonly columns: readonly string[]; readonly limit?: number },
): Promise<readonly StoredRow[]> {
  const list = sql.join(columns.map((name) => sql.id(name)));
  const rows = await run(
    store,
    sql`select ${list} from ${sql.table(relation.name)} where ${rowsWhere(store.engine, relation, where)} limit ${limit}`,
  );
  const kinds = Object.fromEntries(columns.map((name) => [name, relation.columns[name]?.kind ?? 'text']));
  return rows.map((row) => decoded(store, row, kinds));
}

/** In their order, which is that of the columns that make the group where none was asked for. */
export async function readGroups(
  store: Readable,
  relation: Relation,
  question: Question,
): Promise<readonly StoredRow[] | 'too many' | 'too large'> {
  const kinds = selectedKinds(relation, question.select);
  const where = rowsWhere(store.engine, relation, question.where);
  const rows = await runSums(store, groupsSql(store, relation, { question, where, limit: mostGroups + 1 }));
  if (rows === undefined) return 'too large';
  return rows.length > mostGroups ? 'too many' : rows.map((row) => decoded(store, row, kinds));
}

export function groupsSql(
  store: Readable,
  relation: Relation,
  { question, where, limit }: { question: Question; where: RawBuilder<SqlBool>; limit: number },
): Sql {
  const { select, order } = question;
  const kinds = selectedKinds(relation, select);
  const columns = select.filter(({ aggregate }) => aggregate === undefined);
  const rest = columns.filter(({ name }) => order.every((term) => term.name !== name));
  const terms = [...order, ...rest.map(({ name }) => ({ name, isDescending: false }))];
  const orderBy = terms.map(({ name, isDescending }) => {
    const column = ordered(store.engine, kinds[name] ?? 'text', sql.id(name));
    return sql`${column} ${isDescending ? sql`desc` : sql`asc`} nulls last`;
  });
  const list = select.map((each) => sql`${selectedSql(store, relation, each)} as ${sql.id(each.name)}`);
  const groupBy = columns.length === 0 ? sql`` : sql`group by ${sql.join(columns.map(({ name }) => sql.id(name)))}`;
  return sql`select * from (select ${sql.join(list)} from ${sql.table(relation.name)}
      where ${where} ${groupBy}) as found
      ${orderBy.length === 0 ? sql`` : sql`order by ${sql.join(orderBy)}`} limit ${question.limit ?? limit}`;
}

/** Undefined where a number is out of range: PostgreSQL fails, and SQLite answers infinity. */
async function runSums(store: Readable, query: Sql): Promise<readonly StoredColumns[] | undefined> {
  try {
    const rows = await run(store, query);
    const isFinite = (row: StoredColumns) =>
      Object.values(row).every((value) => typeof value !== 'number' || Number.isFinite(value));
    return rows.every(isFinite) ? rows : undefined;
  } catch (error) {
    if (codeOf(error) === outOfRange) return undefined;
    throw error;
  }
}

const outOfRange = '22003';

function selectedSql({ engine }: Readable, { columns }: Relation, { name, column, aggregate }: Selected): Sql {
  if (column === undefined) return sql`count(*)`;
  const value = sql.id(column);
  const isSqlite = engine.name === 'sqlite';
  switch (aggregate) {
    case undefined:
      return sql.id(name);
    // A sum of integers would fail where it is too large for one.
    case 'sum':
      return isSqlite ? sql`sum(cast(${value} as real))` : sql`sum(${value})::double precision`;
    case 'avg':
      return isSqlite ? sql`avg(${value})` : sql`avg(${value})::double precision`;
    default: {
      const sorted = ordered(engine, columns[column]?.kind ?? 'text', value);
      return aggregate === 'min' ? sql`min(${sorted})` : sql`max(${sorted})`;
    }
  }
}

export const selectedKinds = (
  { columns }: Relation,
  select: readonly Selected[],
): Readonly<Record<string, ColumnKind>> =>
  Object.fromEntries(
    select.map(({ name, column = '', aggregate }) => {
      const kinds = { count: 'integer', sum: 'number', avg: 'number' } as const;
      const own = columns[column]?.kind ?? 'text';
      return [name, aggregate === undefined || aggregate === 'min' || aggregate === 'max' ? own : kinds[aggregate]];
    }),
  );

const run = ({ db, engine }: Readable, query: Sql) => {
  const { sql: text, parameters } = query.compile(db);
  return runStatement({ db, engine }, { sql: text, parameters });
};

const decoded = ({ engine }: Readable, row: StoredColumns, kinds: Readonly<Record<string, ColumnKind>>): StoredRow =>
  Object.fromEntries(Object.entries(kinds).map(([name, kind]) => [name, engine.decode(kind, row[name] ?? null)]));

function sortValue({ engine }: Readable, { name, kind }: SortColumn, row: StoredColumns): Value | null {
  const value: Json = engine.decode(kind, row[name] ?? null);
  if (value === null || typeof value !== 'object') return value;
  throw new TypeError(`${name} cannot be sorted.`);
}
