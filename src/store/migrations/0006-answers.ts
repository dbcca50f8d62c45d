// Answers to whether an invitee came. It never changes once it is released: a later version adds a migration.
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { StorageTypes } from './storage-types.ts';

export function answers({ text, time }: StorageTypes): Migration {
  const columns = [
    `invitees add column attendance_confirmed_at ${time}`,
    `invitees add column attendance_confirmed_by ${text}`,
    `invitees add column attendance_entry ${text}`,
    `bookings add column evidence_entry ${text}`,
  ];
  return {
    async up(db: Kysely<unknown>) {
      for (const column of columns) await sql.raw(`alter table ${column}`).execute(db);
    },
  };
}
