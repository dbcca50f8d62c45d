// Makes the tables of this version, and recognizes a mirror whose tables have another form.
import { createHash, randomUUID } from 'node:crypto';
import { CompiledQuery, sql, type Kysely } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import { slotstream } from '#src/base/command.ts';
import { isMissingTable, SlotstreamError } from '#src/base/errors.ts';
import { mirrorStatements } from '#src/store/migrations/0001-mirror.ts';
import { postgresTypes, sqliteTypes, type StorageTypes } from '#src/store/migrations/storage-types.ts';
import type { Database } from './schema/tables.ts';

/** Until 0.1.0 the first migration is edited in place. Its name has a digest of its statements: a mirror made by another form has another name. */
const firstName = '0001-mirror';

/** What the first migration was called before. */
const formerNames = ['0001-first-release', '0001-initial'];

let name: string | undefined;

/** The last migration of this version. */
export const schemaVersion = (): string => (name ??= `${firstName}-${digestOfStatements()}`);

const digestOfStatements = (): string =>
  createHash('sha256')
    .update([sqliteTypes, postgresTypes].flatMap(mirrorStatements).join(';\n'))
    .digest('hex')
    .slice(0, 8);

export const migrationsFor = (types: StorageTypes): Record<string, Migration> => ({
  [schemaVersion()]: {
    async up(db: Kysely<unknown>) {
      for (const statement of mirrorStatements(types)) await db.executeQuery(CompiledQuery.raw(statement));
      await sql`insert into ${sql.table('mirror_settings')} (id, revision) values (${randomUUID()}, 0)`.execute(db);
    },
  },
});

/** The names in a table of migrations; undefined where there is none, or where it is of another program. */
export async function migrationsIn(db: Kysely<Database>, schema?: string): Promise<readonly string[] | undefined> {
  const table = sql.table(schema === undefined ? 'kysely_migration' : `${schema}.kysely_migration`);
  try {
    const { rows } = await sql<{ name: string }>`select name from ${table}`.execute(db);
    const names = rows.map(({ name }) => name);
    return names.some((name) => formerNames.includes(name) || name.startsWith(firstName)) ? names : undefined;
  } catch (error) {
    if (isMissingTable(error)) return undefined;
    throw error;
  }
}

/**
 * Whether the database has the tables of this version. Fails where it has a mirror of another version. Asked first at every start: the
 * migrator reads the whole schema, twice, before it finds that there is nothing to do.
 */
export async function isMigrated(db: Kysely<Database>): Promise<boolean> {
  const names = await migrationsIn(db);
  if (names === undefined) return false;
  const form = formOf(names);
  if (form === 'newer') throw newerSchema();
  if (form === 'other') throw otherForm(names);
  return true;
}

export function formOf(names: readonly string[]): 'ours' | 'newer' | 'other' {
  if (!names.includes(schemaVersion())) return 'other';
  return names.length > 1 ? 'newer' : 'ours';
}

export const newerSchema = (): SlotstreamError =>
  new SlotstreamError('store_version', 'The database was made by a newer Slotstream than this one.', {
    hint: 'Install that version (or a later one), or point DATABASE_URL at another database.',
  });

/** How the data of a mirror that this version cannot use is kept. */
export const keepingData = `To keep its data, run \`${slotstream} export\` with the version that made it, or stay with that version and its commit. To start anew, set DATABASE_URL, DATABASE_SCHEMA or DATA_DIR to an empty place and run \`${slotstream} backfill\`.`;

const otherForm = (names: readonly string[]): SlotstreamError =>
  new SlotstreamError(
    'other_form',
    `The database has a mirror of another version of Slotstream: its tables were made by ${names.toSorted()[0]}, those of this version by ${schemaVersion()}.`,
    { hint: keepingData },
  );

/** `schema`: where the tables are; without it the migrator would take a table of another schema for its own. */
export async function migrate(db: Kysely<Database>, types: StorageTypes, schema?: string): Promise<void> {
  const provider = { getMigrations: async () => migrationsFor(types) };
  const migrator = new Migrator({ db, provider, ...(schema !== undefined && { migrationTableSchema: schema }) });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}
