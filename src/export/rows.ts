// The rows of a table or view as cells, a page at a time. A table is read in stretches of its key, each in a short
// transaction of its own, so that a long export never holds back SQLite's journal or PostgreSQL's vacuum; a view has no
// key to go by, and is read in one.
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { ColumnKind, Stored } from '#src/store/columns.ts';
import type { Store, StoreEngine } from '#src/store/contract.ts';
import type { Cell, Cells, Column } from './format.ts';
import type { Source } from './source.ts';

export interface Selection {
  readonly columns: readonly Column[];
  readonly where?: RawBuilder<SqlBool> | undefined;
}

const stretchRows = 20_000;

export async function* rowsOf(store: Store, source: Source, { columns, where }: Selection): AsyncGenerator<Cells[]> {
  const order = sql.join(source.key.map((name) => sql.id(name)));
  const keys = source.key.filter((name) => !columns.some((column) => column.name === name));
  // The key comes along behind the columns of the file: the next stretch begins after it.
  const read = [...columns, ...keys.map((name) => ({ name, kind: source.columns[name] as ColumnKind }))];
  const places = source.key.map((name) => read.findIndex((column) => column.name === name));
  const select = sql`select ${cellsOf(store.engine, read)} from ${sql.table(source.name)}`;
  if (source.isView) {
    yield* streamed(store, sql`${select} where ${where ?? all} order by ${order}`, read);
    return;
  }
  let after: RawBuilder<SqlBool> = all;
  for (let count = stretchRows; count === stretchRows;) {
    count = 0;
    const stretch = sql`${select} where ${after} and ${where ?? all} order by ${order} limit ${stretchRows}`;
    for await (const page of streamed(store, stretch, read)) {
      count += page.length;
      const last = page.at(-1) as Cells;
      after = sql<SqlBool>`(${order}) > (${sql.join(places.map((place) => last[place]))})`;
      yield page;
    }
  }
}

const all = sql<SqlBool>`1 = 1`;

/** The rows of a query whose select is made of `cellsOf` these columns. */
export async function* streamed(
  store: Store,
  query: RawBuilder<unknown>,
  columns: readonly Column[],
): AsyncGenerator<Cells[]> {
  const decode = decoderOf(store.engine, columns);
  for await (const page of store.engine.stream(query.compile(store.db))) yield page.map(decode);
}

/** A select list. JSON is asked for as text: it is carried over, not parsed and written again. */
export function cellsOf(engine: StoreEngine, columns: readonly Column[], from?: string): RawBuilder<unknown> {
  return sql.join(
    columns.map(({ name, kind }) => {
      const column = from === undefined ? sql.id(name) : sql.id(from, name);
      return kind === 'json' ? engine.dialect.jsonText(column) : column;
    }),
  );
}

function decoderOf(engine: StoreEngine, columns: readonly Column[]): (stored: readonly unknown[]) => Cells {
  const flags = columns.flatMap(({ kind }, index) => (kind === 'flag' ? [index] : []));
  if (flags.length === 0) return (stored) => stored as Cells;
  return (stored) => {
    const row = stored as Cell[];
    for (const index of flags) row[index] = engine.decode('flag', stored[index] as Stored<'flag'> | null);
    return row;
  };
}
