// Moves the program's own state from `sync_checkpoints` to a table of its own; only resume positions stay there.
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { StorageTypes } from './storage-types.ts';

export function keyValues(types: StorageTypes): Migration {
  return {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('key_values')
        .addColumn('key', 'text', (column) => column.notNull().primaryKey())
        .addColumn('value', sql.raw(types.json))
        .execute();
      // Backfills store `backfill`, `backfill <resource>` and `page backfill <resource>`; sweeps store `sweep`.
      const moved = sql`key <> 'sweep' and key <> 'backfill' and key not like 'backfill %' and key not like 'page %'`;
      await sql`insert into key_values (key, value) select key, value from sync_checkpoints where ${moved}`.execute(db);
      await sql`delete from sync_checkpoints where ${moved}`.execute(db);
    },
  };
}
