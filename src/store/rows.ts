// Rows in and out of a unit of work, many at a time. Kysely builds each statement once for each number of rows; after
// that only its text is used again with other parameters, because building it costs more than running it.
import { CompiledQuery, sql, type Compilable } from 'kysely';
import type { ColumnKind, Json, TableShape } from './columns.ts';
import type { StoreEngine, Unit } from './contract.ts';
import { tables, type TableName } from './tables.ts';

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
const texts = new WeakMap<StoreEngine, Map<string, string>>();
const largestStatement = 64;

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
  for (const chunk of chunks([...values].sort())) {
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
  const present = new Set<string>();
  for (const chunk of chunks(values)) {
    const size = powerOfTwo(chunk.length);
    const text = textOf(unit, `present ${table} ${column} ${size}`, () =>
      unit.db
        .selectFrom(table)
        .select(column as never)
        .where(column as never, 'in', Array.from({ length: size }, () => '') as never),
    );
    const { rows } = await unit.db.executeQuery<Record<string, string>>(CompiledQuery.raw(text, padded(chunk, size)));
    for (const row of rows) present.add(row[column] as string);
  }
  return present;
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
        .onConflict((conflict) => {
          const others = names.filter((name) => !key.includes(name));
          return conflict
            .columns(key as never)
            .doUpdateSet(
              (eb) => Object.fromEntries(others.map((name) => [name, eb.ref(`excluded.${name}` as never)])) as never,
            );
        }),
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

function textOf(unit: Unit, id: string, build: () => Compilable): string {
  let known = texts.get(unit.engine);
  if (!known) texts.set(unit.engine, (known = new Map()));
  const name = `${unit.schema ?? ''} ${id}`;
  let text = known.get(name);
  if (text === undefined) known.set(name, (text = build().compile().sql));
  return text;
}

function layoutOf(table: TableName): Layout {
  return layouts.get(table) as Layout;
}

function chunks<Item>(items: readonly Item[]): Item[][] {
  return Array.from({ length: Math.ceil(items.length / largestStatement) }, (_, index) =>
    items.slice(index * largestStatement, (index + 1) * largestStatement),
  );
}

/** Repeats the last value: a few statement texts then serve every number of keys. */
function padded(values: readonly string[], size: number): string[] {
  return Array.from({ length: size }, (_, index) => values[Math.min(index, values.length - 1)] as string);
}

const largestPowerOfTwo = (limit: number) => 2 ** Math.floor(Math.log2(limit));
const powerOfTwo = (least: number) => 2 ** Math.ceil(Math.log2(least));
