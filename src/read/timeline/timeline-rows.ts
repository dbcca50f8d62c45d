// The rows of a timeline: bookings by URI or by e-mail address, and what belongs to them. Each list is bounded: a shared address may
// have any number of bookings.
import { sql } from 'kysely';
import type { StoredColumns } from '#src/store/columns.ts';
import type { Store } from '#src/store/contract.ts';
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
  'updated_at',
  'rescheduled',
  'old_invitee',
  'new_invitee',
  'canceled_at',
  'canceler_type',
  'cancel_reason',
  'reconfirmation_sent_at',
  'reconfirmed_at',
  'no_show_at',
  'attendance_confirmed_at',
  'attendance_confirmed_by',
  'routing_form_submission',
] as const;

export type Booking = Pick<TableRow<'invitees'>, (typeof inviteeColumns)[number]>;

/** The newest bookings with one of these addresses, which are in lower case. */
export async function bookingsByAddress(
  { db, engine }: Store,
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

/** What belongs to these bookings: meetings, no-show marks, recaps, submissions of routing forms and the forms, alerts. */
export async function aroundBookings(store: Store, bookings: readonly Booking[]) {
  const uris = bookings.map(({ uri }) => uri);
  const events = [...new Set(bookings.flatMap(({ event_uri: uri }) => uri ?? []))];
  const own = new Set(uris);
  const moved = bookings.filter(
    ({ rescheduled, new_invitee: next }) => (rescheduled === true || next) && !own.has(next ?? ''),
  );
  const linked = { columns: ['uri', 'old_invitee'] } as const;
  const submissions = await readColumns(store, 'routing_form_submissions', {
    columns: ['uri', 'routing_form', 'created_at'],
    key: 'uri',
    values: [...new Set(bookings.flatMap(({ routing_form_submission: uri }) => uri || []))],
  });
  return {
    /** Bookings that others lead to, where they are not among them: those of another address. */
    successors: [
      ...(await readColumns(store, 'invitees', {
        ...linked,
        key: 'uri',
        values: moved.flatMap(({ new_invitee: next }) => next || []),
      })),
      ...(await readColumns(store, 'invitees', { ...linked, key: 'old_invitee', values: moved.map(({ uri }) => uri) })),
    ].filter(({ uri }) => !own.has(uri)),
    submissions,
    forms: await readColumns(store, 'routing_forms', {
      columns: ['uri', 'name'],
      key: 'uri',
      values: [...new Set(submissions.flatMap(({ routing_form: uri }) => uri || []))],
    }),
    meetings: await readColumns(store, 'scheduled_events', {
      columns: ['uri', 'name', 'status', 'start_time', 'end_time'],
      key: 'uri',
      values: events,
    }),
    marks: await readColumns(store, 'no_shows', {
      columns: ['invitee_uri', 'no_show_uri', 'marked_at', 'unmarked_at'],
      key: 'invitee_uri',
      values: uris,
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
  'delivery_id',
  'subject_uri',
  'event',
  'source',
  'outcome',
  'occurred_at',
  'received_at',
  'changes',
] as const;

/** The entries of the log about these records, newest first. */
export async function newestEntriesAbout({ db, engine }: Store, uris: readonly string[]) {
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
export async function contentOfEntries({ db, engine }: Store, seqs: readonly number[]) {
  if (seqs.length === 0) return [];
  const rows = await db.selectFrom('event_log').select(contentColumns).where('seq', 'in', seqs).execute();
  return rows.map((row) => decodeColumns(engine, { table: 'event_log', columns: contentColumns }, row));
}
