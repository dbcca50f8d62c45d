// Every index besides the keys, with the query that needs it; a test compares the list with the database. An index costs every
// writer of its table, so one without a query is dropped, and one on a column that is mostly null is partial. `updated_at` of a
// mirrored table is never indexed: it changes with every update, and PostgreSQL then writes to all indexes of the table.

/** The query, and the engine where only one of them has the index. */
interface IndexUse {
  readonly query: string;
  readonly only?: 'sqlite' | 'postgres';
}

const both = (query: string): IndexUse => ({ query });
const postgres = (query: string): IndexUse => ({ query, only: 'postgres' });

export const indexes: Readonly<Record<string, IndexUse>> = {
  // Mirrored tables.
  contact_emails_email: both('contacts by address: GET /api/contacts?email, people, alerts, erasure'),
  contact_emails_other_address: both('contacts by an address that is not in lower case: people, alerts'),
  contact_phone_numbers_phone_number: both('GET /api/contacts?phone_number'),
  invitees_created_at: both('GET /api/invitees, in order'),
  invitees_email: both(
    'bookings by address: GET /api/invitees?email, GET /api/scheduled_events?invitee_email, people, alerts, erasure',
  ),
  invitees_event_uri: both(
    'bookings of a meeting: GET /api/invitees?event, alerts, no-show rates, late facts of erased people',
  ),
  invitees_marked_address: both('open no-show marks of a person: alerts'),
  invitees_new_invitee: both('the few rescheduled bookings: GET /api/bookings; on SQLite the views of journeys'),
  invitees_old_invitee: both('the few rescheduled bookings: GET /api/bookings; on SQLite the views of journeys'),
  invitees_other_address: both('bookings by an address that is not in lower case: people, alerts'),
  invitees_routing_form_submission: both('bookings of a submission: GET /api/routing'),
  invitees_uri_end: both('GET /api/invitees/{uuid}'),
  meeting_recaps_created_at: both('GET /api/recaps, in order'),
  meeting_recaps_transcript_pending: both('recaps whose transcript was not read: follow-up reads'),
  meeting_recaps_event_uri: both(
    'recaps of a meeting: GET /api/bookings, timelines of contacts, late facts of erased people',
  ),
  no_shows_marked_at: both('GET /api/no_shows, in order'),
  routing_form_submissions_created_at: both('submissions of a period: GET /api/routing, those without a booking'),
  scheduled_events_link_pending: both('meetings whose link is not there yet: follow-up reads, GET /api/sync'),
  scheduled_events_start_time: both('GET /api/scheduled_events, in order; GET /api/bookings by start; no-show rates'),

  // The contact search, which no writer of contacts waits for.
  contact_search_country: postgres('GET /api/contacts?country'),
  contact_search_created_at: both('GET /api/contacts, in order'),
  contact_search_state: postgres('GET /api/contacts?state'),
  contact_search_timezone: postgres('GET /api/contacts?timezone'),
  contact_search_trigrams: postgres('GET /api/contacts by parts of a name, job title, company or city'),
  contact_search_updated_at: both('GET /api/contacts?sort=updated_at, in order'),

  // The log and the outbox of alerts.
  event_log_event_seq: both('GET /api/deliveries?event; the erasures, at every start'),
  event_log_outcome_seq: both('the quarantine'),
  event_log_subject_uri: both('the history of a row: why, redaction of deleted contacts, GET /api/feed?subject_uri'),
  admin_actions_at: both('GET /api/actions, in order'),
  alerts_claimed: both('alerts that are being sent'),
  alerts_rule_occurred_at: both('alerts by rule and time: listings, bookings that were alerted'),
  alerts_subject_uri: both('alerts about a booking: watcher, erasure'),
  alerts_waiting: both('alerts that are due'),
};
