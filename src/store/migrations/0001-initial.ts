// The first tables. A migration is never edited once released: it lists its own columns, and `tables.ts` shows the sum.
import { sql, type CreateTableBuilder, type Kysely, type RawBuilder, type SqlBool } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { ColumnKind } from '#src/store/columns.ts';
import type { StorageTypes } from './storage-types.ts';

const fold = 'as_of time, version text, lagging json, body json';
const deletable = 'deleted_at time, deleted_source text';
const utm =
  'tracking json, utm_campaign text, utm_source text, utm_medium text, utm_content text, utm_term text, salesforce_uuid text';
const times = 'created_at time, updated_at time';

const ddl: Record<string, { columns: string; key: string[] }> = {
  contacts: {
    key: ['uri'],
    columns: `uri text, name text, primary_email text, emails json, phone_numbers json, timezone text, job_title text, company text,
      country text, state text, city text, linkedin text, custom_fields json, first_email_date time, last_email_date time,
      next_meeting_date time, last_meeting_date time, last_interaction_date time, creation_source text, ${times}, ${deletable}, ${fold}`,
  },
  contact_emails: { key: ['contact_uri', 'email'], columns: 'contact_uri text, email text, is_primary flag' },
  contact_phone_numbers: {
    key: ['contact_uri', 'phone_number'],
    columns: 'contact_uri text, phone_number text, is_primary flag',
  },
  contact_custom_fields: {
    key: ['contact_uri', 'field_uri'],
    columns: 'contact_uri text, field_uri text, label text, value json',
  },
  custom_field_definitions: {
    key: ['uri'],
    columns: `uri text, label text, field_type text, options json, currency text, ${times}, ${fold}`,
  },
  invitees: {
    key: ['uri'],
    columns: `uri text, email text, first_name text, last_name text, name text, status text, event_uri text, timezone text,
      questions_and_answers json, ${utm}, text_reminder_number text, rescheduled flag, old_invitee text, new_invitee text,
      cancel_url text, reschedule_url text, routing_form_submission text, payment json, payment_external_id text, payment_provider text,
      payment_amount number, payment_currency text, payment_terms text, payment_successful flag, no_show json, no_show_uri text,
      no_show_at time, no_show_facts json, reconfirmation json, reconfirmation_sent_at time, reconfirmed_at time, scheduling_method text,
      invitee_scheduled_by text, cancellation json, canceled_by text, cancel_reason text, canceler_type text, canceled_at time,
      ${times}, ${fold}`,
  },
  invitee_answers: {
    key: ['invitee_uri', 'item'],
    columns: 'invitee_uri text, item integer, position integer, question text, answer text',
  },
  no_shows: {
    key: ['invitee_uri', 'marked_at', 'no_show_uri'],
    columns: 'invitee_uri text, marked_at time, no_show_uri text, unmarked_at time',
  },
  scheduled_events: {
    key: ['uri'],
    columns: `uri text, name text, status text, start_time time, end_time time, event_type text, location json, join_url text,
      hosts json, guests json, invitees_counter json, meeting_notes_plain text, meeting_notes_html text, cancellation json, ${times}, ${fold}`,
  },
  event_types: {
    key: ['uri'],
    columns: `uri text, name text, active flag, slug text, scheduling_url text, duration number, kind text, pooling_type text, type text,
      color text, internal_note text, description_plain text, description_html text, profile json, owner_uri text, secret flag,
      booking_method text, custom_questions json, admin_managed flag, locations json, position number, locale text,
      ${times}, ${deletable}, ${fold}`,
  },
  meeting_recaps: {
    key: ['uri'],
    columns: `uri text, event_uri text, event_name text, event_start_time time, event_end_time time, event_location json, attendees json,
      transcript text, summary_md text, action_items_md text, discussion_md text, share_link text, ${times}, ${deletable}, ${fold}`,
  },
  routing_form_submissions: {
    key: ['uri'],
    columns: `uri text, routing_form text, questions_and_answers json, ${utm}, result json, result_type text, submitter text,
      submitter_type text, ${times}, ${fold}`,
  },
  routing_form_answers: {
    key: ['submission_uri', 'item'],
    columns: 'submission_uri text, item integer, question_uuid text, question text, answer text',
  },
  users: { key: ['uri'], columns: `uri text, name text, email text, slug text, timezone text, ${times}, ${fold}` },
  organization_memberships: {
    key: ['uri'],
    columns: `uri text, role text, user_uri text, organization_uri text, ${times}, ${fold}`,
  },
  routing_forms: {
    key: ['uri'],
    columns: `uri text, name text, status text, organization_uri text, questions json, ${times}, ${fold}`,
  },
  webhook_subscriptions: {
    key: ['uri'],
    columns: `uri text, callback_url text, retry_started_at time, state text, events json, scope text, organization text, user text,
      group text, creator text, ${times}, checked_at time`,
  },
  alerts: {
    key: ['id'],
    columns:
      'id text, rule text, subject_uri text, state text, channel text, attempts integer, last_error text, created_at time, updated_at time',
  },
};

// What users look rows up by. `=` marks columns only ever compared for equality, whose values may be longer than a
// PostgreSQL B-tree entry: there they get a hash index, which has no such limit. `where` leaves out rows that
// no query looks for, so that most rows cost no entry.
const indexes: readonly { readonly on: string; readonly columns: string; readonly where?: RawBuilder<SqlBool> }[] = [
  { on: 'contacts', columns: 'updated_at' },
  { on: 'contacts', columns: 'created_at' },
  { on: 'contacts', columns: '=primary_email' },
  { on: 'contact_emails', columns: '=email' },
  { on: 'contact_phone_numbers', columns: '=phone_number' },
  { on: 'contact_custom_fields', columns: '=field_uri' },
  { on: 'invitees', columns: '=email' },
  { on: 'invitees', columns: '=event_uri' },
  { on: 'invitees', columns: '=routing_form_submission', where: sql`routing_form_submission is not null` },
  { on: 'invitees', columns: '=old_invitee', where: sql`old_invitee is not null` },
  { on: 'invitees', columns: '=new_invitee', where: sql`new_invitee is not null` },
  { on: 'invitees', columns: 'created_at' },
  { on: 'no_shows', columns: 'marked_at' },
  { on: 'scheduled_events', columns: 'start_time' },
  { on: 'scheduled_events', columns: '=event_type' },
  { on: 'meeting_recaps', columns: '=event_uri' },
  { on: 'routing_form_submissions', columns: '=routing_form' },
  { on: 'routing_form_submissions', columns: 'created_at' },
  { on: 'event_log', columns: '=subject_uri', where: sql`subject_uri is not null` },
  { on: 'event_log', columns: 'outcome, seq', where: sql`outcome in ('quarantined', 'unhandled')` },
  { on: 'event_log', columns: 'event, seq' },
];

export function initial(types: StorageTypes): Migration {
  return {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('event_log')
        .addColumn('seq', sql.raw(types.serial), (column) => {
          const key = column.notNull().primaryKey();
          return types.autoIncrement ? key.autoIncrement() : key;
        })
        .addColumn('delivery_id', 'text', (column) => column.notNull().unique())
        .addColumn('source', 'text', (column) => column.notNull())
        .addColumn('event', 'text')
        .addColumn('subject_uri', 'text')
        .addColumn('occurred_at', sql.raw(types.time))
        .addColumn('received_at', sql.raw(types.time), (column) => column.notNull())
        .addColumn('outcome', 'text', (column) => column.notNull())
        .addColumn('reason', 'text')
        .addColumn('duplicates', sql.raw(types.integer), (column) => column.notNull().defaultTo(0))
        .addColumn('changes', sql.raw(types.json))
        .addColumn('body', 'text')
        .addColumn('encoding', 'text')
        .addColumn('tie', 'text', (column) => column.notNull())
        .addColumn('redacted', sql.raw(types.flag), (column) => column.notNull().defaultTo(sql`false`))
        .execute();
      for (const [name, { columns, key }] of Object.entries(ddl)) {
        let create: CreateTableBuilder<string, string> = db.schema.createTable(name);
        create = create.addPrimaryKeyConstraint(`${name}_pk`, key);
        for (const column of columns.split(',')) {
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the lists above are pairs of a name and a kind
          const [field, kind] = column.trim().split(/\s+/) as [string, ColumnKind];
          create = create.addColumn(field, sql.raw(types[kind]), (c) => (key.includes(field) ? c.notNull() : c));
        }
        const isChild = key.length > 1;
        await (isChild && types.childTables ? create.modifyEnd(sql.raw(types.childTables)) : create).execute();
      }
      for (const { on, columns, where } of indexes) {
        const names = columns.replace('=', '').split(', ');
        let create = db.schema
          .createIndex(`${on}_${names.join('_')}`)
          .on(on)
          .columns(names);
        if (columns.startsWith('=') && types.equalityIndex) create = create.using(types.equalityIndex);
        await (where ? create.where(where) : create).execute();
      }
    },
  };
}
