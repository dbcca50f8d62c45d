// Replaces the payload that every mirrored row carried, `body`, by what no column holds of it, `extra`. The result is what a rebuild
// from the log yields.
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { isObject, type JsonObject } from '#schemas/wire.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import type { StorageTypes } from './storage-types.ts';

/** The keys of a payload that have columns, or that the projection read otherwise. */
const known: Readonly<Record<string, string>> = {
  contacts:
    'name emails phone_numbers timezone job_title company country state city linkedin custom_fields creation_source first_email_date last_email_date next_meeting_date last_meeting_date last_interaction_date deleted_at',
  custom_field_definitions: 'label field_type options currency',
  event_types:
    'name active slug scheduling_url duration kind pooling_type type color internal_note description_plain description_html secret booking_method custom_questions admin_managed locations position locale profile',
  invitees:
    'email first_name last_name name status timezone questions_and_answers text_reminder_number rescheduled old_invitee new_invitee cancel_url reschedule_url routing_form_submission scheduling_method invitee_scheduled_by tracking event payment reconfirmation cancellation no_show canceled scheduled_event',
  meeting_recaps: 'transcript summary_md action_items_md discussion_md share_link event deleted_at',
  organization_memberships: 'role user organization',
  routing_form_submissions: 'routing_form questions_and_answers submitter submitter_type tracking result',
  routing_forms: 'name status questions organization',
  scheduled_events:
    'name status start_time end_time event_type invitees_counter meeting_notes_plain meeting_notes_html cancellation location event_memberships event_guests',
  users: 'name email slug timezone',
};

const inEveryRecord = 'uri created_at updated_at';
const knownOfEvent = 'uri name start_time end_time location attendees';
/** Rows per query; a body may have a megabyte. */
const pageSize = 100;

interface OldRow {
  readonly uri: string;
  readonly body: string | null;
  readonly lagging: string | null;
}

export function extra({ json }: StorageTypes): Migration {
  return {
    async up(db: Kysely<unknown>) {
      if (json === 'jsonb') await releaseBody(db);
      for (const table of Object.keys(known)) {
        await db.schema.alterTable(table).addColumn('extra', sql.raw(json)).execute();
        await fill(db, table, sql.raw(json));
        await dropBody(db, table);
      }
    },
  };
}

/** Our view of payments was written with `invitees.*`, which PostgreSQL stores as the columns of that day, `body` included. */
async function releaseBody(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ definition: string }>`select pg_get_viewdef(oid) as definition from pg_class
    where oid = to_regclass('revenue') and relkind = 'v'
      and obj_description(oid, 'pg_class') like '%Kept by Slotstream%'`.execute(db);
  for (const { definition } of rows)
    await sql`create or replace view revenue as ${sql.raw(definition.replace(/\binvitees\.body,/, ''))}`.execute(db);
}

async function fill(db: Kysely<unknown>, table: string, json: ReturnType<typeof sql.raw>): Promise<void> {
  for (let after = ''; ;) {
    const { rows } = await sql<OldRow>`select uri, cast(body as text) as body, cast(lagging as text) as lagging
      from ${sql.table(table)} where uri > ${after} order by uri limit ${pageSize}`.execute(db);
    for (const row of rows) {
      const beyond = row.body === null ? null : extraOf(table, JSON.parse(row.body));
      const lagging = row.lagging === null ? undefined : renamed(JSON.parse(row.lagging));
      if (beyond === null && lagging === undefined) continue;
      await sql`update ${sql.table(table)} set extra = cast(${textOf(beyond)} as ${json}),
        lagging = cast(${lagging === undefined ? row.lagging : textOf(lagging)} as ${json})
        where uri = ${row.uri}`.execute(db);
    }
    const last = rows.at(-1)?.uri;
    if (last === undefined) return;
    after = last;
  }
}

const textOf = (value: JsonObject | null): string | null => (value === null ? null : JSON.stringify(value));

/** A view of the user's own that reads the column stops the migration: it would show something else afterwards. */
async function dropBody(db: Kysely<unknown>, table: string): Promise<void> {
  try {
    await db.schema.alterTable(table).dropColumn('body').execute();
  } catch (cause) {
    throw new SlotstreamError('store_unavailable', `The column body of ${table} cannot be removed.`, {
      hint: `Drop your own views that read ${table}.body; afterwards create them from its other columns and \`extra\`.`,
      cause,
    });
  }
}

function extraOf(table: string, body: unknown): JsonObject | null {
  const found = beyond(body, `${inEveryRecord} ${known[table] ?? ''}`);
  if (!isObject(body)) return found;
  if (table === 'meeting_recaps') {
    const event = beyond(body['event'], knownOfEvent);
    return event === null ? found : { ...found, event };
  }
  // A user that did not fit the schema has no row of their own.
  const { user } = body;
  const isApart = table !== 'organization_memberships' || typeof (user ?? '') === 'string';
  return isApart ? found : { ...found, user };
}

function beyond(record: unknown, names: string): JsonObject | null {
  const keys = new Set(names.split(' '));
  const found = isObject(record) ? Object.entries(record).filter(([key]) => !keys.has(key)) : [];
  return found.length === 0 ? null : Object.fromEntries(found);
}

/** The versions of the fields that lag, under the new name and in the order of their names; undefined when it is not among them. */
function renamed(lagging: unknown): JsonObject | undefined {
  if (!isObject(lagging) || !Object.hasOwn(lagging, 'body')) return undefined;
  const { body, ...others } = lagging;
  return Object.fromEntries(Object.entries({ ...others, extra: body }).sort(([a], [b]) => (a < b ? -1 : 1)));
}
