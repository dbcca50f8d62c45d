// The tables and indexes of a mirror. Until 0.1.0 this file is edited in place; afterwards a change is a migration of its own.
import type { StorageTypes } from './storage-types.ts';

/** Each table with its key and its columns; `!` is for `not null`. A column that an upsert may leave out stays nullable. */
const tables = `
contacts (uri) uri:text! name:text primary_email:text emails:json phone_numbers:json timezone:text job_title:text company:text
  country:text state:text city:text linkedin:text custom_fields:json creation_source:text owner_uuid:text
  first_email_date:time last_email_date:time next_meeting_date:time last_meeting_date:time last_interaction_date:time
  created_at:time updated_at:time deleted_at:time deleted_source:text as_of:time version:text lagging:json extra:json
contact_emails (contact_uri email) contact_uri:text! email:text! is_primary:flag
contact_phone_numbers (contact_uri phone_number) contact_uri:text! phone_number:text! is_primary:flag
custom_field_definitions (uri) uri:text! label:text field_type:text options:json currency:text created_at:time updated_at:time
  deleted_at:time as_of:time version:text lagging:json extra:json
users (uri) uri:text! name:text email:text slug:text timezone:text created_at:time updated_at:time as_of:time version:text
  lagging:json extra:json
organization_memberships (uri) uri:text! role:text user_uri:text organization_uri:text created_at:time updated_at:time
  deleted_at:time as_of:time version:text lagging:json extra:json
scheduled_events (uri) uri:text! name:text status:text start_time:time end_time:time event_type:text location:json
  join_url:text hosts:json guests:json invitees_counter:json meeting_notes_plain:text meeting_notes_html:text
  cancellation:json canceler_type:text canceled_at:time created_at:time updated_at:time as_of:time version:text lagging:json
  extra:json
invitees (uri) uri:text! email:text first_name:text last_name:text name:text status:text timezone:text event_uri:text
  questions_and_answers:json tracking:json utm_campaign:text utm_source:text utm_medium:text utm_content:text utm_term:text
  salesforce_uuid:text text_reminder_number:text rescheduled:flag old_invitee:text new_invitee:text cancel_url:text
  reschedule_url:text routing_form_submission:text payment:json payment_external_id:text payment_provider:text
  payment_amount:number payment_currency:text payment_terms:text payment_successful:flag no_show:json no_show_uri:text
  no_show_at:time no_show_facts:json reconfirmation:json reconfirmation_sent_at:time reconfirmed_at:time
  scheduling_method:text invitee_scheduled_by:text cancellation:json canceled_by:text cancel_reason:text canceler_type:text
  canceled_at:time attendance_confirmed_at:time attendance_confirmed_by:text attendance_entry:text created_at:time
  updated_at:time as_of:time version:text lagging:json extra:json
no_shows (invitee_uri marked_at no_show_uri) invitee_uri:text! marked_at:time! no_show_uri:text! unmarked_at:time
event_types (uri) uri:text! name:text active:flag slug:text scheduling_url:text duration:number kind:text pooling_type:text
  type:text color:text internal_note:text description_plain:text description_html:text profile:json owner_uri:text secret:flag
  booking_method:text custom_questions:json admin_managed:flag locations:json position:number locale:text created_at:time
  updated_at:time deleted_at:time deleted_source:text as_of:time version:text lagging:json extra:json
meeting_recaps (uri) uri:text! event_uri:text event_name:text event_start_time:time event_end_time:time event_location:json
  attendees:json transcript:text speakers:json summary_md:text action_items_md:text discussion_md:text share_link:text
  created_at:time updated_at:time deleted_at:time deleted_source:text as_of:time version:text lagging:json extra:json
routing_forms (uri) uri:text! name:text status:text organization_uri:text questions:json created_at:time updated_at:time
  deleted_at:time as_of:time version:text lagging:json extra:json
routing_form_submissions (uri) uri:text! routing_form:text questions_and_answers:json tracking:json utm_campaign:text
  utm_source:text utm_medium:text utm_content:text utm_term:text salesforce_uuid:text result:json result_type:text
  submitter:text submitter_type:text created_at:time updated_at:time as_of:time version:text lagging:json extra:json
event_log (seq) seq:integer! delivery_id:text! source:text! event:text subject_uri:text occurred_at:time received_at:time!
  outcome:text! reason:text duplicates:integer! changes:json body:text encoding:text tie:text! redacted:flag!
  dismissed_at:time
webhook_subscriptions (uri) uri:text! callback_url:text state:text scope:text organization:text user:text group:text
  creator:text events:json retry_started_at:time created_at:time updated_at:time checked_at:time
alerts (id) id:text! rule:text subject_uri:text state:text channel:text attempts:integer last_error:text fact:text
  digest:text detail:text posted:json episode:integer occurred_at:time due_at:time next_at:time claimed_at:time sent_at:time
  created_at:time updated_at:time
contacts_wide_columns (field_uri) field_uri:text! column_name:text! position:integer! label:text field_type:text
time_zones (name starts_at) name:text! starts_at:time! offset_seconds:integer!
mirror_settings (id) id:text! origin:text organization:text owner:text erase_on_delete:flag retention_days:integer events:text
  report_timezone:text currency_fields:text settled_at:time revision:integer!
key_values (key) key:text! value:json
sync_checkpoints (key) key:text! value:json
processes (id) id:text! role:text! host:text! pid:integer! version:text! admin_url:text! started_at:time! seen_at:time!
  queue:text queue_waiting:integer queue_active:integer queue_failed:integer queue_oldest_at:time active_oldest_at:time
  queue_losses:integer spool_deliveries:integer spool_since:time journal_batches:integer journal_full:flag low_disks:text
  accepted:integer refused:integer refused_stale:integer lag_p50_ms:integer lag_p99_ms:integer last_batch_at:time
  machine:text
admin_actions (id) id:text! at:time! caller:text! address:text! operation:text! target:text input:json result:json
  status:integer
feed_consumers (name) name:text! position:integer! updated_at:time!
booking_invitees (invitee_uri) invitee_uri:text! booking_uri:text! position:integer first_invitee:text! is_first:flag! is_last:flag!
  count:integer! moves:integer! mirrored:flag!
`;

// A column that is only compared for equality has a hash index on PostgreSQL: a B-tree takes no long values.
const indexes = `
contact_emails_email on contact_emails using hash (email)
contact_emails_other_address on contact_emails using hash (lower(email collate "C")) where email <> lower(email collate "C")
contact_phone_numbers_phone_number on contact_phone_numbers using hash (phone_number)
invitees_created_at on invitees (created_at)
invitees_email on invitees using hash (email)
invitees_event_uri on invitees using hash (event_uri)
invitees_no_show_at on invitees (no_show_at) where no_show_at is not null
invitees_marked_address on invitees using hash (lower(email collate "C")) where no_show_uri is not null
invitees_new_invitee on invitees using hash (new_invitee) where new_invitee is not null
invitees_old_invitee on invitees using hash (old_invitee) where old_invitee is not null
invitees_other_address on invitees using hash (lower(email collate "C")) where email <> lower(email collate "C")
invitees_routing_form_submission on invitees using hash (routing_form_submission) where routing_form_submission is not null
meeting_recaps_created_at on meeting_recaps (created_at)
meeting_recaps_transcript_pending on meeting_recaps (event_start_time) where transcript is not null and speakers is null and deleted_at is null
meeting_recaps_event_uri on meeting_recaps using hash (event_uri)
no_shows_marked_at on no_shows (marked_at)
routing_form_submissions_created_at on routing_form_submissions (created_at)
scheduled_events_link_pending on scheduled_events (end_time) where location ->> 'status' in ('initiated', 'processing')
scheduled_events_start_time on scheduled_events (start_time)
event_log_event_seq on event_log (event, seq)
event_log_received_at on event_log (received_at, event, outcome, source, seq)
event_log_outcome_seq on event_log (outcome, seq, dismissed_at) where outcome in ('quarantined', 'unhandled')
event_log_subject_uri on event_log using hash (subject_uri) where subject_uri is not null
admin_actions_at on admin_actions (at)
alerts_claimed on alerts (next_at) where claimed_at is not null
alerts_rule_occurred_at on alerts (rule, occurred_at)
alerts_subject_uri on alerts using hash (subject_uri)
alerts_waiting on alerts (next_at) where state in ('pending', 'retracting')
booking_invitees_booking_uri on booking_invitees using hash (booking_uri)
`;

// Of the beginning of a text only, for the same reason. An invitee's URI leads through its event's, which is not known to a search.
const indexesOnPostgres = `
invitees_uri_end on invitees (right(uri, 12))
contacts_created_at on contacts (created_at, uri collate "C")
`;

// With all that a search of contacts compares, so that it reads this index and not the rows.
const indexesOnSqlite = `
invitees_uri_end on invitees (substr(uri, -12))
contacts_created_at on contacts (created_at, uri, name, job_title, company, city, timezone, country, state, deleted_at)
`;

const linesOf = (text: string): readonly string[] => text.trim().split(/\n(?! )/);

export function mirrorStatements(types: StorageTypes): readonly string[] {
  const isSqlite = types.engine === 'sqlite';
  const indexed = [...linesOf(indexes), ...linesOf(isSqlite ? indexesOnSqlite : indexesOnPostgres)];
  return [
    ...linesOf(tables).map((table) => tableStatement(types, table)),
    ...indexed.map((index) => indexStatement(types, index)),
    ...(isSqlite ? [] : onPostgres),
  ];
}

const indexStatement = ({ engine }: StorageTypes, index: string): string =>
  `create index ${engine === 'sqlite' ? index.replaceAll(/ using hash| collate "C"/g, '') : index}`;

const defaults: Readonly<Record<string, string>> = { duplicates: ' default 0', redacted: ' default false' };

function tableStatement({ engine, ...types }: StorageTypes, text: string): string {
  const isSqlite = engine === 'sqlite';
  const [, name = '', keyNames = '', columns = ''] = /^(\w+) \(([^)]*)\) (.*)$/s.exec(text) ?? [];
  const keys = keyNames.split(' ');
  const keyText = keys.map((column) => `"${column}"`).join(', ');
  const definitions = columns.split(/\s+/).map((definition) => {
    const [, column = '', kind = '', required] = /^(\w+):(\w+)(!?)$/.exec(definition) ?? [];
    if (column === 'seq') return `"seq" ${types.serial}`;
    // The views look up names in lower case, which PostgreSQL computes by the collation of bytes.
    const collation = !isSqlite && name === 'time_zones' && column === 'name' ? ' collate "C"' : '';
    const type = Object.entries(types).find(([each]) => each === kind)?.[1];
    return `"${column}" ${type}${collation}${required ? ' not null' : ''}${defaults[column] ?? ''}`;
  });
  definitions.push(
    name === 'event_log' ? 'unique ("delivery_id")' : `constraint "${name}_pk" primary key (${keyText})`,
  );
  // SQLite keeps the rows of a child table in its key, beside those of the same parent, instead of in two places.
  return `create table "${name}" (${definitions.join(', ')})${isSqlite && keys.length > 1 ? ' without rowid' : ''}`;
}

const onPostgres =
  // Room in each page for the next version of its rows: an update that changes no indexed column then touches no index (HOT).
  ['contacts', 'invitees', 'scheduled_events'].map((table) => `alter table ${table} set (fillfactor = 85)`);
