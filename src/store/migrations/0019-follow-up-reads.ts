// Indexes for what is read again although no webhook announces a change: meetings whose link is not there yet, and recaps whose
// transcript was not read.
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const followUpReads: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`create index scheduled_events_link_pending on scheduled_events (end_time)
      where location ->> 'status' in ('initiated', 'processing')`.execute(db);
    await sql`create index meeting_recaps_transcript_pending on meeting_recaps (event_start_time)
      where transcript is not null and speakers is null and deleted_at is null`.execute(db);
  },
};
