// Indexes for lists of bookings, no-shows and form submissions: the other end of a reschedule, which only moved bookings have, and marks
// and submissions in the order of their time.
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { StorageTypes } from './storage-types.ts';

export function bookingLists(types: StorageTypes): Migration {
  const isSqlite = types.textSearch === 'fts5';
  return {
    async up(db: Kysely<unknown>) {
      await sql`create index routing_form_submissions_created_at on routing_form_submissions (created_at)`.execute(db);
      await sql`create index no_shows_marked_at on no_shows (marked_at)`.execute(db);
      // SQLite has them since the first migration.
      if (isSqlite) return;
      await sql`create index invitees_old_invitee on invitees using hash (old_invitee) where old_invitee is not null`.execute(
        db,
      );
      await sql`create index invitees_new_invitee on invitees using hash (new_invitee) where new_invitee is not null`.execute(
        db,
      );
    },
  };
}
