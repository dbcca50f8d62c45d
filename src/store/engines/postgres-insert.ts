// Inserts many rows into PostgreSQL by one statement with one parameter: the rows as a list of JSON objects. The text of the statement
// does not depend on their number, so the server prepares it once.
import { CompiledQuery, sql } from 'kysely';
import type { Unit } from '#src/store/contract.ts';
import { refs, target, type Insert, type WritableRow } from '#src/store/insert-rows.ts';
import { postgresTypes } from '#src/store/migrations/storage-types.ts';
import { prepared } from '#src/store/prepared-sql.ts';

/** The server holds the rows of one statement in memory, up to its `work_mem` (4 MB by default). */
const rowsPerStatement = 256;

/** Returns how many rows were written. */
export async function insertRecords(
  unit: Unit,
  rows: readonly WritableRow[],
  { id, table, columns, conflict = () => sql`` }: Insert,
): Promise<number> {
  if (rows.length === 0) return 0;
  const { sql: text } = prepared(unit, id, () => {
    const names = refs(columns.map(({ name }) => name));
    const types = columns.map(({ name, kind }) => sql`${sql.ref(name)} ${sql.raw(postgresTypes[kind])}`);
    return sql`insert into ${target(unit, table)} (${names})
      select ${names} from json_to_recordset(${sql.val(null)}) as record(${sql.join(types)}) ${conflict()}`;
  });
  let written = 0;
  for (let from = 0; from < rows.length; from += rowsPerStatement) {
    const records = JSON.stringify(rows.slice(from, from + rowsPerStatement));
    const { numAffectedRows } = await unit.db.executeQuery(CompiledQuery.raw(text, [records]));
    written += Number(numAffectedRows ?? 0);
  }
  return written;
}
