// The rows about one person, found by the URI of a contact and its e-mail addresses. Each list is bounded: a shared address may have
// any number of bookings.
import { sql } from 'kysely';
import type { StoredColumns } from '#src/store/columns.ts';
import type { Store } from '#src/store/contract.ts';
import { decodeColumns, readColumns } from '#src/store/rows.ts';
import { emailAmong } from '#src/store/sql-dialect.ts';

/** The newest bookings of a person, and the newest entries about a contact, that are read. */
export const mostOfPerson = 500;

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
  'reconfirmed_at',
  'routing_form_submission',
] as const;

/** The newest bookings with one of these addresses, which are in lower case. */
export async function bookingsByAddress({ db, engine }: Store, addresses: readonly string[]) {
  if (addresses.length === 0) return [];
  const [exact, other] = emailAmong(engine.dialect, addresses);
  const columns = sql.join(inviteeColumns.map((name) => sql.ref(name)));
  const { rows } = await sql<StoredColumns>`select * from (
      select ${columns} from invitees where ${exact} union all select ${columns} from invitees where ${other}
    ) as bookings order by created_at desc limit ${mostOfPerson}`.execute(db);
  return rows.map((row) => decodeColumns(engine, { table: 'invitees', columns: inviteeColumns }, row));
}

export type PersonBooking = Awaited<ReturnType<typeof bookingsByAddress>>[number];

/** What belongs to these bookings: meetings, no-show marks, recaps, submissions of routing forms, alerts. */
export async function aroundBookings(store: Store, bookings: readonly PersonBooking[]) {
  const uris = bookings.map(({ uri }) => uri);
  const events = [...new Set(bookings.flatMap(({ event_uri: uri }) => uri ?? []))];
  const submissions = [...new Set(bookings.flatMap(({ routing_form_submission: uri }) => uri || []))];
  return {
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
      columns: ['uri', 'event_uri', 'event_name', 'created_at', 'deleted_at'],
      key: 'event_uri',
      values: events,
    }),
    submissions: await readColumns(store, 'routing_form_submissions', {
      columns: ['uri', 'routing_form', 'created_at'],
      key: 'uri',
      values: submissions,
    }),
    alerts: await readColumns(store, 'alerts', {
      columns: ['id', 'rule', 'channel', 'state', 'subject_uri', 'created_at', 'sent_at'],
      key: 'subject_uri',
      values: uris,
    }),
  };
}

const entryColumns = ['seq', 'event', 'source', 'outcome', 'occurred_at', 'received_at', 'changes'] as const;

/** The newest entries of the log about one record. */
export async function newestEntriesAbout({ db, engine }: Store, uri: string) {
  const rows = await db
    .selectFrom('event_log')
    .select(entryColumns)
    .where('subject_uri', '=', uri)
    .orderBy('seq', 'desc')
    .limit(mostOfPerson)
    .execute();
  return rows.map((row) => decodeColumns(engine, { table: 'event_log', columns: entryColumns }, row));
}

const contentColumns = ['seq', 'source', 'occurred_at', 'body', 'encoding', 'changes'] as const;

/** The same entries with what their changes follow from, which may be large: few at a time. */
export async function contentOfEntries({ db, engine }: Store, seqs: readonly number[]) {
  if (seqs.length === 0) return [];
  const rows = await db.selectFrom('event_log').select(contentColumns).where('seq', 'in', seqs).execute();
  return rows.map((row) => decodeColumns(engine, { table: 'event_log', columns: contentColumns }, row));
}

export type ContactEntry = Awaited<ReturnType<typeof newestEntriesAbout>>[number];

/** The offset of the first entry of each kind about these records: `of(uri, event)`, and without the kind the first of all. */
export async function firstEntriesAbout({ db }: Store, uris: readonly string[]) {
  const rows =
    uris.length === 0
      ? []
      : await db
          .selectFrom('event_log')
          .select(({ fn }) => ['subject_uri', 'event', fn.min('seq').as('seq')])
          .where('subject_uri', 'in', uris)
          .groupBy(['subject_uri', 'event'])
          .execute();
  return (uri: string, event: string): number | null => {
    const about = rows.filter((row) => row.subject_uri === uri);
    const [first] = [...about.filter((row) => row.event === event), ...about.toSorted((a, b) => a.seq - b.seq)];
    return first?.seq ?? null;
  };
}
