// The offsets of named consumers of the log.
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { StorageTypes } from './storage-types.ts';

export function feedConsumers(types: StorageTypes): Migration {
  return {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('feed_consumers')
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('position', sql.raw(types.integer), (column) => column.notNull())
        .addColumn('updated_at', sql.raw(types.time), (column) => column.notNull())
        .addPrimaryKeyConstraint('feed_consumers_pk', ['name'])
        .execute();
    },
  };
}
