// The temporary tables of a rebuild on PostgreSQL: with settings of the session that suit tables which grow from nothing.
import { sql, type Kysely } from 'kysely';
import type { StoreEngine } from '#src/store/contract.ts';
import { tables, type Database, type TableName } from '#src/store/schema/tables.ts';

type Shadow = Pick<StoreEngine, 'shadowSchema' | 'makeShadow' | 'writeShadow' | 'finishShadow' | 'dropShadow'>;

export const postgresShadow = (schema: string): Shadow => ({
  shadowSchema: 'pg_temp',
  async makeShadow(connection, names) {
    await raiseTempBuffers(connection);
    // A plan that was made while a table was empty reads all of it, for ever.
    await sql`set plan_cache_mode = force_custom_plan`.execute(connection);
    for (const name of names) {
      await sql`create temporary table ${sql.id(name)} (like ${sql.id(schema, name)} including defaults, primary key (${keyOf(name)}))`.execute(
        connection,
      );
    }
  },
  // No commit of a temporary table is flushed to disk.
  writeShadow: (_connection, work) => work(),
  async finishShadow(connection, names) {
    // Nothing else counts the rows of a temporary table, and the planner would take them for few. Tables are joined by key only.
    for (const name of names) await sql`analyze ${shadow(name)} (${keyOf(name)})`.execute(connection);
  },
  async dropShadow(connection, names) {
    for (const name of names) await sql`drop table if exists ${shadow(name)}`.execute(connection);
    await sql`reset plan_cache_mode`.execute(connection);
  },
});

const keyOf = (name: TableName) => sql.join(tables[name].key.map((column) => sql.id(column)));
const shadow = (name: TableName) => sql.id('pg_temp', name);

/** The default of 8 MB makes the server write and read pages of the tables again and again. */
async function raiseTempBuffers(connection: Kysely<Database>): Promise<void> {
  try {
    await sql`set temp_buffers = '64MB'`.execute(connection);
  } catch {
    // The session has used a temporary table before: its buffers stay as they are.
  }
}
