// Rows in and out of a unit of work, many at a time.
import { CompiledQuery, sql, type Compilable, type OnConflictBuilder } from 'kysely';
import type { ColumnKind, Json, TableShape } from './columns.ts';
import type { StoreEngine, Unit } from './contract.ts';
import { chunks, largestPowerOfTwo, largestStatement, padded, powerOfTwo, textOf } from './prepared-sql.ts';
import { tables, type Database, type TableName } from './tables.ts';

export type StoredRow = Record<string, Json>;

interface Layout {
  readonly key: readonly string[];
  readonly names: readonly string[];
  readonly kinds: readonly ColumnKind[];
}

const layouts = new Map<TableName, Layout>(
  Object.entries(tables as Record<string, TableShape>).map(([name, { key, columns }]) => [
    name as TableName,
    { key, names: Object.keys(columns), kinds: Object.values(columns) },
  ]),
);

/** The rows with these URIs, by URI. Where many write at once they are held to the end of the transaction. */
export async function readRows(unit: Unit, table: TableName, uris: readonly string[]): Promise<Map<string, StoredRow>> {
  const found = new Map<string, StoredRow>();
  // Sorted, so that transactions which share rows ask for them in the same order and never wait for each other in a ring.
  const sorted = [...uris].sort();
  const locking = unit.engine.manyWriters && unit.schema === undefined;
  if (locking) await makeRows(unit, table, sorted);
  for (const chunk of chunks(sorted)) {
    const size = powerOfTwo(chunk.length);
    const text = textOf(unit, `read ${table} ${size}`, () => {
      const keys = Array.from({ length: size }, () => '');
      const query = unit.db
        .selectFrom(table)
        .selectAll()
        .where('uri' as never, 'in', keys as never);
      // By bytes, as the keys were sorted here, whatever the collation of the database.
      return locking ? query.orderBy(sql`uri collate "C"`).forUpdate() : query;
    });
    const { rows } = await unit.db.executeQuery<Record<string, unknown>>(CompiledQuery.raw(text, padded(chunk, size)));
    for (const stored of rows) {
      const row = decodeRow(unit.engine, table, stored);
      found.set(String(row['uri']), row);
    }
  }
  return found;
}

export interface Lookup {
  readonly columns: readonly string[];
  readonly key: string;
  readonly values: readonly string[];
  /** Where many write at once, the rows are held to the end of the transaction. */
  readonly hold?: boolean;
}

/** Some columns of the rows whose key is one of these values; rows that are not there are not made. */
export async function readColumns(
  unit: Unit,
  table: TableName,
  { columns, key, values, hold = false }: Lookup,
): Promise<StoredRow[]> {
  const kindOf = (tables[table] as TableShape).columns;
  const locking = hold && unit.engine.manyWriters;
  const found: StoredRow[] = [];
  for (const chunk of chunks(hold ? [...values].sort() : values)) {
    const size = powerOfTwo(chunk.length);
    const text = textOf(unit, `lookup ${table} ${columns.join()} ${key} ${locking} ${size}`, () => {
      const keys = Array.from({ length: size }, () => '');
      const query = unit.db
        .selectFrom(table)
        .select(columns as never)
        .where(key as never, 'in', keys as never);
      return locking ? query.orderBy(sql`${sql.ref(key)} collate "C"`).forUpdate() : query;
    });
    const { rows } = await unit.db.executeQuery<Record<string, unknown>>(CompiledQuery.raw(text, padded(chunk, size)));
    for (const row of rows)
      found.push(
        Object.fromEntries(
          columns.map((name) => [name, unit.engine.decode(kindOf[name] as ColumnKind, row[name])] as const),
        ),
      );
  }
  return found;
}

/** Which of these values stand in `column` already. */
export async function presentValues(
  unit: Unit,
  table: TableName,
  column: string,
  values: readonly string[],
): Promise<Set<string>> {
  const rows = await readColumns(unit, table, { columns: [column], key: column, values });
  return new Set(rows.map((row) => row[column] as string));
}

/** Inserts or replaces whole rows. */
export async function writeRows(unit: Unit, table: TableName, rows: readonly StoredRow[]): Promise<void> {
  const { key, names, kinds } = layoutOf(table);
  await insertInChunks(unit, rows, (size) => ({
    id: `write ${table} ${size}`,
    columns: names,
    kinds,
    build: (placeholders) =>
      unit.db
        .insertInto(table)
        .values(placeholders as never)
        .onConflict((conflict) =>
          replacing(
            conflict,
            key,
            names.filter((name) => !key.includes(name)),
          ),
        ),
    table,
  }));
}

/** Sets some columns of rows known to be there; each row holds its key and these columns. */
export async function writeColumns(
  unit: Unit,
  table: TableName,
  { columns, rows }: { readonly columns: readonly string[]; readonly rows: readonly StoredRow[] },
): Promise<void> {
  const { key, columns: kindOf } = tables[table] as TableShape;
  const names = [...key, ...columns];
  await insertInChunks(unit, rows, (size) => ({
    id: `set ${table} ${columns.join()} ${size}`,
    columns: names,
    kinds: names.map((name) => kindOf[name] as ColumnKind),
    build: (placeholders) =>
      unit.db
        .insertInto(table)
        .values(placeholders as never)
        .onConflict((conflict) => replacing(conflict, key, columns)),
    table,
  }));
}

/** Inserts rows known to be new; `columns` leaves out what the database fills in. */
export async function insertRows(
  unit: Unit,
  table: TableName,
  rows: readonly StoredRow[],
  without: readonly string[] = [],
): Promise<void> {
  const layout = layoutOf(table);
  const kept = layout.names.flatMap((name, index) => (without.includes(name) ? [] : [index]));
  await insertInChunks(unit, rows, (size) => ({
    id: `insert ${table} ${size}`,
    columns: kept.map((index) => layout.names[index] as string),
    kinds: kept.map((index) => layout.kinds[index] as ColumnKind),
    build: (placeholders) => unit.db.insertInto(table).values(placeholders as never),
    table,
  }));
}

/** Removes the rows whose `column` is one of these values. */
export async function deleteRows(
  unit: Unit,
  table: TableName,
  column: string,
  values: readonly string[],
): Promise<void> {
  for (const chunk of chunks(values)) {
    await unit.db
      .deleteFrom(table)
      .where(column as never, 'in', chunk as never)
      .execute();
  }
}

export function decodeRow(engine: StoreEngine, table: TableName, stored: Record<string, unknown>): StoredRow {
  const { names, kinds } = layoutOf(table);
  const row: StoredRow = {};
  for (let index = 0; index < names.length; index += 1) {
    const name = names[index] as string;
    row[name] = engine.decode(kinds[index] as ColumnKind, stored[name]);
  }
  return row;
}

function replacing(
  conflict: OnConflictBuilder<Database, TableName>,
  key: readonly string[],
  columns: readonly string[],
) {
  return conflict
    .columns(key as never)
    .doUpdateSet(
      (eb) => Object.fromEntries(columns.map((name) => [name, eb.ref(`excluded.${name}` as never)])) as never,
    );
}

interface Insert {
  readonly id: string;
  readonly table: TableName;
  readonly columns: readonly string[];
  readonly kinds: readonly ColumnKind[];
  readonly build: (placeholders: Record<string, unknown>[]) => Compilable;
}

async function insertInChunks(
  unit: Unit,
  rows: readonly StoredRow[],
  insertOf: (size: number) => Insert,
): Promise<void> {
  for (let from = 0; from < rows.length;) {
    // 50 rows leave as 32 + 16 + 2: few statement texts, none of them padded.
    const size = largestPowerOfTwo(Math.min(rows.length - from, largestStatement));
    const { id, columns, kinds, build } = insertOf(size);
    const text = textOf(unit, id, () => {
      const placeholder = Object.fromEntries(columns.map((name) => [name, 0]));
      return build(Array.from({ length: size }, () => placeholder));
    });
    const parameters: unknown[] = [];
    for (const row of rows.slice(from, from + size)) {
      for (let index = 0; index < columns.length; index += 1) {
        parameters.push(unit.engine.encode(kinds[index] as ColumnKind, row[columns[index] as string] ?? null));
      }
    }
    await unit.db.executeQuery(CompiledQuery.raw(text, parameters));
    from += size;
  }
}

/** A row must exist to be locked: two workers that meet a new key would otherwise both believe it theirs. */
async function makeRows(unit: Unit, table: TableName, uris: readonly string[]): Promise<void> {
  for (const chunk of chunks(uris)) {
    await unit.db
      .insertInto(table)
      .values(chunk.map((uri) => ({ uri })) as never)
      .onConflict((conflict) => conflict.column('uri' as never).doNothing())
      .execute();
  }
}

function layoutOf(table: TableName): Layout {
  return layouts.get(table) as Layout;
}
