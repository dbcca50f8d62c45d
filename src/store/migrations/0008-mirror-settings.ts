// One row that says what the mirror is: its id, its account and the settings that its processes share. It never changes once it is
// released: a later version adds a migration.
import { randomUUID } from 'node:crypto';
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { StorageTypes } from './storage-types.ts';

export const mirrorSettings = ({ engine, text, time, flag, integer }: StorageTypes): Migration => ({
  async up(db: Kysely<unknown>) {
    const columns = [
      `id ${text} not null primary key`,
      ...['origin', 'organization', 'owner'].map((name) => `${name} ${text}`),
      `erase_on_delete ${flag}`,
      `retention_days ${integer}`,
      ...['events', 'report_timezone', 'currency_fields'].map((name) => `${name} ${text}`),
      `settled_at ${time}`,
      `revision ${integer} not null`,
    ];
    await sql.raw(`create table mirror_settings (${columns.join(', ')})`).execute(db);
    // Where a former version kept the id and the account.
    const part = (name: string) =>
      sql.raw(engine === 'sqlite' ? `json_extract(value, '$.${name}')` : `value ->> '${name}'`);
    const valueAt = (key: string, name: string) => sql`(select ${part(name)} from key_values where key = ${key})`;
    await sql`insert into mirror_settings (id, origin, organization, revision)
      select coalesce(${valueAt('feed source', 'id')}, cast(${randomUUID()} as text)),
        ${valueAt('mirrored', 'origin')}, ${valueAt('mirrored', 'organization')}, 0`.execute(db);
    await sql`delete from key_values where key = 'feed source'`.execute(db);
  },
});
