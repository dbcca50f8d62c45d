// The changes of log entries without the short forms of the first release: `"created"` becomes a table without columns, and a value that
// followed from the body becomes a mark. It never changes once it is released: a later version adds a migration.
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { StorageTypes } from './storage-types.ts';

const where = (text: string) => `where ${text} like '%"created"%' or ${text} like '%"before"%'`;

const onSqlite = `update event_log set changes = (select json_group_object(tables.key, json(case tables.type when 'object' then
    (select json_group_object(columns.key, json(case columns.type when 'array' then columns.value else '["…","…"]' end))
      from json_each(tables.value) as columns) else '{}' end)) from json_each(changes) as tables) ${where('changes')}`;

const onPostgres = `update event_log set changes = (select jsonb_object_agg(tables.key, case jsonb_typeof(tables.value) when 'object' then
    (select coalesce(jsonb_object_agg(columns.key, case jsonb_typeof(columns.value) when 'array' then columns.value
      else '["…", "…"]' end), '{}') from jsonb_each(tables.value) as columns) else '{}' end)
    from jsonb_each(changes) as tables) ${where('changes::text')}`;

export function plainChanges({ engine }: StorageTypes): Migration {
  return {
    async up(db: Kysely<unknown>) {
      await sql.raw(engine === 'sqlite' ? onSqlite : onPostgres).execute(db);
    },
  };
}
