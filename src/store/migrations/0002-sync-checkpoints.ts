// The table of resume positions.
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { StorageTypes } from './storage-types.ts';

export function syncCheckpoints(types: StorageTypes): Migration {
  return {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('sync_checkpoints')
        .addColumn('key', 'text', (column) => column.notNull())
        .addColumn('value', sql.raw(types.json))
        .addPrimaryKeyConstraint('sync_checkpoints_pk', ['key'])
        .execute();
    },
  };
}
