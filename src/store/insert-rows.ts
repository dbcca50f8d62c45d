// The insert statements of any table, many rows at a time: what both engines share, and the form that SQLite runs.
import { CompiledQuery, sql, type RawBuilder } from 'kysely';
import type { Json } from './columns.ts';
import type { Column, Insert, Unit, WritableRow } from './contract.ts';
import { largestPowerOfTwo, largestStatement, prepared } from './prepared-sql.ts';

export const target = ({ schema }: Unit, table: string): RawBuilder<unknown> =>
  schema === undefined ? sql.table(table) : sql.table(`${schema}.${table}`);

export const refs = (names: readonly string[]): RawBuilder<unknown> => sql.join(names.map((name) => sql.ref(name)));

/** Leaves a row that has the same key as it is. */
export const skipping = (key: readonly string[]): RawBuilder<unknown> => sql`on conflict (${refs(key)}) do nothing`;

export function replacing(key: readonly string[], columns: readonly Column[]): RawBuilder<unknown> {
  if (columns.length === 0) return skipping(key);
  const set = columns.map(({ name }) => sql`${sql.ref(name)} = ${sql.ref(`excluded.${name}`)}`);
  return sql`on conflict (${refs(key)}) do update set ${sql.join(set)}`;
}

/** Inserts rows as lists of values, in statements of up to 64 rows. Returns how many were written. */
export async function insertValues(
  unit: Unit,
  rows: readonly WritableRow[],
  { id, table, columns, conflict = () => sql`` }: Insert,
): Promise<number> {
  const { engine } = unit;
  let written = 0;
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
    const { numAffectedRows } = await unit.db.executeQuery(CompiledQuery.raw(text, parameters));
    written += Number(numAffectedRows ?? 0);
    from += size;
  }
  return written;
}
