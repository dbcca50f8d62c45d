// Who spoke in a meeting, beside its recap. No fact has assigned it yet, which is what the rows must say for the fold.
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { StorageTypes } from './storage-types.ts';

export function recapSpeakers({ json }: StorageTypes): Migration {
  // SQLite keeps the order of keys, which is that of their names.
  const lagging =
    json === 'jsonb'
      ? sql`coalesce(lagging, '{}'::jsonb) || '{"speakers": ""}'::jsonb`
      : sql`(select json_group_object(key, value) from (
          select key, value from json_each(json_set(coalesce(lagging, '{}'), '$.speakers', '')) order by key))`;
  return {
    async up(db: Kysely<unknown>) {
      await db.schema.alterTable('meeting_recaps').addColumn('speakers', sql.raw(json)).execute();
      await sql`update meeting_recaps set lagging = ${lagging} where version is not null`.execute(db);
    },
  };
}
