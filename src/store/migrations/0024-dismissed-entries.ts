// When an operator dismissed an entry that could not be applied. The index has it as well, so that what waits is counted without its rows.
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { StorageTypes } from './storage-types.ts';

export const dismissedEntries = ({ time }: StorageTypes): Migration => ({
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('event_log').addColumn('dismissed_at', sql.raw(time)).execute();
    await db.schema.dropIndex('event_log_outcome_seq').execute();
    await sql`create index event_log_outcome_seq on event_log (outcome, seq, dismissed_at)
      where outcome in ('quarantined', 'unhandled')`.execute(db);
  },
});
