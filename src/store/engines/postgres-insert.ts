// Inserts many rows into PostgreSQL by one statement with one parameter per column: the values as an array of texts. The statement
// does not depend on the number of rows, so the server prepares it once. The arrays are in the binary format, which neither side has
// to escape or to parse.
import { sql, type RawBuilder } from 'kysely';
import type { ColumnKind } from '#src/store/columns.ts';
import type { Column, Insert, Unit, WritableRow } from '#src/store/contract.ts';
import { refs, target } from '#src/store/insert-rows.ts';
import { postgresTypes } from '#src/store/migrations/storage-types.ts';
import { inOrder } from '#src/store/in-order.ts';
import { prepared } from '#src/store/prepared-sql.ts';

/** The server holds the rows of one statement in memory, up to its `work_mem` (4 MB by default). */
const rowsPerStatement = 256;

export async function insertArrays(
  unit: Unit,
  rows: readonly WritableRow[],
  { id, table, columns, conflict = () => sql`` }: Insert,
): Promise<number> {
  if (rows.length === 0) return 0;
  const { sql: text } = prepared(unit, id, () => {
    const names = refs(columns.map(({ name }) => name));
    const arrays = columns.map(() => sql`${sql.val(null)}::text[]`);
    return sql`insert into ${target(unit, table)} (${names}) select ${sql.join(columns.map(cast))}
      from unnest(${sql.join(arrays)}) as given(${names}) ${conflict()}`;
  });
  let written = 0;
  const insertFrom = (from: number) => async () => {
    const part = rows.slice(from, from + rowsPerStatement);
    const parameters = columns.map((column) => arrayOf(part, column));
    const { numAffectedRows } = await unit.engine.run(unit.db, { sql: text, parameters });
    written += Number(numAffectedRows ?? 0);
  };
  const parts = Math.ceil(rows.length / rowsPerStatement);
  await inOrder(
    unit,
    Array.from({ length: parts }, (_, part) => insertFrom(part * rowsPerStatement)),
  );
  return written;
}

function cast({ name, kind }: Column): RawBuilder<unknown> {
  if (kind === 'text') return sql.ref(name);
  // oxlint-disable-next-line eslint/no-restricted-properties -- the name of a type, from our own list
  return sql`${sql.ref(name)}::${sql.raw(postgresTypes[kind])}`;
}

/**
 * The values of a column. The driver asks for them when it sends the statement: until the server has answered, the statement holds
 * rows that are held anyway, and no second copy of them, which would outlive the collection of young garbage.
 */
const arrayOf = (rows: readonly WritableRow[], { name, kind }: Column) => ({
  toPostgres: () => textArray(rows.map((row) => textOf(kind, row[name] ?? null))),
});

function textOf(kind: ColumnKind, value: unknown): string | null {
  if (value === null || (typeof value === 'string' && kind !== 'json')) return value;
  return JSON.stringify(value);
}

const elementType = 25;
const headerBytes = 20;

const largestDraft = 4 * 1024 * 1024;
/** Arrays are put together here, and copied out in their own size: the room that any text needs is three times what most texts take. */
let draft = Buffer.allocUnsafeSlow(64 * 1024);

/** An array of texts in PostgreSQL's binary format: dimensions, whether there are nulls, type, length, first index; then each element. */
export function textArray(values: readonly (string | null)[]): Buffer {
  let size = headerBytes;
  let nulls = 0;
  for (const value of values) {
    if (value === null) nulls = 1;
    // A UTF-16 code unit takes three bytes at most.
    size += 4 + (value === null ? 0 : value.length * 3);
  }
  const buffer = size <= draft.length ? draft : Buffer.allocUnsafeSlow(size);
  if (size <= largestDraft) draft = buffer;
  buffer.writeInt32BE(1, 0);
  buffer.writeInt32BE(nulls, 4);
  buffer.writeInt32BE(elementType, 8);
  buffer.writeInt32BE(values.length, 12);
  buffer.writeInt32BE(1, 16);
  let at = headerBytes;
  for (const value of values) {
    const bytes = value === null ? -1 : buffer.write(value, at + 4, 'utf8');
    buffer.writeInt32BE(bytes, at);
    at += 4 + Math.max(bytes, 0);
  }
  return Buffer.copyBytesFrom(buffer, 0, at);
}
