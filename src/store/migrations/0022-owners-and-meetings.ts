// Whose contact it is; and a version for each fact of a recap's meeting, where there was one for all of them. A fact that a row does not
// have counts as not assigned.
import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { StorageTypes } from './storage-types.ts';

const meetingColumns = 'event_uri event_name event_start_time event_end_time event_location attendees'.split(' ');

export function ownersAndMeetings({ json }: StorageTypes): Migration {
  const isJsonb = json === 'jsonb';
  const none = sql.raw(isJsonb ? `'{}'::jsonb` : `'{}'`);
  const set = (object: RawBuilder<unknown>, key: string, value: RawBuilder<unknown>): RawBuilder<unknown> =>
    isJsonb
      ? sql`${object} || jsonb_build_object(${sql.lit(key)}::text, ${value})`
      : sql`json_set(${object}, ${sql.lit(`$.${key}`)}, ${value})`;
  // SQLite keeps the order of keys, which is that of their names.
  const sorted = (object: RawBuilder<unknown>): RawBuilder<unknown> =>
    isJsonb
      ? object
      : sql`(select json_group_object(key, value) from (select key, value from json_each(${object}) order by key))`;
  const removed = isJsonb ? sql`lagging - 'event'` : sql`json_remove(lagging, '$.event')`;
  return {
    async up(db: Kysely<unknown>) {
      await db.schema.alterTable('contacts').addColumn('owner_uuid', 'text').execute();
      const unowned = sorted(set(sql`coalesce(lagging, ${none})`, 'user_uuid', sql.lit('')));
      await sql`update contacts set lagging = ${unowned} where version is not null`.execute(db);
      for (const column of meetingColumns) {
        const key = sql`case when ${sql.ref(column)} is null then '' else lagging ->> 'event' end`;
        const split = sorted(set(sql`coalesce(lagging, ${none})`, column, key));
        await sql`update meeting_recaps set lagging = ${split}
          where version is not null and (${sql.ref(column)} is null or lagging ->> 'event' is not null)`.execute(db);
      }
      await sql`update meeting_recaps set lagging = ${removed} where lagging ->> 'event' is not null`.execute(db);
    },
  };
}
