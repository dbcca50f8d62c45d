// The running processes of the mirror: each writes its own row every few seconds.
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { StorageTypes } from './storage-types.ts';

export function processes(types: StorageTypes): Migration {
  return {
    async up(db: Kysely<unknown>) {
      let table = db.schema.createTable('processes').addColumn('id', 'text', (column) => column.notNull().primaryKey());
      for (const name of ['role', 'host', 'version', 'admin_url'])
        table = table.addColumn(name, 'text', (column) => column.notNull());
      for (const name of ['started_at', 'seen_at'])
        table = table.addColumn(name, sql.raw(types.time), (column) => column.notNull());
      await table
        .addColumn('pid', sql.raw(types.integer), (column) => column.notNull())
        .addColumn('queue', 'text')
        .addColumn('queue_waiting', sql.raw(types.integer))
        .addColumn('spool_deliveries', sql.raw(types.integer))
        .addColumn('last_batch_at', sql.raw(types.time))
        .execute();
    },
  };
}
