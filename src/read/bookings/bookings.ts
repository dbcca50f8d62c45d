// Journeys of bookings as people search them: newest booking first, page by page. The view `booking_journeys` computes all journeys at
// once; here the same expressions are applied to a few invitees and everything that reschedules link with them.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { StoredColumns } from '#src/store/columns.ts';
import type { Store } from '#src/store/contract.ts';
import type { StoredRow } from '#src/store/rows.ts';
import { bookingJourneys, journeyColumn, journeyJoins } from '#src/store/views/booking-journeys.ts';
import { journeys } from '#src/store/views/journeys.ts';
import { decodeViewRow } from '#src/store/views/view.ts';
import {
  candidateCondition,
  indexedCandidates,
  journeyConditions,
  mayBeFirst,
  type BookingSearch,
} from './booking-conditions.ts';
import { keysetOf, type KeysetPosition, type PageRequest } from '#src/store/keyset.ts';

type Readable = Pick<Store, 'db' | 'engine'>;

export interface BookingPage {
  readonly items: readonly StoredRow[];
  /** Where the search ended before the page was full: it goes on from there. */
  readonly stoppedAt: KeysetPosition | undefined;
}

/** How many invitees one search examines at most, how many at a time, and up to how many that an index finds it examines instead. */
const usualEffort = { mostExamined: 20_000, perPiece: 4_000, mostIndexed: 4_000 };
/** Longer chains of reschedules are cut. */
const mostMoves = 100;

const way = { order: 'booked_at', id: 'first_invitee' } as const;

/** One more than `count` where there is another page. */
export async function findBookings(
  store: Readable,
  search: BookingSearch,
  { count, from, descending, backwards }: PageRequest,
  { mostExamined, perPiece, mostIndexed }: Readonly<typeof usualEffort> = usualEffort,
): Promise<BookingPage> {
  const { engine } = store;
  const ascending = descending === backwards;
  const { beyond, upTo } = keysetOf(engine, 'journeys', { ...way, ascending });
  const matches = journeyConditions(engine.dialect, search);
  const indexed = await indexedCandidates(store, search, mostIndexed);
  const among = indexed && (await withLinked(store, indexed));
  const items: StoredRow[] = [];
  let at = from;
  // After a piece without a match, the rest of a large list may have none either, such as all upcoming meetings.
  const larger = (size: number) => (items.length === 0 ? perPiece : Math.min(4 * size, perPiece));
  for (let examined = 0, size = Math.min(2 * count, perPiece); ; size = larger(size)) {
    const { candidates, end } = await nextPiece(store, search, { at, ascending, size, among });
    const where = [beyond(at), ...(end === undefined ? [] : [upTo(end)]), ...matches];
    items.push(...(await selectJourneys(store, candidates, { where, ascending, limit: count + 1 - items.length })));
    if (end === undefined || items.length > count) return { items, stoppedAt: undefined };
    examined += size;
    if (examined >= mostExamined) return { items, stoppedAt: end };
    at = end;
    await yieldToEventLoop();
  }
}

export interface JourneyPosition {
  readonly journey: StoredRow;
  /** The URIs of its bookings that are mirrored, in order. */
  readonly members: readonly string[];
}

/** The journey that an invitee belongs to. */
export async function journeyOf(store: Readable, invitee: string): Promise<JourneyPosition | undefined> {
  const isIn = sql<SqlBool>`${invitee} in (select invitee_uri from members where members.journey_uri = journeys.journey_uri)`;
  const [journey] = await selectJourneys(store, [invitee], { where: [isIn], ascending: false, limit: 1 });
  if (journey === undefined) return undefined;
  const { rows } = await sql<{ uri: string }>`with recursive ${await chosen(store, [invitee])}
    select members.invitee_uri as uri from members left join ranked on ranked.invitee_uri = members.invitee_uri
    where members.journey_uri = ${journey['journey_uri']} order by ranked.place`.execute(store.db);
  return { journey, members: rows.map(({ uri }) => uri) };
}

/** The journeys of these invitees, as common table expressions. */
async function chosen(store: Readable, invitees: readonly string[]): Promise<RawBuilder<unknown>> {
  const { contactIndex, dialect } = store.engine;
  return sql`chosen as materialized (
      select * from invitees where uri in (${contactIndex.list(await withLinked(store, invitees))})
    ), ${journeys(dialect, sql.table('chosen'))}`;
}

interface ScanRange {
  readonly at: KeysetPosition | undefined;
  readonly ascending: boolean;
  readonly size: number;
  /** Only these invitees. */
  readonly among: readonly string[] | undefined;
}

interface Piece {
  readonly candidates: readonly string[];
  /** The last invitee of the piece; undefined at the end of the list. */
  readonly end: KeysetPosition | undefined;
}

/** Before all times: SQLite uses the index on a time only for a condition that limits it. */
const startOf = (ascending: boolean): KeysetPosition => ({
  key: ascending ? '0001-01-01T00:00:00.000000Z' : '9999-12-31T23:59:59.999999Z',
  uri: '',
});

/** The next invitees in the order of booking, as far as their journeys may match. */
async function nextPiece(
  { db, engine }: Readable,
  search: BookingSearch,
  { ascending, size, among, at = startOf(ascending) }: ScanRange,
): Promise<Piece> {
  const { beyond, upTo, orderBy } = keysetOf(engine, 'invitees', { order: 'created_at', ascending });
  const isAmong = among === undefined ? sql`1 = 1` : sql`invitees.uri in (${engine.contactIndex.list(among)})`;
  const { rows: ends } = await sql<{ key: string; uri: string }>`select created_at as key, uri from invitees
    where ${beyond(at)} and ${isAmong} order by ${orderBy} limit 1 offset ${size - 1}`.execute(db);
  const end = ends[0] && { key: engine.decode('time', ends[0].key), uri: ends[0].uri };
  const { rows } = await sql<{ uri: string }>`select invitees.uri from invitees
    where ${beyond(at)} and ${end === undefined ? sql`1 = 1` : upTo(end)} and ${isAmong}
      and ${among === undefined ? sql`${candidateCondition(engine.dialect, search)} and ${mayBeFirst}` : sql`1 = 1`}`.execute(
    db,
  );
  return { candidates: rows.map(({ uri }) => uri), end };
}

interface JourneyQuery {
  readonly where: readonly RawBuilder<SqlBool>[];
  readonly ascending: boolean;
  readonly limit: number;
}

const columns = Object.entries(bookingJourneys.columns).filter(([name]) => name !== 'contact_uri');

/** With the columns of the view, except for `contact_uri`. */
async function selectJourneys(
  store: Readable,
  invitees: readonly string[],
  { where, ascending, limit }: JourneyQuery,
): Promise<readonly StoredRow[]> {
  if (invitees.length === 0) return [];
  const { db, engine } = store;
  const { orderBy } = keysetOf(engine, 'journeys', { ...way, ascending });
  const list = columns.map(([name]) => journeyColumn(engine.dialect, name));
  const { rows } = await sql<StoredColumns>`with recursive ${await chosen(store, invitees)}
    select ${sql.join(list)} from journeys ${journeyJoins(engine.dialect)}
    where ${sql.join(where, sql` and `)} order by ${orderBy} limit ${limit}`.execute(db);
  return rows.map((row) => decodeViewRow(engine, columns, row));
}

/** These invitees and all that links of reschedules connect with them, mirrored or not. */
async function withLinked({ db, engine }: Readable, invitees: readonly string[]): Promise<readonly string[]> {
  const known = new Set<string | null>(invitees);
  let fresh: readonly string[] = invitees;
  for (let round = 0; fresh.length > 0 && round < mostMoves; round += 1) {
    const given = engine.contactIndex.list(fresh);
    // One query each: an `or` of the three would not use their indexes.
    const parts = ['uri', 'old_invitee', 'new_invitee'].map(
      (column) => sql`select uri, old_invitee, new_invitee from invitees
        where ${sql.ref(column)} in (${given}) and (old_invitee is not null or new_invitee is not null)`,
    );
    const { rows } = await sql<Record<'uri' | 'old_invitee' | 'new_invitee', string | null>>`
      ${sql.join(parts, sql` union all `)}`.execute(db);
    const linked = new Set(rows.flatMap(({ uri, old_invitee, new_invitee }) => [uri, old_invitee, new_invitee]));
    fresh = [...linked].filter((uri) => uri !== null).filter((uri) => uri !== '' && !known.has(uri));
    for (const uri of fresh) known.add(uri);
  }
  return [...known].filter((uri) => uri !== null);
}
