// The schema of PostgreSQL for the tables: made when it is missing, and refused when its tables are of another program, or when this user
// may not create any.
import { sql, type Kysely } from 'kysely';
import { SlotstreamError } from '#src/base/errors.ts';
import { defaultSchema } from '#src/base/database-schema.ts';
import { formOf, keepingData, migrationsIn } from '#src/store/migrations.ts';
import type { Database } from '#src/store/schema/tables.ts';
import { ownNames, refuseForeignTables } from './foreign-tables.ts';

/** Before the migrator, which in a transaction would not tell why it cannot create its first table. */
export async function prepareSchema(trx: Kysely<Database>, schema: string): Promise<void> {
  await makeSchema(trx, schema);
  if (await holds(trx, sql`to_regclass(${`${schema}.kysely_migration`}) is not null`))
    if ((await migrationsIn(trx)) !== undefined) return;
  await requireNoForeignTables(trx, schema);
  if (await holds(trx, sql`has_schema_privilege(${schema}, 'create')`)) return createExtension(trx);
  throw notAllowed(
    'create tables',
    `Make it the owner of the schema, or run as a superuser there: grant create on schema ${schema} to USER.`,
  );
}

/** A mirror where no schema of its own was expected before: it must not be taken for an empty database. */
export async function refuseMirrorIn(db: Kysely<Database>, schema: string): Promise<void> {
  // What this user may not read is not its mirror.
  const isReadable = sql`has_table_privilege(to_regclass(${`${schema}.kysely_migration`}), 'select')`;
  const names = (await holds(db, isReadable)) ? await migrationsIn(db, schema) : undefined;
  if (names === undefined) return;
  throw new SlotstreamError(
    'other_form',
    `The database has a mirror in the schema ${schema}, and none in the schema ${defaultSchema}, which this version uses.`,
    {
      hint:
        formOf(names) === 'other'
          ? `Another version of Slotstream made it. ${keepingData}`
          : `Set DATABASE_SCHEMA=${schema} to use it, or DATABASE_SCHEMA=${defaultSchema} for a new one beside it.`,
    },
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

async function createExtension(trx: Kysely<Database>): Promise<void> {
  await sql`savepoint trigrams`.execute(trx);
  try {
    // Not in a schema of our own: another mirror in this database needs it too.
    await sql`create extension if not exists pg_trgm with schema public`.execute(trx);
  } catch {
    // A user who may not create the extension searches without it: slower, and with the same results. `doctor` reports it.
    await sql`rollback to savepoint trigrams`.execute(trx);
  }
}

async function requireNoForeignTables(trx: Kysely<Database>, schema: string): Promise<void> {
  const { rows } = await sql<{ name: string }>`select relname::text as name from pg_class
    where relnamespace = to_regnamespace(${schema}) and relname in (${sql.join(ownNames())})
    order by name`.execute(trx);
  refuseForeignTables(
    rows.map(({ name }) => name),
    'Set DATABASE_SCHEMA to the name of another schema, which Slotstream makes, or use another database.',
    `The schema ${schema} of the database`,
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
