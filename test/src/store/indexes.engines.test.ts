// Indexes: the database has those that a query needs and no others. An index costs every writer of its table, so one without a query
// is dropped, and one on a column that is mostly null is partial. `updated_at` of a mirrored table is never indexed: it changes with
// every update, and PostgreSQL then writes to all indexes of the table, where it would otherwise touch none.
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Store } from '#src/store/contract.ts';
import { mirrorTables } from '#workers/fold/projections/contract.ts';
import { availableEngines, ingestBodies, storeEngines } from '../../harness/stores.ts';

const both = (query: string) => ({ query, isOnSqlite: true });
const postgres = (query: string) => ({ query, isOnSqlite: false });

/** Every index besides the keys, with the query that needs it. */
const indexes: Readonly<Record<string, ReturnType<typeof both>>> = {
  // Mirrored tables.
  contact_emails_email: both('contacts by address: GET /api/contacts?email, people, alerts, erasure'),
  // Few addresses are not in lower case.
  contact_emails_other_address: both('contacts by an address that is not in lower case: people, alerts'),
  contacts_created_at: both('GET /api/contacts, in order; on SQLite also by every filter but an address or a number'),
  contacts_trigrams: postgres('GET /api/contacts by parts of a name, job title, company or city'),
  contact_phone_numbers_phone_number: both('GET /api/contacts?phone_number'),
  invitees_created_at: both('the bookings and the invitees, in order'),
  invitees_email: both('bookings by address: GET /api/scheduled_events?invitee_email, people, alerts, erasure'),
  invitees_event_uri: both(
    'bookings of a meeting: GET /api/scheduled_events/{uuid}/invitees, alerts, late facts of erased people',
  ),
  invitees_marked_address: both('open no-show marks of a person: alerts'),
  invitees_new_invitee: both('the invitees that name one: the fold, which finds those of a rescheduled booking'),
  invitees_no_show_at: both('the few invitees with a mark: /api/tables/bookings?outcome=eq.no_show'),
  invitees_old_invitee: both('the invitees that name one: the fold, which finds those of a rescheduled booking'),
  invitees_other_address: both('bookings by an address that is not in lower case: people, alerts'),
  invitees_routing_form_submission: both('bookings of a submission: the view routing_form_results'),
  // An invitee's URI leads through its event's, so the event has to be known to ask for the row by its key.
  invitees_uri_end: both('a booking by the end of the URI of an invitee: its page, answer links'),
  meeting_recaps_created_at: both('GET /api/meeting_recaps and the page of recaps, in order'),
  meeting_recaps_transcript_pending: both('recaps whose transcript was not read: follow-up reads'),
  meeting_recaps_event_uri: both(
    'recaps of a meeting: the attendance of bookings, timelines of contacts, late facts of erased people',
  ),
  no_shows_marked_at: both('the page of no-shows, in order'),
  routing_form_submissions_created_at: both('submissions of a period: the page of routing, those without a booking'),
  scheduled_events_link_pending: both(
    'meetings whose link is not there yet: follow-up reads, the page of the comparisons',
  ),
  scheduled_events_start_time: both('GET /api/scheduled_events, in order; the count of meetings; bookings by start'),
  booking_invitees_booking_uri: both('the invitees of a rescheduled booking'),

  // The log and the outbox of alerts.
  event_log_event_seq: both('GET /api/deliveries?event; the erasures, at every start'),
  // With all that the counts of a period read, so that they never touch the rows.
  event_log_received_at: both('the entries of a period: GET /api/deliveries by time, the counts of the first page'),
  // With the time of dismissal, so that what waits is counted without its rows.
  event_log_outcome_seq: both('the quarantine'),
  event_log_subject_uri: both('the history of a row: why, redaction of deleted contacts, GET /api/feed?subject_uri'),
  admin_actions_at: both('GET /api/tables/admin_actions, in order'),
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
          where schemaname = ${engine.schema} and indexdef not like 'CREATE UNIQUE%'`.execute(db);
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

const [, postgresEngine] = storeEngines;

describe.runIf(postgresEngine.available)('an update of a contact on PostgreSQL', () => {
  const contactUpdate = (n: number, minute: number, more: Readonly<Record<string, unknown>>) => {
    const at = `2025-04-14T11:${minute}:00.000000Z`;
    const payload = {
      uri: `https://api.example.test/contacts/${n}`,
      name: 'Ada Lovelace',
      company: 'Engines',
      job_title: 'Analyst',
      city: 'London',
      created_at: '2025-04-14T11:00:00.000000Z',
      updated_at: at,
      ...more,
    };
    return JSON.stringify({ event: 'contact.updated', created_at: at, payload });
  };

  it('touches no index unless it changes what a search by parts of a text compares', async () => {
    await using opened = await postgresEngine.fresh();
    /** Of a store of its own: PostgreSQL counts for a connection. */
    const countedUpdates = async (bodies: readonly string[]) => {
      const store = await opened.openAnother();
      const counts: unknown[] = [];
      const transaction: Store['transaction'] = (work) =>
        store.transaction(async (unit) => {
          const result = await work(unit);
          const { rows } = await sql`select n_tup_upd::int as updated, n_tup_hot_upd::int as "inPlace"
            from pg_stat_xact_user_tables
            where schemaname = ${store.engine.schema} and relname = 'contacts'`.execute(unit.db);
          counts.push(...rows);
          return result;
        });
      await ingestBodies({ ...store, transaction }, bodies);
      return counts;
    };
    const some = Array.from({ length: 10 }, (_, n) => n * 10);
    const all = Array.from({ length: 100 }, (_, n) => n);
    expect(await countedUpdates(all.map((n) => contactUpdate(n, 10, {})))).toEqual([{ updated: 0, inPlace: 0 }]);
    const fields = [{ uri: 'https://api.example.test/custom_field_definitions/1', label: 'Plan', value: 'Pro' }];
    const dates = { last_meeting_date: '2025-04-14T10:00:00.000000Z', custom_fields: fields };
    const changed = some.map((n) => contactUpdate(n, 20, dates));
    expect(await countedUpdates(changed)).toEqual([{ updated: 10, inPlace: 10 }]);
    const named = some.map((n) => contactUpdate(n, 30, { ...dates, company: 'Looms' }));
    expect(await countedUpdates(named)).toEqual([{ updated: 10, inPlace: 0 }]);
  });
});
