// Where the messages of an alert were posted, so that they can be edited. It never changes once it is released: a later version adds a migration.
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { StorageTypes } from './storage-types.ts';

export const postedMessages = ({ json }: StorageTypes): Migration => ({
  async up(db: Kysely<unknown>) {
    await sql.raw(`alter table alerts add column posted ${json}`).execute(db);
  },
});
