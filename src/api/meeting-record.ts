// Meetings and invitees as the service shows them, made of their rows.
import { isObject } from '#schemas/wire.ts';
import type { Json } from '#src/store/columns.ts';
import type { StoredRow } from '#src/store/rows.ts';

const only = (value: Json | undefined, ...names: readonly string[]) =>
  isObject(value) ? Object.fromEntries(names.map((name) => [name, value[name] ?? null])) : null;
const each = (value: Json | undefined, ...names: readonly string[]) =>
  (Array.isArray(value) ? value : []).filter(isObject).map((entry) => only(entry as Json, ...names));
const same = (row: StoredRow, ...names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, row[name] ?? null]));

export function scheduledEventRecord(row: StoredRow): object {
  return {
    ...same(row, 'uri', 'name', 'meeting_notes_plain', 'meeting_notes_html', 'status', 'start_time', 'end_time'),
    ...same(row, 'event_type', 'location'),
    invitees_counter: only(row['invitees_counter'], 'total', 'active', 'limit'),
    ...same(row, 'created_at', 'updated_at'),
    event_memberships: each(row['hosts'], 'user', 'user_email', 'user_name'),
    event_guests: each(row['guests'], 'email', 'created_at', 'updated_at'),
    ...cancellation(row),
  };
}

export function inviteeRecord(row: StoredRow): object {
  return {
    ...same(row, 'uri', 'email', 'first_name', 'last_name', 'name', 'status'),
    questions_and_answers: each(row['questions_and_answers'], 'question', 'answer', 'position'),
    timezone: row['timezone'] ?? null,
    event: row['event_uri'] ?? null,
    ...same(row, 'created_at', 'updated_at'),
    tracking: same(row, 'utm_campaign', 'utm_source', 'utm_medium', 'utm_content', 'utm_term', 'salesforce_uuid'),
    text_reminder_number: row['text_reminder_number'] ?? null,
    rescheduled: row['rescheduled'] === true,
    ...same(row, 'old_invitee', 'new_invitee', 'cancel_url', 'reschedule_url', 'routing_form_submission'),
    payment: only(row['payment'], 'external_id', 'provider', 'amount', 'currency', 'terms', 'successful'),
    no_show: row['no_show_uri'] ? { uri: row['no_show_uri'], created_at: row['no_show_at'] ?? null } : null,
    reconfirmation: only(row['reconfirmation'], 'created_at', 'confirmed_at'),
    ...same(row, 'scheduling_method', 'invitee_scheduled_by'),
    ...cancellation(row),
  };
}

const cancellation = ({ cancellation: said }: StoredRow) =>
  isObject(said) ? { cancellation: only(said as Json, 'canceled_by', 'reason', 'canceler_type', 'created_at') } : {};
