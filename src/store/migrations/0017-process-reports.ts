// More of what a process reports about itself, for the page that shows whether all of them are well.
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { StorageTypes } from './storage-types.ts';

const columns = {
  queue_active: 'integer',
  queue_failed: 'integer',
  queue_oldest_at: 'time',
  active_oldest_at: 'time',
  queue_losses: 'integer',
  spool_since: 'time',
  journal_batches: 'integer',
  journal_full: 'flag',
  accepted: 'integer',
  refused: 'integer',
  refused_stale: 'integer',
  lag_p50_ms: 'integer',
  lag_p99_ms: 'integer',
} as const;

export function processReports(types: StorageTypes): Migration {
  return {
    async up(db: Kysely<unknown>) {
      for (const [name, kind] of Object.entries(columns))
        await db.schema.alterTable('processes').addColumn(name, sql.raw(types[kind])).execute();
    },
  };
}
