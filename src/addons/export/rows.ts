// Reads the rows of a table or view as cells, page by page. A table is read in ranges of its key, each in a short transaction,
// so that a long export does not hold back SQLite's checkpoints or PostgreSQL's vacuum. A view has no key and is read in one.
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { withoutBlank } from '#src/store/blank-meetings.ts';
import type { Store, StoreEngine } from '#src/store/contract.ts';
import type { Cell, Cells, Column } from './format.ts';
import { columnsOf, type Source } from './source.ts';

export interface Selection {
  readonly columns: readonly Column[];
  readonly where?: RawBuilder<SqlBool> | undefined;
  /** Orders the rows, and is their last cell. They are read in one transaction, or a row that changes meanwhile could come twice. */
  readonly time?: RawBuilder<unknown> | undefined;
}

const rowsPerTransaction = 20_000;

export async function* rowsOf(
  store: Store,
  source: Source,
  { columns, where: chosen, time }: Selection,
): AsyncGenerator<Cells[]> {
  const where = sql.join([chosen ?? all, ...withoutBlank(source.name)], sql` and `);
  const order = sql.join(source.key.map((name) => sql.id(name)));
  // The key is selected too, behind the columns of the file: the next range starts after it.
  const isExtra = ({ name }: Column) => source.key.includes(name) && !columns.some((column) => column.name === name);
  const selected = [...columns, ...columnsOf(source).filter(isExtra)];
  const keyIndexes = source.key.map((name) => selected.findIndex((column) => column.name === name));
  const cells = cellsOf(store.engine, selected);
  const from = sql`from ${sql.table(source.name)}`;
  if (time !== undefined) {
    const query = sql`select ${cells}, ${time} ${from} where ${where} order by ${time}, ${order}`;
    yield* streamRows(store, query, selected);
    return;
  }
  const select = sql`select ${cells} ${from}`;
  if (source.isView) {
    yield* streamRows(store, sql`${select} where ${where} order by ${order}`, selected);
    return;
  }
  let after: RawBuilder<SqlBool> = all;
  for (let count = rowsPerTransaction; count === rowsPerTransaction;) {
    count = 0;
    const range = sql`${select} where ${after} and ${where} order by ${order} limit ${rowsPerTransaction}`;
    for await (const page of streamRows(store, range, selected)) {
      count += page.length;
      const last = page.at(-1);
      if (last) after = sql<SqlBool>`(${order}) > (${sql.join(keyIndexes.map((index) => last[index]))})`;
      yield page;
    }
  }
}

const all = sql<SqlBool>`1 = 1`;

/** The rows of a query whose select list is `cellsOf` these columns. */
export async function* streamRows(
  store: Store,
  query: RawBuilder<unknown>,
  columns: readonly Column[],
): AsyncGenerator<Cells[]> {
  const decode = decoderOf(columns);
  for await (const page of store.engine.stream(query.compile(store.db))) yield page.map(decode);
}

/** A select list. JSON is selected as text, so that it is copied and not parsed. */
export function cellsOf(engine: StoreEngine, columns: readonly Column[], from?: string): RawBuilder<unknown> {
  return sql.join(
    columns.map(({ name, kind }) => {
      const column = from === undefined ? sql.id(name) : sql.id(from, name);
      return kind === 'json' ? engine.dialect.jsonText(column) : column;
    }),
  );
}

function decoderOf(columns: readonly Column[]): (stored: readonly unknown[]) => Cells {
  const flags = columns.flatMap(({ kind }, index) => (kind === 'flag' ? [index] : []));
  return (stored) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a driver's row of the columns that `cellsOf` selected
    const row = stored as Cell[];
    // SQLite stores flags as 0 and 1.
    for (const index of flags) row[index] = row[index] === null ? null : Boolean(row[index]);
    return row;
  };
}
