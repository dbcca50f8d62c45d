// Indexes: the database has those that a query needs and no others, and on PostgreSQL an update that changes no indexed column
// touches none of them. An index costs every writer of its table, so one without a query is dropped, and one on a column that is
// mostly null is partial. `updated_at` of a mirrored table is never indexed: it changes with every update, and PostgreSQL then writes
// to all indexes of the table.
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Store } from '#src/store/contract.ts';
import { mirrorTables } from '#workers/projections/contract.ts';
import { eventually } from '../../harness/moments.ts';
import { freshPostgres, ingestBodies, availableEngines, storeEngines } from '../../harness/stores.ts';

const both = (query: string) => ({ query, isOnSqlite: true });
const postgres = (query: string) => ({ query, isOnSqlite: false });

/** Every index besides the keys, with the query that needs it. */
const indexes: Readonly<Record<string, ReturnType<typeof both>>> = {
  // Mirrored tables.
  contact_emails_email: both('contacts by address: GET /api/contacts?email, people, alerts, erasure'),
  // Few addresses are not in lower case.
  contact_emails_other_address: both('contacts by an address that is not in lower case: people, alerts'),
  contact_phone_numbers_phone_number: both('GET /api/contacts?phone_number'),
  invitees_created_at: both('GET /api/invitees, in order'),
  invitees_email: both(
    'bookings by address: GET /api/invitees?email, GET /api/scheduled_events?invitee_email, people, alerts, erasure',
  ),
  invitees_event_uri: both('bookings of a meeting: GET /api/invitees?event, alerts, late facts of erased people'),
  invitees_marked_address: both('open no-show marks of a person: alerts'),
  invitees_new_invitee: both('the few rescheduled bookings: GET /api/bookings; on SQLite the views of journeys'),
  invitees_old_invitee: both('the few rescheduled bookings: GET /api/bookings; on SQLite the views of journeys'),
  invitees_other_address: both('bookings by an address that is not in lower case: people, alerts'),
  invitees_routing_form_submission: both('bookings of a submission: GET /api/routing'),
  // An invitee's URI leads through its event's, so the event has to be known to ask for the row by its key.
  invitees_uri_end: both('GET /api/invitees/{uuid}'),
  meeting_recaps_created_at: both('GET /api/recaps, in order'),
  meeting_recaps_transcript_pending: both('recaps whose transcript was not read: follow-up reads'),
  meeting_recaps_event_uri: both(
    'recaps of a meeting: GET /api/bookings, timelines of contacts, late facts of erased people',
  ),
  no_shows_marked_at: both('GET /api/no_shows, in order'),
  routing_form_submissions_created_at: both('submissions of a period: GET /api/routing, those without a booking'),
  scheduled_events_link_pending: both(
    'meetings whose link is not there yet: follow-up reads, the page of the comparisons',
  ),
  scheduled_events_start_time: both('GET /api/scheduled_events, in order; GET /api/bookings by start'),

  // The bookings, which no writer of invitees waits for.
  bookings_booked_at: both('GET /api/bookings, in order'),
  bookings_start_time: both(
    'bookings of a period: GET /api/numbers, no-show rates, GET /api/bookings by start, work lists',
  ),
  bookings_last_invitee: both('the booking of an invitee: people, alerts'),
  bookings_evidence_recap: both('the bookings that a recap is evidence for: the follower'),
  booking_invitees_journey_uri: both('the invitees of a rescheduled booking'),

  // The contact search, which triggers keep: an update of a contact touches no index of `contacts`.
  contact_search_created_at: both('GET /api/contacts, in order'),
  contact_search_trigrams: postgres('GET /api/contacts by parts of a name, job title, company or city'),
  contact_search_updated_at: both('GET /api/contacts?sort=updated_at, in order'),

  // The log and the outbox of alerts.
  event_log_event_seq: both('GET /api/deliveries?event; the erasures, at every start'),
  // With all that the counts of a period read, so that they never touch the rows.
  event_log_received_at: both('the entries of a period: GET /api/deliveries by time, the counts of the first page'),
  // With the time of dismissal, so that what waits is counted without its rows.
  event_log_outcome_seq: both('the quarantine'),
  event_log_subject_uri: both('the history of a row: why, redaction of deleted contacts, GET /api/feed?subject_uri'),
  admin_actions_at: both('the page of actions, in order'),
  alerts_claimed: both('alerts that are being sent'),
  alerts_rule_occurred_at: both('alerts by rule and time: listings, bookings that were alerted'),
  alerts_subject_uri: both('alerts about a booking: watcher, erasure'),
  alerts_waiting: both('alerts that are due'),
};

interface LiveIndex {
  readonly name: string;
  readonly table: string;
  readonly definition: string;
}

/** Without those of keys. */
async function liveIndexes({ db, engine }: Store): Promise<readonly LiveIndex[]> {
  const { rows } =
    engine.name === 'sqlite'
      ? await sql<LiveIndex>`select name, tbl_name as "table", sql as definition from sqlite_master
          where type = 'index' and sql is not null`.execute(db)
      : await sql<LiveIndex>`select indexname as name, tablename as "table", indexdef as definition from pg_indexes
          where schemaname = current_schema() and indexdef not like 'CREATE UNIQUE%'`.execute(db);
  return rows.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

describe.each(availableEngines)('the indexes on $name', ({ name: engine, fresh }) => {
  it('are those whose query is known, and those of mirrored tables leave out the time of the last update', async () => {
    await using opened = await fresh();
    const listed = Object.entries(indexes).filter(([, index]) => engine === 'postgres' || index.isOnSqlite);
    const live = await liveIndexes(opened.store);
    expect(live.map(({ name }) => name)).toEqual(listed.map(([name]) => name).toSorted());
    const mirrored = live.filter(({ table }) => (mirrorTables as readonly string[]).includes(table));
    expect(mirrored.filter(({ definition }) => definition.includes('updated_at'))).toEqual([]);
    expect(mirrored).not.toEqual([]);
  });
});

const timeAt = (second: number) => `2025-04-14T11:00:00.${String(second).padStart(6, '0')}Z`;

function contactUpdate(n: number, round: number): string {
  const payload = {
    uri: `https://api.example.test/contacts/${n}`,
    created_at: timeAt(0),
    updated_at: timeAt(round),
    name: `Person ${n}, version ${round}`,
    company: `Company ${round}`,
    emails: [{ email: `person${n}@example.test`, is_primary: true }],
    custom_fields: [{ uri: 'https://api.example.test/fields/1', label: 'Notes', value: `Version ${round}` }],
  };
  return JSON.stringify({ event: 'contact.updated', created_at: timeAt(round), payload });
}

function inviteeUpdate(n: number, round: number): string {
  const event = `https://api.example.test/scheduled_events/${n}`;
  const payload = {
    uri: `${event}/invitees/${n}`,
    email: `person${n}@example.test`,
    name: `Person ${n}, version ${round}`,
    status: 'active',
    created_at: timeAt(0),
    updated_at: timeAt(round),
    scheduled_event: { uri: event, name: `Meeting ${round}`, start_time: timeAt(59), updated_at: timeAt(round) },
  };
  return JSON.stringify({ event: 'invitee.created', created_at: timeAt(round), payload });
}

interface Updates {
  readonly table: string;
  readonly all: number;
  readonly hot: number;
}

describe.runIf(storeEngines[1].available)('an update on PostgreSQL', () => {
  it('touches no index when it changes no indexed column', async () => {
    await using opened = await freshPostgres();
    const { store } = opened;
    const people = Array.from({ length: 60 }, (_, n) => n);
    const update = async (from: number, to: number) => {
      for (let round = from; round <= to; round += 1)
        await ingestBodies(
          store,
          people.flatMap((n) => [contactUpdate(n, round), inviteeUpdate(n, round)]),
        );
    };
    const read = async (): Promise<readonly Updates[]> => {
      const { rows } = await sql<Updates>`select relname as table, n_tup_upd as all, n_tup_hot_upd as hot
        from pg_stat_user_tables where relname in ('contacts', 'invitees', 'scheduled_events') order by 1`.execute(
        store.db,
      );
      return rows;
    };
    /** The share of these rounds that touched no index, by table. The server publishes its counts about once a second. */
    const shares = async (from: number, to: number): Promise<readonly number[]> => {
      const before = await read();
      await update(from, to);
      const least = people.length * (to - from);
      const isCounted = ({ all }: Updates, at: number) => all - (before[at]?.all ?? 0) >= least;
      await eventually(async () => (await read()).every(isCounted)).toBe(true);
      return (await read()).map(({ all, hot }, at) => (hot - (before[at]?.hot ?? 0)) / (all - (before[at]?.all ?? 0)));
    };
    await update(0, 10);
    // The first updates spread the rows over as many pages as they need, and other tests can keep the server from cleaning pages for a
    // while. An update of an indexed column would touch its index in every round.
    let last = await shares(11, 20);
    for (let round = 21; round < 200 && last.some((share) => share < 0.9); round += 10)
      last = await shares(round, round + 9);
    expect(last).toHaveLength(3);
    for (const share of last) expect(share).toBeGreaterThanOrEqual(0.9);
  });
});
