// Brings a database to the schema of this version; refuses one of a newer version, or of one that was never released.
import { sql, type Kysely } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import { slotstream } from '#src/base/command.ts';
import { isMissingTable, SlotstreamError } from '#src/base/errors.ts';
import { firstRelease } from '#src/store/migrations/0001-first-release.ts';
import { bookings } from '#src/store/migrations/0002-bookings.ts';
import { outbox } from '#src/store/migrations/0003-outbox.ts';
import { contactSearch } from '#src/store/migrations/0004-contact-search.ts';
import { plainChanges } from '#src/store/migrations/0005-plain-changes.ts';
import { answers } from '#src/store/migrations/0006-answers.ts';
import { postedMessages } from '#src/store/migrations/0007-posted-messages.ts';
import { mirrorSettings } from '#src/store/migrations/0008-mirror-settings.ts';
import { sqliteTypes, type StorageTypes } from '#src/store/migrations/storage-types.ts';
import type { Database } from './tables.ts';

export function migrationsFor(types: StorageTypes): Record<string, Migration> {
  return {
    '0001-first-release': firstRelease(types),
    '0002-bookings': bookings(types),
    '0003-outbox': outbox,
    '0004-contact-search': contactSearch(types),
    '0005-plain-changes': plainChanges(types),
    '0006-answers': answers(types),
    '0007-posted-messages': postedMessages(types),
    '0008-mirror-settings': mirrorSettings(types),
  };
}

/** The last migration of this version. Names rise, so a database with a greater one was made by a newer version. */
export const schemaVersion = Object.keys(migrationsFor(sqliteTypes)).at(-1) ?? '';

export const newerSchema = (): SlotstreamError =>
  new SlotstreamError('store_version', 'The database was made by a newer Slotstream than this one.', {
    hint: 'Install that version (or a later one), or point DATABASE_URL at another database.',
  });

/** Asked first at every start: the migrator reads the whole schema, twice, before it finds that there is nothing to do. */
export async function isMigrated(db: Kysely<Database>, types: StorageTypes): Promise<boolean> {
  try {
    const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
    if (rows.some(({ name }) => name === unreleased)) throw beforeRelease();
    const names = Object.keys(migrationsFor(types));
    return rows.length === names.length && rows.every(({ name }) => names.includes(name));
  } catch (error) {
    if (isMissingTable(error)) return false;
    throw error;
  }
}

/** The second migration of every version before 0.1.0. */
const unreleased = '0002-sync-checkpoints';

const beforeRelease = (): SlotstreamError =>
  new SlotstreamError(
    'store_version',
    `The database was made by a version before 0.1.0: it has the migration ${unreleased}.`,
    {
      hint: `Export what you need with that version. Then start with an empty database (another DATABASE_URL, DATABASE_SCHEMA or DATA_DIR) and run \`${slotstream} backfill\`.`,
    },
  );

/** `schema`: where the tables are; without it the migrator would take a table of another schema for its own. */
export async function migrate(db: Kysely<Database>, types: StorageTypes, schema?: string): Promise<void> {
  const provider = { getMigrations: async () => migrationsFor(types) };
  const migrator = new Migrator({ db, provider, ...(schema !== undefined && { migrationTableSchema: schema }) });
  const { error } = await migrator.migrateToLatest();
  if (error === undefined) return;
  throw error instanceof Error && /corrupted migrations/.test(error.message) ? newerSchema() : error;
}
