// Indexes for the list of recaps in the order of time, and for the way from a form submission to its bookings.
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { StorageTypes } from './storage-types.ts';

export function routingAndRecaps({ textSearch }: StorageTypes): Migration {
  const isSqlite = textSearch === 'fts5';
  return {
    async up(db: Kysely<unknown>) {
      await sql`create index meeting_recaps_created_at on meeting_recaps (created_at)`.execute(db);
      // A B-tree of PostgreSQL takes no long values, and the service may send any text.
      await sql`create index invitees_routing_form_submission on invitees ${isSqlite ? sql`` : sql`using hash`}
        (routing_form_submission) where routing_form_submission is not null`.execute(db);
    },
  };
}
