// The rows of a timeline: bookings by URI or by e-mail address, and what belongs to them. Each list is bounded: a shared address may
// have any number of bookings.
import { sql } from 'kysely';
import type { Outcome } from '#src/store/bookings/words.ts';
import type { StoredColumns } from '#src/store/columns.ts';
import type { Readable } from '#src/store/contract.ts';
import { inChunks } from '#src/store/prepared-sql.ts';
import { decodeColumns, readColumns } from '#src/store/rows.ts';
import { alertsAbout } from '#src/store/alerts/alert-rows.ts';
import { emailAmong } from '#src/store/sql-dialect.ts';
import type { TableRow } from '#src/store/schema/tables.ts';

/** The newest bookings of a person, and the newest entries about one record, that are read. */
export const mostOfPerson = 500;
/** Of the records of a page together. */
const mostEntries = 2_000;

const inviteeColumns = [
  'uri',
  'event_uri',
  'status',
  'created_at',
  'canceled_at',
  'cancel_reason',
  'reconfirmation_sent_at',
  'routing_form_submission',
] as const;

export type Booking = Pick<TableRow<'invitees'>, (typeof inviteeColumns)[number]>;

/** The newest bookings with one of these addresses, which are in lower case. */
export async function bookingsByAddress(
  { db, engine }: Readable,
  addresses: readonly string[],
): Promise<readonly Booking[]> {
  if (addresses.length === 0) return [];
  const [exact, other] = emailAmong(engine.dialect, addresses);
  const columns = sql.join(inviteeColumns.map((name) => sql.ref(name)));
  const { rows } = await sql<StoredColumns>`select * from (
      select ${columns} from ${sql.table('invitees')} where ${exact} union all select ${columns} from ${sql.table('invitees')} where ${other}
    ) as bookings order by created_at desc limit ${mostOfPerson}`.execute(db);
  return rows.map((row) => decodeColumns(engine, { table: 'invitees', columns: inviteeColumns }, row));
}

/** Of a row of the view `booking_moments`. */
export interface BookingMoment {
  readonly invitee: string;
  readonly moment: 'booked' | 'moved' | 'canceled' | 'no_show' | 'no_show_removed' | 'came' | 'reconfirmed' | 'ended';
  readonly at: string;
  readonly by: string | null;
  readonly entry: string | null;
  /** Empty where it is no mark. */
  readonly mark: string;
  readonly next_invitee: string | null;
}

/** Of the bookings of these invitees, and the moves that led to them. */
async function momentsOf({ db }: Readable, uris: readonly string[]): Promise<readonly BookingMoment[]> {
  const own = new Set(uris);
  const left = await inChunks(uris, async (chunk) => {
    const { rows } = await sql<{ readonly uri: string }>`select earlier.invitee_uri as uri
      from ${sql.table('booking_invitees')} as own
      join ${sql.table('booking_invitees')} as earlier on earlier.booking_uri = own.booking_uri and earlier.position = own.position - 1
      where own.invitee_uri in (${sql.join(chunk)})`.execute(db);
    return rows.map(({ uri }) => uri);
  });
  const rows = await inChunks([...new Set([...uris, ...left])], async (chunk) => {
    const found = await sql<BookingMoment>`select invitee, moment, at, by, entry, mark, next_invitee
      from ${sql.table('booking_moments')} where invitee in (${sql.join(chunk)})`.execute(db);
    return found.rows;
  });
  return rows.filter(({ invitee, next_invitee: next }) => own.has(invitee) || own.has(next ?? ''));
}

/** How the bookings that end with one of these invitees stand. */
async function endsOf({ db }: Readable, uris: readonly string[]) {
  return inChunks(uris, async (chunk) => {
    const { rows } = await sql<{
      readonly last_invitee: string;
      readonly outcome: Outcome | null;
      readonly cancel_reason: string | null;
      readonly attendance_basis: string | null;
    }>`select last_invitee, outcome, cancel_reason, attendance_basis from ${sql.table('bookings')}
      where last_invitee in (${sql.join(chunk)})`.execute(db);
    return rows;
  });
}

/** What belongs to these bookings: what happened to them, meetings, recaps, submissions of routing forms and the forms, alerts. */
export async function aroundBookings(store: Readable, bookings: readonly Booking[]) {
  const uris = bookings.map(({ uri }) => uri);
  const events = [...new Set(bookings.flatMap(({ event_uri: uri }) => uri ?? []))];
  const submissions = await readColumns(store, 'routing_form_submissions', {
    columns: ['uri', 'routing_form', 'created_at'],
    key: 'uri',
    values: [...new Set(bookings.flatMap(({ routing_form_submission: uri }) => uri || []))],
  });
  return {
    moments: await momentsOf(store, uris),
    ends: await endsOf(store, uris),
    submissions,
    forms: await readColumns(store, 'routing_forms', {
      columns: ['uri', 'name'],
      key: 'uri',
      values: [...new Set(submissions.flatMap(({ routing_form: uri }) => uri || []))],
    }),
    meetings: await readColumns(store, 'scheduled_events', {
      columns: ['uri', 'name', 'start_time'],
      key: 'uri',
      values: events,
    }),
    recaps: await readColumns(store, 'meeting_recaps', {
      columns: ['uri', 'event_uri', 'event_name', 'created_at', 'as_of', 'deleted_at'],
      key: 'event_uri',
      values: events,
    }),
    alerts: await alertsAbout(store, uris),
  };
}

export type TimelineRows = Awaited<ReturnType<typeof aroundBookings>>;

const entryColumns = [
  'seq',
  'subject_uri',
  'event',
  'source',
  'outcome',
  'occurred_at',
  'received_at',
  'changes',
] as const;

/** The entries of the log about these records, newest first. */
export async function newestEntriesAbout({ db, engine }: Readable, uris: readonly string[]) {
  if (uris.length === 0) return [];
  const rows = await db
    .selectFrom('event_log')
    .select(entryColumns)
    .where('subject_uri', 'in', uris)
    .orderBy('seq', 'desc')
    .limit(uris.length === 1 ? mostOfPerson : mostEntries)
    .execute();
  return rows.map((row) => decodeColumns(engine, { table: 'event_log', columns: entryColumns }, row));
}

export type SubjectEntry = Awaited<ReturnType<typeof newestEntriesAbout>>[number];

const contentColumns = ['seq', 'source', 'changes'] as const;

/** The changes of entries, which may be large: few at a time. */
export async function contentOfEntries({ db, engine }: Readable, seqs: readonly number[]) {
  if (seqs.length === 0) return [];
  const rows = await db.selectFrom('event_log').select(contentColumns).where('seq', 'in', seqs).execute();
  return rows.map((row) => decodeColumns(engine, { table: 'event_log', columns: contentColumns }, row));
}
