// Every table on one page. The first migration creates them from here; what a later one adds is listed here too.
// `as_of version lagging extra` is what every mirrored row carries for the fold: when its newest fact was observed, its
// greatest version, the fields that lag behind it, and the fields of the service that have no column.
import { table, wordsOf, type DatabaseRow, type Row, type Words, type WordsAmong } from './columns.ts';

export const tables = {
  /** The truth. `body` is the raw body as it came (text: it must stay what was signed), a stub once `redacted`. */
  event_log: table(
    'seq',
    {
      integer: 'seq duplicates',
      text: 'delivery_id source event subject_uri outcome reason body encoding tie',
      time: 'occurred_at received_at dismissed_at',
      json: 'changes',
      flag: 'redacted',
    },
    'delivery_id source received_at outcome duplicates tie redacted',
  ),

  contacts: table('uri', {
    text: 'uri name primary_email timezone job_title company country state city linkedin creation_source owner_uuid deleted_source version',
    json: 'emails phone_numbers custom_fields lagging extra',
    time: 'first_email_date last_email_date next_meeting_date last_meeting_date last_interaction_date created_at updated_at deleted_at as_of',
  }),
  contact_emails: table('contact_uri email', { text: 'contact_uri email', flag: 'is_primary' }),
  contact_phone_numbers: table('contact_uri phone_number', { text: 'contact_uri phone_number', flag: 'is_primary' }),
  custom_field_definitions: table('uri', {
    text: 'uri label field_type currency version',
    json: 'options lagging extra',
    time: 'created_at updated_at deleted_at as_of',
  }),

  /** `no_show_facts` is what the columns about no-shows and attendance are derived from (`projections/no-show.ts`). */
  invitees: table('uri', {
    text: 'uri email first_name last_name name status timezone event_uri utm_campaign utm_source utm_medium utm_content utm_term salesforce_uuid text_reminder_number old_invitee new_invitee cancel_url reschedule_url routing_form_submission payment_external_id payment_provider payment_currency payment_terms no_show_uri scheduling_method invitee_scheduled_by canceled_by cancel_reason canceler_type attendance_confirmed_by attendance_entry version',
    json: 'questions_and_answers tracking payment no_show no_show_facts reconfirmation cancellation lagging extra',
    time: 'no_show_at attendance_confirmed_at reconfirmation_sent_at reconfirmed_at canceled_at created_at updated_at as_of',
    flag: 'rescheduled payment_successful',
    number: 'payment_amount',
  }),
  no_shows: table('invitee_uri marked_at no_show_uri', {
    text: 'invitee_uri no_show_uri',
    time: 'marked_at unmarked_at',
  }),
  /** `invitees_counter` is advisory: several invitees speak about the same event. */
  scheduled_events: table('uri', {
    text: 'uri name status event_type join_url meeting_notes_plain meeting_notes_html version',
    json: 'location hosts guests invitees_counter cancellation lagging extra',
    time: 'start_time end_time created_at updated_at as_of',
  }),

  event_types: table('uri', {
    text: 'uri name slug scheduling_url kind pooling_type type color internal_note description_plain description_html owner_uri booking_method locale deleted_source version',
    json: 'profile custom_questions locations lagging extra',
    time: 'created_at updated_at deleted_at as_of',
    flag: 'active secret admin_managed',
    number: 'duration position',
  }),
  meeting_recaps: table('uri', {
    text: 'uri event_uri event_name transcript summary_md action_items_md discussion_md share_link deleted_source version',
    json: 'event_location attendees speakers lagging extra',
    time: 'event_start_time event_end_time created_at updated_at deleted_at as_of',
  }),
  routing_form_submissions: table('uri', {
    text: 'uri routing_form result_type submitter submitter_type utm_campaign utm_source utm_medium utm_content utm_term salesforce_uuid version',
    json: 'questions_and_answers tracking result lagging extra',
    time: 'created_at updated_at as_of',
  }),

  users: table('uri', {
    text: 'uri name email slug timezone version',
    json: 'lagging extra',
    time: 'created_at updated_at as_of',
  }),
  organization_memberships: table('uri', {
    text: 'uri role user_uri organization_uri version',
    json: 'lagging extra',
    time: 'created_at updated_at deleted_at as_of',
  }),
  routing_forms: table('uri', {
    text: 'uri name status organization_uri version',
    json: 'questions lagging extra',
    time: 'created_at updated_at deleted_at as_of',
  }),
  webhook_subscriptions: table(
    'uri',
    {
      text: 'uri callback_url state scope organization user group creator',
      json: 'events',
      time: 'retry_started_at created_at updated_at checked_at',
    },
    'checked_at',
  ),
  /** The contacts that are not deleted, as a search compares them. Triggers of the database keep it equal to `contacts`. */
  contact_search: table('uri', {
    text: 'uri name job_title company city timezone country state',
    time: 'created_at updated_at',
  }),
  /** One row per booking with all its reschedules. It follows the log (`bookings/booking-follower.ts`). */
  bookings: table(
    'journey_uri',
    {
      text: 'journey_uri first_invitee last_invitee event_uri event_type event_name first_event_type first_event_name host host_name invitee_email invitee_name invitee_timezone utm_source utm_medium utm_campaign utm_content utm_term canceler_type cancel_reason ending no_show_uri scheduling_method routing_form_submission location_kind payment_provider payment_external_id payment_currency evidence evidence_recap evidence_entry',
      json: 'hosts',
      time: 'booked_at first_start_time start_time end_time canceled_at no_show_at',
      integer: 'invitees moves changed_seq',
      flag: 'payment_successful',
      number: 'payment_amount',
    },
    'first_invitee last_invitee invitees moves evidence changed_seq',
  ),
  /** The booking that each invitee of a rescheduled one belongs to, and its number in it, from 1. Others are bookings of their own. */
  booking_invitees: table(
    'invitee_uri',
    { text: 'invitee_uri journey_uri', integer: 'position' },
    'journey_uri position',
  ),
  /** One row is one alert to one channel; it names no person. `alerts/alert-rows.ts` explains the columns. */
  alerts: table(
    'id',
    {
      text: 'id rule subject_uri state channel last_error fact digest detail',
      json: 'posted',
      integer: 'attempts episode',
      time: 'occurred_at due_at next_at claimed_at sent_at created_at updated_at',
    },
    'rule subject_uri state channel attempts fact episode occurred_at due_at next_at created_at updated_at',
  ),
  /** One row: the id of the mirror, its account, and the settings that its processes share (`shared-settings.ts`). */
  mirror_settings: table(
    'id',
    {
      text: 'id origin organization owner events report_timezone currency_fields',
      flag: 'erase_on_delete',
      integer: 'retention_days revision',
      time: 'settled_at',
    },
    'revision',
  ),
  /** The program's own state: leases, alert state, gaps, results of jobs, the erasure key. */
  key_values: table('key', { text: 'key', json: 'value' }),
  /** Resume positions of backfills and sweeps. */
  sync_checkpoints: table('key', { text: 'key', json: 'value' }),
  /** The running processes, and those that ended lately without removing their row (`processes.ts`). */
  processes: table(
    'id',
    {
      text: 'id role host version admin_url queue low_disks machine',
      integer:
        'pid queue_waiting queue_active queue_failed queue_losses spool_deliveries journal_batches accepted refused refused_stale lag_p50_ms lag_p99_ms',
      time: 'started_at seen_at queue_oldest_at active_oldest_at spool_since last_batch_at',
      flag: 'journal_full',
    },
    'role host version admin_url pid started_at seen_at',
  ),
  /** What operators did through the admin listener (`admin-actions.ts`). */
  admin_actions: table(
    'id',
    { text: 'id caller address operation target', json: 'input result', integer: 'status', time: 'at' },
    'at caller address operation',
  ),
  /** The column of `contacts_wide` that belongs to each custom field (`views/custom-columns.ts`). */
  contacts_wide_columns: table(
    'field_uri',
    { text: 'field_uri column_name label field_type', integer: 'position' },
    'column_name position',
  ),
  /** When each time zone was how far ahead of UTC (`time-zones.ts`). */
  time_zones: table('name starts_at', { text: 'name', time: 'starts_at', integer: 'offset_seconds' }, 'offset_seconds'),
  /** How far named readers of the log have come. */
  feed_consumers: table('name', { text: 'name', integer: 'position', time: 'updated_at' }, 'position updated_at'),
};

export const utmColumns = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_content', 'utm_term'] as const;

export type TableName = keyof typeof tables;
/** A row as the program uses it. Of a union of tables: the columns they have in common. */
export type TableRow<Name extends TableName> = Row<(typeof tables)[Name]>;
/** Any column of the table; of a union of tables, any column of any of them. */
export type ColumnName<Name extends TableName> = Name extends TableName ? keyof TableRow<Name> & string : never;
export type KeyName<Name extends TableName> = (typeof tables)[Name]['key'][number] & keyof TableRow<Name>;
/** A row to be written: its key, and any other columns; those left out become null. */
export type NewRow<Name extends TableName> = Pick<TableRow<Name>, KeyName<Name>> & {
  [Column in keyof TableRow<Name>]?: TableRow<Name>[Column] | undefined;
};

/** The tables as Kysely sees them: columns in the form in which the engine stores them (`StoreEngine.encode`). */
export type Database = { [Name in TableName]: DatabaseRow<(typeof tables)[Name]> };

/** Columns of a table, checked by the compiler: `columnsOf('contacts', 'name timezone')`. */
export function columnsOf<Name extends TableName, const Text extends string>(
  _table: Name,
  names: Text & WordsAmong<Text, ColumnName<Name>>,
): readonly Words<Text>[] {
  return wordsOf<Text>(names);
}
