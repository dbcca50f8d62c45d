// Brings a database to the schema of this version; refuses one that a newer version made.
import { sql, type Kysely } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import { isMissingTable, SlotstreamError } from '#src/base/errors.ts';
import { firstRelease } from '#src/store/migrations/0001-first-release.ts';
import type { StorageTypes } from '#src/store/migrations/storage-types.ts';
import type { Database } from './tables.ts';

/** Every migration, in the order of its name. */
export function migrationsFor(types: StorageTypes): Record<string, Migration> {
  return { '0001-first-release': firstRelease(types) };
}

/** Asked first at every start: the migrator reads the whole schema, twice, before it finds that there is nothing to do. */
export async function isMigrated(db: Kysely<Database>, types: StorageTypes): Promise<boolean> {
  try {
    const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
    const names = Object.keys(migrationsFor(types));
    return rows.length === names.length && rows.every(({ name }) => names.includes(name));
  } catch (error) {
    if (isMissingTable(error)) return false;
    throw error;
  }
}

/** `schema`: where the tables are; without it the migrator would take a table of another schema for its own. */
export async function migrate(db: Kysely<Database>, types: StorageTypes, schema?: string): Promise<void> {
  const provider = { getMigrations: async () => migrationsFor(types) };
  const migrator = new Migrator({ db, provider, ...(schema !== undefined && { migrationTableSchema: schema }) });
  const { error } = await migrator.migrateToLatest();
  if (error === undefined) return;
  if (error instanceof Error && /corrupted migrations/.test(error.message)) {
    throw new SlotstreamError('store_newer', 'The database was made by a newer Slotstream than this one.', {
      hint: 'Install that version (or a later one), or point DATABASE_URL at another database.',
      cause: error,
    });
  }
  throw error;
}
