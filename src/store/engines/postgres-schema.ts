// The schema of PostgreSQL for the tables: made when it is missing, and refused when its tables are of another program, or when this user
// may not create any.
import { sql, type Kysely } from 'kysely';
import { SlotstreamError } from '#src/base/errors.ts';
import { schemaOf } from './postgres-shadow.ts';
import type { Database } from '#src/store/tables.ts';
import { ownNames, refuseForeignTables } from './foreign-tables.ts';

/** Before the migrator, which in a transaction would not tell why it cannot create its first table. */
export async function prepareSchema(trx: Kysely<Database>, schema: string | undefined): Promise<void> {
  if (schema !== undefined) await makeSchema(trx, schema);
  if (await isOurs(trx)) return;
  await requireNoForeignTables(trx);
  const live = await schemaOf(trx);
  if (await holds(trx, sql`has_schema_privilege(current_schema(), 'create')`)) return createExtension(trx, schema);
  throw notAllowed(
    'create tables',
    `Make it the owner of the database, or run as a superuser there: grant create on schema ${live} to USER.`,
  );
}

async function makeSchema(trx: Kysely<Database>, schema: string): Promise<void> {
  if (await holds(trx, sql`to_regnamespace(${schema}) is not null`)) return;
  if (!(await holds(trx, sql`has_database_privilege(current_database(), 'create')`)))
    throw notAllowed(
      `create the schema "${schema}"`,
      `Run as a superuser there: create schema ${schema} authorization USER.`,
    );
  await sql`create schema ${sql.id(schema)}`.execute(trx);
}

async function createExtension(trx: Kysely<Database>, schema: string | undefined): Promise<void> {
  // Not in a schema of our own: another mirror in this database needs it too.
  const location = schema === undefined ? sql`` : sql`with schema public`;
  await sql`savepoint trigrams`.execute(trx);
  try {
    await sql`create extension if not exists pg_trgm ${location}`.execute(trx);
  } catch {
    // A user who may not create the extension searches without it: slower, and with the same results. `doctor` reports it.
    await sql`rollback to savepoint trigrams`.execute(trx);
  }
}

/** Another program may have a table of migrations under the same name. */
async function isOurs(trx: Kysely<Database>): Promise<boolean> {
  if (!(await holds(trx, sql`to_regclass('kysely_migration') is not null`))) return false;
  return holds(trx, sql`exists (select from kysely_migration where name = '0001-first-release')`);
}

async function requireNoForeignTables(trx: Kysely<Database>): Promise<void> {
  const { rows } = await sql<{ name: string }>`select relname::text as name from pg_class
    where relnamespace = to_regnamespace(quote_ident(current_schema())) and relname in (${sql.join(ownNames)})
    order by name`.execute(trx);
  refuseForeignTables(
    rows.map(({ name }) => name),
    'Set DATABASE_SCHEMA=slotstream, so that its tables get a schema of their own, or use another database.',
  );
}

async function holds(trx: Kysely<Database>, question: ReturnType<typeof sql>): Promise<boolean> {
  const { rows } = await sql<{ answer: boolean | null }>`select ${question} as answer`.execute(trx);
  return rows[0]?.answer === true;
}

const notAllowed = (what: string, hint: string): SlotstreamError =>
  new SlotstreamError('store_unavailable', `PostgreSQL does not let the user of DATABASE_URL ${what} (42501).`, {
    hint,
  });
