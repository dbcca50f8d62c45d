// Bookings as people search them: newest first, page by page; and the booking of an invitee.
import { sql } from 'kysely';
import type { StoredColumns } from '#src/store/columns.ts';
import type { Store } from '#src/store/contract.ts';
import type { PageRequest } from '#src/store/keyset.ts';
import { scanRows, type ScannedPage } from '#src/store/record-search.ts';
import { decodeRow } from '#src/store/rows.ts';
import type { TableRow } from '#src/store/schema/tables.ts';
import { bookingConditions, indexedCondition, type BookingSearch } from './booking-conditions.ts';

type Readable = Pick<Store, 'db' | 'engine'>;

/** With what the clock and other tables say of it, as the view `booking_journeys` has it. */
export interface BookingRow extends TableRow<'bookings'> {
  readonly outcome: string | null;
  readonly attendance: string | null;
  readonly attendance_basis: string | null;
  readonly event_type_name: string | null;
}

/** How many bookings a page reads at most, and up to how many that an index finds it sorts instead. */
const usualEffort = { mostScanned: 20_000, mostSorted: 4_000 };

export async function findBookings(
  store: Readable,
  search: BookingSearch,
  page: PageRequest,
  { mostScanned, mostSorted }: Readonly<typeof usualEffort> = usualEffort,
): Promise<ScannedPage<BookingRow>> {
  const indexed = await indexedCondition(store, search, mostSorted);
  const conditions = bookingConditions(store.engine.dialect, search);
  const found = await scanRows(store, 'bookings', {
    order: 'booked_at',
    id: 'first_invitee',
    page,
    mostScanned,
    ...(indexed ? { where: [indexed, ...conditions], filters: [] } : { where: [], filters: conditions }),
  });
  const journeys = found.items.map(({ journey_uri: uri }) => uri);
  return { ...found, items: await bookingRows(store, journeys) };
}

/** In the order of the URIs; missing rows are left out. */
async function bookingRows({ db, engine }: Readable, journeys: readonly string[]): Promise<readonly BookingRow[]> {
  const derived = ['host_name', 'event_type_name', 'outcome', 'attendance', 'attendance_basis'];
  const columns = derived.map((name) => sql.id('booking_journeys', name));
  const { rows } = await sql<StoredColumns & Omit<BookingRow, keyof TableRow<'bookings'>>>`
    select bookings.*, ${sql.join(columns)} from ${sql.table('bookings')}
    join ${sql.table('booking_journeys')} on booking_journeys.journey_uri = bookings.journey_uri
    where bookings.journey_uri in (${engine.dialect.values(journeys)})`.execute(db);
  const byUri = new Map(
    rows.map((row) => {
      const { outcome, attendance, attendance_basis, event_type_name } = row;
      const booking = decodeRow(engine, 'bookings', row);
      return [booking.journey_uri, { ...booking, outcome, attendance, attendance_basis, event_type_name }];
    }),
  );
  return journeys.flatMap((uri) => byUri.get(uri) ?? []);
}

export interface JourneyPosition {
  readonly journey: BookingRow;
  /** The URIs of its bookings that are mirrored, in order. */
  readonly members: readonly string[];
}

export async function journeyOf(store: Readable, invitee: string): Promise<JourneyPosition | undefined> {
  const { rows } = await sql<{ invitee_uri: string; journey_uri: string }>`select invitee_uri, journey_uri
    from ${sql.table('followed_invitees')} where journey_uri = (select journey_uri from ${sql.table('followed_invitees')} where invitee_uri = ${invitee})
    order by position`.execute(store.db);
  const [journey] = await bookingRows(store, [rows[0]?.journey_uri ?? invitee]);
  const members = rows.length === 0 ? [invitee] : rows.map(({ invitee_uri: uri }) => uri);
  return journey && { journey, members };
}
