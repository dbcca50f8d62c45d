// Comments on tables and columns in PostgreSQL, from the dictionary, so that `\d+` and tools for analysts show what each one means.
// They are written when their text has changed, in one batch. `comment on` does not hold up readers and writers of the table.
import { createHash } from 'node:crypto';
import { sql, type Kysely } from 'kysely';
import { describedTables } from '#src/store/schema/dictionary.ts';
import type { Sql } from '#src/store/sql-dialect.ts';
import type { Database } from '#src/store/schema/tables.ts';

/** The comment on this table ends with a digest of all comments. */
const markedTable = 'event_log';

/** The label of a custom field, which can be of any length, is part of a comment. */
const maxLength = 1_000;

/** Links of the documentation lead nowhere here. */
const plain = (text: string): string => text.slice(0, maxLength).replaceAll(/\[([^\][]+)\]\([^)]+\)/g, '$1');

export const commentOnColumns = (relation: string, columns: Readonly<Record<string, string>>): Sql[] =>
  Object.entries(columns).map(
    ([column, about]) => sql`comment on column ${sql.id(relation, column)} is ${sql.lit(plain(about))}`,
  );

/** Never fails: a user who does not own the tables, or a lock that is not free, leaves the former comments. */
export async function commentOnTables(
  db: Kysely<Database>,
  schema: string,
  lock: (db: Kysely<Database>) => Promise<void>,
): Promise<void> {
  const described = describedTables().map(({ name, about, columns }) => ({
    name,
    about,
    columns: Object.fromEntries(
      columns.map((column) => [column.name, column.joins ? `${column.about} (${column.joins})` : column.about]),
    ),
  }));
  const mark = createHash('sha256').update(JSON.stringify(described)).digest('hex').slice(0, 16);
  const isCurrent = async (from: Kysely<Database>): Promise<boolean> => {
    const { rows } = await sql<{
      comment: string | null;
    }>`select obj_description(to_regclass(${`${schema}.${markedTable}`}), 'pg_class') as comment`.execute(from);
    return rows[0]?.comment?.includes(`(${mark})`) === true;
  };
  try {
    if (await isCurrent(db)) return;
    await db.transaction().execute(async (trx) => {
      await lock(trx);
      if (await isCurrent(trx)) return;
      const statements = described.flatMap(({ name, about, columns }) => [
        sql`comment on table ${sql.id(name)} is ${sql.lit(name === markedTable ? `${about} Slotstream (${mark}).` : about)}`,
        ...commentOnColumns(name, columns),
      ]);
      await sql.join(statements, sql`;`).execute(trx);
    });
  } catch {
    // The next start tries again.
  }
}
