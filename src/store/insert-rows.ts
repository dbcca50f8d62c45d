// The insert statements of any table, many rows at a time.
import { CompiledQuery, sql, type RawBuilder } from 'kysely';
import type { ColumnKind, Json } from './columns.ts';
import type { Unit } from './contract.ts';
import { largestPowerOfTwo, largestStatement, prepared } from './prepared-sql.ts';

/** A column of a table. */
export interface Column {
  readonly name: string;
  readonly kind: ColumnKind;
  /** Never null. */
  readonly required: boolean;
}

/** The table, in the schema of the unit of work. */
export const target = ({ schema }: Unit, table: string): RawBuilder<unknown> =>
  schema === undefined ? sql.table(table) : sql.table(`${schema}.${table}`);

export const refs = (names: readonly string[]): RawBuilder<unknown> => sql.join(names.map((name) => sql.ref(name)));

/** Replaces these columns of a row that has the same key. */
export function replacing(key: readonly string[], columns: readonly Column[]): RawBuilder<unknown> {
  const set = columns.map(({ name }) => sql`${sql.ref(name)} = ${sql.ref(`excluded.${name}`)}`);
  return sql`on conflict (${refs(key)}) do ${set.length === 0 ? sql`nothing` : sql`update set ${sql.join(set)}`}`;
}

/** Columns that are left out become null. */
export type WritableRow = Readonly<Record<string, unknown>>;

interface Insert {
  readonly id: string;
  readonly table: string;
  /** Both the statement and the order of its values follow this list. */
  readonly columns: readonly Column[];
  readonly conflict?: () => RawBuilder<unknown>;
}

/** Inserts rows in statements of up to 64 rows. */
export async function insertInChunks(
  unit: Unit,
  rows: readonly WritableRow[],
  { id, table, columns, conflict = () => sql`` }: Insert,
): Promise<void> {
  const { engine } = unit;
  for (let from = 0; from < rows.length;) {
    // 50 rows leave as 32 + 16 + 2: few statements, and no values that are sent for nothing.
    const size = largestPowerOfTwo(Math.min(rows.length - from, largestStatement));
    const { sql: text } = prepared(unit, `${id} ${size}`, () => {
      const values = sql`(${sql.join(columns.map(() => sql.val(null)))})`;
      return sql`insert into ${target(unit, table)} (${refs(columns.map(({ name }) => name))})
        values ${sql.join(Array.from({ length: size }, () => values))} ${conflict()}`;
    });
    const parameters: unknown[] = [];
    for (let index = from; index < from + size; index += 1) {
      const row = rows[index];
      for (const { name, kind } of columns) {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the callers' row types hold nothing but JSON
        const value = (row?.[name] ?? null) as Json;
        parameters.push(engine.encode(kind, value));
      }
    }
    await unit.db.executeQuery(CompiledQuery.raw(text, parameters));
    from += size;
  }
}
