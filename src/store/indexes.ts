// Every index besides the keys, with the query that needs it; a test compares the list with the database. An index costs every
// writer of its table, so one without a query is dropped, and one on a column that is mostly null is partial. `updated_at` of a
// mirrored table is never indexed: it changes with every update, and PostgreSQL then writes to all indexes of the table.

/** What the index is on, where the engine has it, and the query. */
interface Index {
  readonly query: string;
  readonly postgres: string;
  readonly sqlite?: string;
}

// A column that is only compared for equality has a hash index on PostgreSQL: a B-tree takes no long values.
const both = (
  postgres: string,
  query: string,
  sqlite = postgres.replaceAll(/ using hash| collate "C"/g, ''),
): Index => ({
  query,
  postgres,
  sqlite,
});
const postgresOnly = (postgres: string, query: string): Index => ({ query, postgres });

const lowerCase = 'lower(email collate "C")';
// With all that a search compares, so that a scan in order never touches the rows.
const searched = 'uri, name, job_title, company, city, timezone, country, state';
// U+212A and U+0130 are the only characters beyond ASCII whose small letters are within it.
const trigrams = ['name', 'job_title', 'company', 'city']
  .map((name) => `translate(${name}, U&'\\212A\\0130', 'ki') gin_trgm_ops`)
  .join(', ');

export const indexes = {
  // Mirrored tables.
  contact_emails_email: both(
    'contact_emails using hash (email)',
    'contacts by address: GET /api/contacts?email, people, alerts, erasure',
  ),
  // Few addresses are not in lower case.
  contact_emails_other_address: both(
    `contact_emails using hash (${lowerCase}) where email <> ${lowerCase}`,
    'contacts by an address that is not in lower case: people, alerts',
  ),
  contact_phone_numbers_phone_number: both(
    'contact_phone_numbers using hash (phone_number)',
    'GET /api/contacts?phone_number',
  ),
  invitees_created_at: both('invitees (created_at)', 'GET /api/invitees, in order'),
  invitees_email: both(
    'invitees using hash (email)',
    'bookings by address: GET /api/invitees?email, GET /api/scheduled_events?invitee_email, people, alerts, erasure',
  ),
  invitees_event_uri: both(
    'invitees using hash (event_uri)',
    'bookings of a meeting: GET /api/invitees?event, alerts, no-show rates, late facts of erased people',
  ),
  invitees_marked_address: both(
    `invitees using hash (${lowerCase}) where no_show_uri is not null`,
    'open no-show marks of a person: alerts',
  ),
  invitees_new_invitee: both(
    'invitees using hash (new_invitee) where new_invitee is not null',
    'the few rescheduled bookings: GET /api/bookings; on SQLite the views of journeys',
  ),
  invitees_old_invitee: both(
    'invitees using hash (old_invitee) where old_invitee is not null',
    'the few rescheduled bookings: GET /api/bookings; on SQLite the views of journeys',
  ),
  invitees_other_address: both(
    `invitees using hash (${lowerCase}) where email <> ${lowerCase}`,
    'bookings by an address that is not in lower case: people, alerts',
  ),
  invitees_routing_form_submission: both(
    'invitees using hash (routing_form_submission) where routing_form_submission is not null',
    'bookings of a submission: GET /api/routing',
  ),
  // An invitee's URI leads through its event's, so the event has to be known to ask for the row by its key.
  invitees_uri_end: both('invitees (right(uri, 12))', 'GET /api/invitees/{uuid}', 'invitees (substr(uri, -12))'),
  meeting_recaps_created_at: both('meeting_recaps (created_at)', 'GET /api/recaps, in order'),
  meeting_recaps_transcript_pending: both(
    'meeting_recaps (event_start_time) where transcript is not null and speakers is null and deleted_at is null',
    'recaps whose transcript was not read: follow-up reads',
  ),
  meeting_recaps_event_uri: both(
    'meeting_recaps using hash (event_uri)',
    'recaps of a meeting: GET /api/bookings, timelines of contacts, late facts of erased people',
  ),
  no_shows_marked_at: both('no_shows (marked_at)', 'GET /api/no_shows, in order'),
  routing_form_submissions_created_at: both(
    'routing_form_submissions (created_at)',
    'submissions of a period: GET /api/routing, those without a booking',
  ),
  scheduled_events_link_pending: both(
    `scheduled_events (end_time) where location ->> 'status' in ('initiated', 'processing')`,
    'meetings whose link is not there yet: follow-up reads, the page of the comparisons',
  ),
  scheduled_events_start_time: both(
    'scheduled_events (start_time)',
    'GET /api/scheduled_events, in order; GET /api/bookings by start; no-show rates',
  ),

  // The contact search, which no writer of contacts waits for. Of the beginning of a text only: a B-tree takes no long values.
  contact_search_country: postgresOnly('contact_search (left(country, 100))', 'GET /api/contacts?country'),
  contact_search_created_at: both(
    'contact_search (created_at, uri collate "C")',
    'GET /api/contacts, in order',
    `contact_search (created_at, ${searched})`,
  ),
  contact_search_state: postgresOnly('contact_search (left(state, 100))', 'GET /api/contacts?state'),
  contact_search_timezone: postgresOnly('contact_search (left(timezone, 100))', 'GET /api/contacts?timezone'),
  contact_search_trigrams: postgresOnly(
    `contact_search using gin (${trigrams})`,
    'GET /api/contacts by parts of a name, job title, company or city',
  ),
  contact_search_updated_at: both(
    'contact_search (updated_at, uri collate "C")',
    'GET /api/contacts?sort=updated_at, in order',
    `contact_search (updated_at, ${searched})`,
  ),

  // The log and the outbox of alerts.
  event_log_event_seq: both('event_log (event, seq)', 'GET /api/deliveries?event; the erasures, at every start'),
  // With all that the counts of a period read, so that they never touch the rows.
  event_log_received_at: both(
    'event_log (received_at, event, outcome, source, seq)',
    'the entries of a period: GET /api/deliveries by time, the counts of GET /api/overview',
  ),
  // With the time of dismissal, so that what waits is counted without its rows.
  event_log_outcome_seq: both(
    `event_log (outcome, seq, dismissed_at) where outcome in ('quarantined', 'unhandled')`,
    'the quarantine',
  ),
  event_log_subject_uri: both(
    'event_log using hash (subject_uri) where subject_uri is not null',
    'the history of a row: why, redaction of deleted contacts, GET /api/feed?subject_uri',
  ),
  admin_actions_at: both('admin_actions (at)', 'the page of actions, in order'),
  alerts_claimed: both('alerts (next_at) where claimed_at is not null', 'alerts that are being sent'),
  alerts_rule_occurred_at: both(
    'alerts (rule, occurred_at)',
    'alerts by rule and time: listings, bookings that were alerted',
  ),
  alerts_subject_uri: both('alerts using hash (subject_uri)', 'alerts about a booking: watcher, erasure'),
  alerts_waiting: both(`alerts (next_at) where state = 'pending'`, 'alerts that are due'),
} satisfies Readonly<Record<string, Index>>;
