// Which columns a field fills, for the oracle: written from the list of tables that users are promised.
import type { Json, Record_ } from '../harness/data/normal-facts.ts';

export type OracleTable =
  | 'contacts'
  | 'custom_field_definitions'
  | 'invitees'
  | 'scheduled_events'
  | 'event_types'
  | 'meeting_recaps'
  | 'organization_memberships'
  | 'routing_form_submissions'
  | 'routing_forms'
  | 'users';
type Columns = Record<string, (value: Json) => Record_>;

const part = (value: Json | undefined, key: string): Json => (value as Record_ | null | undefined)?.[key] ?? null;
const list = (value: Json | undefined): Record_[] => (Array.isArray(value) ? (value as Record_[]) : []);
const same = (names: string): Columns =>
  Object.fromEntries(names.split(' ').map((name) => [name, (value) => ({ [name]: value })]));
const parts = (whole: string, named: Record<string, string>) => (value: Json) => ({
  [whole]: value,
  ...Object.fromEntries(Object.entries(named).map(([column, key]) => [column, part(value, key)])),
});
const tags = 'utm_campaign utm_source utm_medium utm_content utm_term salesforce_uuid'.split(' ');
const tracking = parts('tracking', Object.fromEntries(tags.map((tag) => [tag, tag])));

export const fieldColumns: Record<OracleTable, Columns> = {
  contacts: {
    ...same('name timezone job_title company country state city linkedin creation_source phone_numbers custom_fields'),
    ...same(
      'created_at updated_at first_email_date last_email_date next_meeting_date last_meeting_date last_interaction_date extra',
    ),
    emails: (emails) => ({
      emails,
      primary_email: (list(emails).find((entry) => entry['is_primary'] === true) ?? list(emails)[0])?.['email'] ?? null,
      deleted_at: null,
      deleted_source: null,
    }),
    user_uuid: (owner_uuid) => ({ owner_uuid }),
  },
  invitees: {
    ...same(
      'email first_name last_name name status timezone text_reminder_number cancel_url reschedule_url rescheduled',
    ),
    ...same(
      'routing_form_submission scheduling_method invitee_scheduled_by old_invitee new_invitee questions_and_answers',
    ),
    ...same('created_at updated_at extra'),
    event: (event_uri) => ({ event_uri }),
    tracking,
    payment: (payment) => ({
      payment,
      payment_external_id: part(payment, 'external_id'),
      payment_provider: part(payment, 'provider'),
      payment_amount: part(payment, 'amount'),
      payment_currency: part(payment, 'currency'),
      payment_terms: part(payment, 'terms'),
      payment_successful: part(payment, 'successful'),
    }),
    reconfirmation: parts('reconfirmation', { reconfirmation_sent_at: 'created_at', reconfirmed_at: 'confirmed_at' }),
    cancellation: parts('cancellation', {
      canceled_by: 'canceled_by',
      cancel_reason: 'reason',
      canceler_type: 'canceler_type',
      canceled_at: 'created_at',
    }),
  },
  scheduled_events: {
    ...same('name status event_type meeting_notes_plain meeting_notes_html start_time end_time created_at updated_at'),
    ...same('invitees_counter extra'),
    location: parts('location', { join_url: 'join_url' }),
    event_memberships: (hosts) => ({ hosts }),
    event_guests: (guests) => ({ guests }),
    cancellation: parts('cancellation', { canceler_type: 'canceler_type', canceled_at: 'created_at' }),
  },
  event_types: {
    ...same('name slug scheduling_url kind pooling_type type color internal_note description_plain description_html'),
    ...same(
      'booking_method locale active secret admin_managed duration position created_at updated_at custom_questions locations extra',
    ),
    profile: (profile) => ({ profile, owner_uri: part(profile, 'owner'), deleted_at: null, deleted_source: null }),
  },
  meeting_recaps: {
    ...same('summary_md action_items_md discussion_md share_link created_at updated_at speakers extra'),
    ...same('event_uri event_name event_start_time event_end_time event_location attendees'),
    transcript: (transcript) => ({ transcript, deleted_at: null, deleted_source: null }),
  },
  routing_form_submissions: {
    ...same('routing_form submitter submitter_type created_at updated_at questions_and_answers extra'),
    tracking,
    result: parts('result', { result_type: 'type' }),
  },
  routing_forms: {
    ...same('name status questions created_at updated_at deleted_at extra'),
    organization: (organization_uri) => ({ organization_uri }),
  },
  custom_field_definitions: same('label field_type options currency created_at updated_at deleted_at extra'),
  users: same('name email slug timezone created_at updated_at extra'),
  organization_memberships: {
    ...same('role created_at updated_at deleted_at extra'),
    user: (user) => ({ user_uri: typeof user === 'string' ? user : part(user, 'uri') }),
    organization: (organization_uri) => ({ organization_uri }),
  },
};

/** Keys without a field of their own that are known all the same. */
const alsoKnown = ['uri', 'deleted_at', 'no_show', 'canceled'];

/** Where a recap shows the facts of its meeting. */
export const meetingColumns = {
  uri: 'event_uri',
  name: 'event_name',
  start_time: 'event_start_time',
  end_time: 'event_end_time',
  location: 'event_location',
  attendees: 'attendees',
};

/** What no column shows of a record. */
export function beyondColumns(table: OracleTable, { ...record }: Record_): Record_ | null {
  const names = [...Object.keys(fieldColumns[table]).filter((name) => name !== 'extra'), ...alsoKnown];
  const event = table === 'meeting_recaps' && record['event'] ? ({ ...(record['event'] as Record_) } as Record_) : {};
  for (const name of names) delete record[name];
  for (const name of Object.keys(meetingColumns)) delete event[name];
  if (table === 'meeting_recaps') delete record['event'];
  if (Object.keys(event).length > 0) record['event'] = event;
  return Object.keys(record).length > 0 ? record : null;
}

export function tableOf(event: string): OracleTable {
  const [about = ''] = event.split('.');
  if (about === 'invitee_no_show') return 'invitees';
  return about === 'meeting_recap_transcript' ? 'meeting_recaps' : (`${about}s` as OracleTable);
}

export function childRows(table: OracleTable, uri: string, row: Record_): [table: string, rows: Record_[]][] {
  if (table === 'contacts') {
    return [
      [
        'contact_emails',
        lastOfEach(row['emails'], 'email').map((entry) => ({
          contact_uri: uri,
          email: part(entry, 'email'),
          is_primary: entry['is_primary'] === true,
        })),
      ],
      [
        'contact_phone_numbers',
        lastOfEach(row['phone_numbers'], 'phone_number').map((entry) => ({
          contact_uri: uri,
          phone_number: part(entry, 'phone_number'),
          is_primary: false,
        })),
      ],
      [
        'contact_custom_fields',
        lastOfEach(row['custom_fields'], 'uri').map((entry) => ({
          contact_uri: uri,
          field_uri: part(entry, 'uri'),
          label: part(entry, 'label'),
          value: part(entry, 'value'),
        })),
      ],
    ];
  }
  const answers = (parent: string, keys: readonly string[]) =>
    list(row['questions_and_answers']).map((entry, item) => ({
      [parent]: uri,
      item,
      ...Object.fromEntries(keys.map((key) => [key, part(entry, key)])),
    }));
  if (table === 'invitees') return [['invitee_answers', answers('invitee_uri', ['position', 'question', 'answer'])]];
  if (table === 'routing_form_submissions')
    return [['routing_form_answers', answers('submission_uri', ['question_uuid', 'question', 'answer'])]];
  return [];
}

function lastOfEach(entries: Json | undefined, key: string): Record_[] {
  return list(entries).filter((entry, index, all) => all.findLastIndex((other) => other[key] === entry[key]) === index);
}
