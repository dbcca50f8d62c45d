// Room in the pages of custom fields for the next version of their rows, so that an update touches no index (HOT). SQLite needs none: it
// writes a row again where it was.
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { StorageTypes } from './storage-types.ts';

export function roomForUpdates(types: StorageTypes): Migration {
  const isSqlite = types.textSearch === 'fts5';
  return {
    async up(db: Kysely<unknown>) {
      await sql.raw(isSqlite ? 'select 1' : 'alter table contact_custom_fields set (fillfactor = 85)').execute(db);
    },
  };
}
