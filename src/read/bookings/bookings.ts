// Bookings as people search them, page by page in any order; and the booking of an invitee.
import { sql } from 'kysely';
import type { Attendance, Outcome } from '#src/store/bookings/words.ts';
import type { Json, StoredColumns } from '#src/store/columns.ts';
import type { Readable, StoreEngine } from '#src/store/contract.ts';
import { lowerCaseEmail } from '#src/store/sql-dialect.ts';
import { bookingsByAddress } from '#src/read/contacts/contacts-by-address.ts';
import type { Condition, OrderTerm } from '#src/read/tables/question.ts';
import { relationNamed } from '#src/read/tables/relation.ts';
import { readRows, type PageOfRows, type RowsFound } from '#src/read/tables/rows.ts';
import { decodeViewRow } from '#src/store/views/view.ts';
import { viewColumns } from '#src/store/views/views.ts';
import { bookingConditions, type BookingSearch } from './booking-conditions.ts';

type TextColumn =
  | `${'event' | 'contact'}_uri`
  | `invitee_${'name' | 'email' | 'timezone'}`
  | `event_type${'' | '_name'}`
  | `host${'' | '_name'}`
  | `${'first_start' | 'start' | 'end'}_time`
  | `${'booked' | 'made' | 'canceled' | 'no_show' | 'ended'}_at`
  | `utm_${'source' | 'medium' | 'campaign'}`
  | 'attendance_basis'
  | 'routing_form_submission'
  | 'scheduling_method';

/** A row of the view `bookings`. */
export type BookingRow = {
  readonly uri: string;
  readonly first_invitee: string;
  readonly last_invitee: string;
  readonly outcome: Outcome | null;
  readonly attendance: Attendance | null;
} & { readonly [Column in TextColumn]: string | null } & { readonly [column: string]: Json };

export interface BookingsFound extends Omit<RowsFound, 'rows'> {
  readonly rows: readonly BookingRow[];
}

export interface BookingQuestion extends BookingSearch {
  /** What a question to the view can state. */
  readonly where?: readonly Condition[];
}

/** Of the last invitee: a booking that is moved is the newest one again. */
export const newestFirst: readonly OrderTerm[] = [{ name: 'made_at', isDescending: true }];

/** The positions first, and then the rows of the page: some of their columns cost a look-up. Why there are none is said by `readRows`. */
export async function findBookings(
  store: Readable,
  { where = [], ...search }: BookingQuestion,
  { order = newestFirst, page }: { readonly order?: readonly OrderTerm[]; readonly page: PageOfRows },
): Promise<BookingsFound | 'too many' | 'other order'> {
  const { email } = search;
  const theirs = email === undefined ? undefined : await bookingsByAddress(store, [lowerCaseEmail(email)]);
  const also = bookingConditions(store.engine.dialect, { ...search, invitees: theirs });
  const select = [{ name: 'last_invitee', column: 'last_invitee', aggregate: undefined }];
  const question = { where, select, isGrouped: false, order, limit: undefined };
  const found = await readRows(store, await relationNamed(store, 'bookings'), { question, page: { ...page, also } });
  if (typeof found === 'string') return found;
  const invitees = found.rows.map(({ last_invitee: uri }) => String(uri));
  return { ...found, rows: await bookingRows(store, invitees) };
}

export async function newestBookings(store: Readable, search: BookingSearch, limit: number): Promise<BookingsFound> {
  const found = await findBookings(store, search, { page: { limit, from: undefined, isBackwards: false } });
  if (typeof found === 'string') throw new TypeError(`The newest bookings are not listed: ${found}.`);
  return found;
}

/** The bookings of these last invitees, in this order. */
async function bookingRows({ db, engine }: Readable, invitees: readonly string[]): Promise<readonly BookingRow[]> {
  if (invitees.length === 0) return [];
  const { rows } = await sql<StoredColumns>`select * from ${sql.table('bookings')}
    where last_invitee in (${sql.join(invitees)})`.execute(db);
  const byInvitee = new Map(rows.map((row) => [row['last_invitee'], decoded(engine, row)]));
  return invitees.flatMap((uri) => byInvitee.get(uri) ?? []);
}

const decoded = (engine: StoreEngine, stored: StoredColumns): BookingRow =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every column of the view, as its file says
  decodeViewRow(engine, viewColumns('bookings'), stored) as BookingRow;

export interface InviteeBooking {
  readonly booking: BookingRow;
  /** The URIs of its invitees that are mirrored, in order. */
  readonly members: readonly string[];
}

export async function bookingOfInvitee({ db, engine }: Readable, invitee: string): Promise<InviteeBooking | undefined> {
  const chain = await db
    .selectFrom('booking_invitees')
    .select('invitee_uri')
    .where('position', 'is not', null)
    .where('booking_uri', '=', ({ selectFrom }) =>
      selectFrom('booking_invitees').select('booking_uri').where('invitee_uri', '=', invitee),
    )
    .orderBy('position')
    .execute();
  const members = chain.length === 0 ? [invitee] : chain.map(({ invitee_uri: uri }) => uri);
  const [booking] = await bookingRows({ db, engine }, members.slice(-1));
  return booking && { booking, members };
}
