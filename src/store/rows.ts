// Reads and writes rows of any table within a unit of work, many at a time.
import { sql, type RawBuilder } from 'kysely';
import type { Json, StoredColumns, TableShape } from './columns.ts';
import type { Column, StoreEngine, Unit, WritableRow } from './contract.ts';
import { refs, replacing, skipping, target } from './insert-rows.ts';
import { runForKeys } from './prepared-sql.ts';
import { tables, type ColumnName, type KeyName, type NewRow, type TableName, type TableRow } from './schema/tables.ts';

/** A row of a table that the compiler does not know. */
export type StoredRow = Record<string, Json>;

/** Such a row of a table whose key is the URI. */
export type UriRow = StoredRow & { uri: string };

/** A column that the compiler knows. Of a union of tables: one that all of them have. */
type SharedColumn<Name extends TableName> = keyof TableRow<Name> & string;

const columnsByTable = new Map<string, ReadonlyMap<string, Column>>(
  Object.entries<TableShape>(tables).map(([table, { required, columns }]) => [
    table,
    new Map(Object.entries(columns).map(([name, kind]) => [name, { name, kind, required: required.includes(name) }])),
  ]),
);

/** Every column of a table as null. Parsed from text, which gives V8 an object of fixed shape: its copies are small, and fast to read. */
const blankRows = new Map(
  [...columnsByTable].map(([table, columns]) => {
    const blank: StoredRow = JSON.parse(
      JSON.stringify(Object.fromEntries([...columns.keys()].map((name) => [name, null]))),
    );
    return [table, blank];
  }),
);

export function blankRow(table: UriTable, uri: string): UriRow {
  return { ...blankRows.get(table), uri };
}

const columnLists = new Map([...columnsByTable].map(([table, columns]) => [table, [...columns.values()]]));

/** Tables whose rows are identified by their URI alone. */
type UriTable = { [Name in TableName]: KeyName<Name> extends 'uri' ? Name : never }[TableName];

/**
 * The rows with these URIs, by URI. Where many transactions write at once, the rows are locked until the transaction ends. There,
 * `ofOthers` leaves out what this transaction has inserted or changed, and rows that another one holds, instead of waiting for them.
 */
export async function readRows<Name extends UriTable>(
  unit: Unit,
  table: Name,
  uris: readonly string[],
  { ofOthers = false } = {},
): Promise<Map<string, TableRow<Name>>> {
  const columns = columnsIn(table).map(({ name }) => name);
  const waiting = () => (hasOtherWriters(unit) ? lockedBy('uri') : sql``);
  const others = () => sql`and ${unit.engine.dialect.isOfAnother} ${lockedBy('uri')} skip locked`;
  const rows = await runForKeys(unit, {
    id: `read ${table} ${ofOthers}`,
    // Every transaction locks rows in this order, to avoid deadlocks.
    keys: [...uris].sort(),
    build: (isAmong) => sql<StoredColumns>`select ${refs(columns)} from ${target(unit, table)}
      where ${isAmong(sql.ref('uri'))} ${ofOthers ? others() : waiting()}`,
  });
  return new Map(rows.map((stored) => [String(stored['uri']), decodeRow(unit.engine, table, stored)]));
}

interface Lookup<Name extends TableName, Selected extends string> {
  readonly columns: readonly Selected[];
  readonly key: SharedColumn<Name>;
  readonly values: readonly string[];
  /** Locks the rows until the transaction ends, where many transactions write at once. */
  readonly lock?: boolean;
}

/** Some columns of the rows whose `key` is one of these values. Missing rows are not made. */
export async function readColumns<Name extends TableName, const Selected extends SharedColumn<Name>>(
  unit: Unit,
  table: Name,
  lookup: Lookup<Name, Selected>,
): Promise<Pick<TableRow<Name>, Selected>[]> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the columns asked for, as their kinds and `required` say
  return (await readUnchecked(unit, table, lookup)) as Pick<TableRow<Name>, Selected>[];
}

/** As `readColumns`, for columns that only the run time knows; fails for one that the table does not have. */
export async function readUnchecked<Name extends TableName>(
  unit: Unit,
  table: Name,
  { columns: names, key, values, lock = false }: Lookup<Name, string>,
): Promise<StoredRow[]> {
  const columns = names.map((name) => columnIn(table, name));
  const locking = lock && unit.engine.manyWriters;
  const rows = await runForKeys(unit, {
    id: `lookup ${table} ${names.join()} ${key} ${locking}`,
    keys: lock ? [...values].sort() : values,
    build: (isAmong) => sql<StoredColumns>`select ${refs(names)} from ${target(unit, table)}
      where ${isAmong(sql.ref(key))} ${locking ? lockedBy(key) : sql``}`,
  });
  return rows.map((stored) => decoded(unit.engine, { table, columns }, stored));
}

/** Whether another transaction may write the same rows at the same time. */
export const hasOtherWriters = ({ engine, schema }: Unit): boolean => engine.manyWriters && schema === undefined;

/** By bytes, as the keys were sorted here, whatever the collation of the database. */
const lockedBy = (key: string): RawBuilder<unknown> => sql`order by ${sql.ref(key)} collate "C" for update`;

export async function writeRows<Name extends TableName>(
  unit: Unit,
  table: Name,
  rows: readonly NewRow<Name>[],
): Promise<void> {
  const columns = columnsIn(table);
  const key: readonly string[] = tables[table].key;
  const conflict = () =>
    replacing(
      key,
      columns.filter(({ name }) => !key.includes(name)),
    );
  await unit.engine.insert(unit, rows, { id: `write ${table}`, table, columns, conflict });
}

/** Sets some columns of rows that exist; each row holds its key and these columns. */
export async function writeColumns<Name extends TableName, const Changed extends SharedColumn<Name>>(
  unit: Unit,
  table: Name,
  change: {
    readonly columns: readonly Changed[];
    readonly rows: readonly Pick<TableRow<Name>, KeyName<Name> | NoInfer<Changed>>[];
  },
): Promise<void> {
  await writeUnchecked(unit, table, change);
}

/** As `writeColumns`, for columns that only the run time knows; fails for one that the table does not have. */
export async function writeUnchecked(
  unit: Unit,
  table: TableName,
  change: { readonly columns: readonly string[]; readonly rows: readonly WritableRow[] },
): Promise<void> {
  const key: readonly string[] = tables[table].key;
  const columns = [...key, ...change.columns].map((name) => columnIn(table, name));
  const conflict = () => replacing(key, columns.slice(key.length));
  await unit.engine.insert(unit, change.rows, {
    id: `set ${table} ${change.columns.join()}`,
    table,
    columns,
    conflict,
  });
}

/** Inserts the rows whose keys are not there yet. Returns their number. */
export function addRows<Name extends TableName>(
  unit: Unit,
  table: Name,
  rows: readonly NewRow<Name>[],
): Promise<number> {
  const conflict = () => skipping(tables[table].key);
  return unit.engine.insert(unit, rows, { id: `add ${table}`, table, columns: columnsIn(table), conflict });
}

/** The code is PostgreSQL's for a serialization failure: the transaction is run again. */
export class Contention extends Error {
  readonly code = '40001';
  constructor(table: string) {
    super(`Another transaction wrote the same row of ${table}.`);
  }
}

/** Inserts new rows; `without` names the columns that the database fills in, and `unique` the column whose value decides what is new. */
export async function insertRows<Name extends TableName, const Without extends SharedColumn<Name> = never>(
  unit: Unit,
  table: Name,
  rows: readonly Omit<NewRow<Name>, Without>[],
  { without = [], unique }: { readonly without?: readonly Without[]; readonly unique?: SharedColumn<Name> } = {},
): Promise<void> {
  const left: readonly string[] = without;
  const columns = columnsIn(table).filter(({ name }) => !left.includes(name));
  const insert = { id: `insert ${table} ${left.join()} ${unique}`, table, columns };
  const conflict = unique === undefined ? {} : { conflict: () => skipping([unique]) };
  const written = await unit.engine.insert(unit, rows, { ...insert, ...conflict });
  if (unique !== undefined && written < rows.length) throw new Contention(table);
}

export async function deleteRows<Name extends TableName>(
  unit: Unit,
  table: Name,
  column: ColumnName<Name>,
  values: readonly string[],
): Promise<void> {
  await runForKeys(unit, {
    id: `delete ${table} ${column}`,
    keys: values,
    build: (isAmong) => sql`delete from ${target(unit, table)} where ${isAmong(sql.ref(column))}`,
  });
}

export function decodeRow<Name extends TableName>(
  engine: StoreEngine,
  table: Name,
  stored: StoredColumns,
): TableRow<Name> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every column of the table, as its kind and `required` say
  return decoded(engine, { table, columns: columnsIn(table) }, stored) as TableRow<Name>;
}

export function decodeColumns<Name extends TableName, const Selected extends SharedColumn<Name>>(
  engine: StoreEngine,
  { table, columns }: { readonly table: Name; readonly columns: readonly Selected[] },
  stored: StoredColumns,
): Pick<TableRow<Name>, Selected> {
  const selected = columns.map((name) => columnIn(table, name));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the columns asked for, as their kinds and `required` say
  return decoded(engine, { table, columns: selected }, stored) as Pick<TableRow<Name>, Selected>;
}

function decoded(
  engine: StoreEngine,
  { table, columns }: { readonly table: TableName; readonly columns: readonly Column[] },
  stored: StoredColumns,
): StoredRow {
  const row: StoredRow = columns === columnLists.get(table) ? { ...blankRows.get(table) } : {};
  for (const { name, kind, required } of columns) {
    const value = stored[name] ?? null;
    if (value !== null) row[name] = engine.decode(kind, value);
    else if (required) throw new Error(`The column ${name} of a row of ${table} is null.`);
    else row[name] = null;
  }
  return row;
}

const columnsIn = (table: TableName): readonly Column[] => columnLists.get(table) ?? [];

function columnIn(table: TableName, name: string): Column {
  const found = columnsByTable.get(table)?.get(name);
  if (found === undefined) throw new Error(`The table ${table} has no column ${name}.`);
  return found;
}
