// Bookings as people search them: newest first, page by page; and the booking of an invitee.
import { sql } from 'kysely';
import type { Attendance, Outcome } from '#src/store/bookings/words.ts';
import type { Json, StoredColumns } from '#src/store/columns.ts';
import type { Readable, StoreEngine } from '#src/store/contract.ts';
import type { Page, PageRequest } from '#src/store/keyset.ts';
import { findRows, type RowSource } from '#src/store/record-search.ts';
import { lowerCaseEmail } from '#src/store/sql-dialect.ts';
import { bookingsByAddress } from '#src/read/contacts/contacts-by-address.ts';
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
  | 'attendance_basis';

/** A row of the view `bookings`. */
export type BookingRow = {
  readonly uri: string;
  readonly first_invitee: string;
  readonly last_invitee: string;
  readonly outcome: Outcome | null;
  readonly attendance: Attendance | null;
} & { readonly [Column in TextColumn]: string | null } & { readonly [column: string]: Json };

const bookings: RowSource<BookingRow> = {
  name: 'bookings',
  decode: (engine: StoreEngine, stored: StoredColumns) =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every column of the view, as its file says
    decodeViewRow(engine, viewColumns('bookings'), stored) as BookingRow,
};

/** What a page is sorted by: the other columns, some of which cost a look-up, are read of its rows only. */
const positions: RowSource<Pick<BookingRow, 'last_invitee'>> = {
  name: 'bookings',
  columns: ['last_invitee', 'made_at'],
  decode: (_engine, { last_invitee }) => ({ last_invitee: String(last_invitee) }),
};

export async function findBookings(
  store: Readable,
  search: BookingSearch,
  page: PageRequest,
): Promise<Page<BookingRow>> {
  const theirs =
    search.email === undefined ? undefined : await bookingsByAddress(store, [lowerCaseEmail(search.email)]);
  const where = bookingConditions(store.engine.dialect, { ...search, ...(theirs && { invitees: theirs }) });
  const found = await findRows(store, positions, { order: 'made_at', id: 'last_invitee', page, where });
  const rows = await bookingRows(
    store,
    found.items.map(({ last_invitee: uri }) => uri),
  );
  return { ...found, items: rows };
}

/** The bookings of these last invitees, in this order. */
async function bookingRows({ db, engine }: Readable, invitees: readonly string[]): Promise<readonly BookingRow[]> {
  if (invitees.length === 0) return [];
  const { rows } = await sql<StoredColumns>`select * from ${sql.table('bookings')}
    where last_invitee in (${sql.join(invitees)})`.execute(db);
  const byInvitee = new Map(rows.map((row) => [row['last_invitee'], bookings.decode(engine, row)]));
  return invitees.flatMap((uri) => byInvitee.get(uri) ?? []);
}

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
