// What operators did through the admin listener: one row per action, also for one that was refused.
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { StorageTypes } from './storage-types.ts';

export function adminActions(types: StorageTypes): Migration {
  return {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('admin_actions')
        .addColumn('id', 'text', (column) => column.notNull().primaryKey())
        .addColumn('at', sql.raw(types.time), (column) => column.notNull())
        .addColumn('caller', 'text', (column) => column.notNull())
        .addColumn('address', 'text', (column) => column.notNull())
        .addColumn('operation', 'text', (column) => column.notNull())
        .addColumn('target', 'text')
        .addColumn('input', sql.raw(types.json))
        .addColumn('result', sql.raw(types.json))
        .addColumn('status', sql.raw(types.integer))
        .execute();
      await db.schema.createIndex('admin_actions_at').on('admin_actions').column('at').execute();
    },
  };
}
