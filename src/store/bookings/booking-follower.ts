// Keeps `bookings` equal to what invitees, meetings and recaps say. It follows the log with an offset of its own, so that no writer waits
// for it. An entry commits with the rows it describes, so a row that was read after its entry is at least as new.
//
//   entries after the offset ─▶ the invitees they concern ─▶ all that links connect with them ─▶ chains ─▶ rows
//
// Transactions that change rows without an entry (rebuild), or that remove people (erasure), update the table themselves. Any process may
// bring it up to date: one transaction at a time does.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { sql } from 'kysely';
import { z } from 'zod';
import type { StoredColumns } from '#src/store/columns.ts';
import type { Store, Unit } from '#src/store/contract.ts';
import { keyValue, readValue, writeValue } from '#src/store/key-value.ts';
import { lockKey } from '#src/store/locks.ts';
import { lastSeq } from '#src/store/log/read.ts';
import { decodeColumns, deleteRows, writeRows } from '#src/store/rows.ts';
import type { Sql } from '#src/store/sql-dialect.ts';
import { columnsOf } from '#src/store/tables.ts';
import { bookingColumns, selectBookings } from './booking-rows.ts';
import { chainsOf, type Chain, type LinkedInvitee } from './chains.ts';

/** `offset`: the last log entry that the table contains. `rules`: the version of the code that made its rows. */
const bookingsState = keyValue('bookings', z.object({ offset: z.number(), rules: z.literal(1) }));

type Readable = Pick<Store, 'db' | 'engine'>;

/** The last log entry that the table contains. */
export const bookingsOffset = async (store: Readable): Promise<number> =>
  (await readValue(store, bookingsState))?.offset ?? 0;

const entriesAtOnce = { sqlite: 200, postgres: 500 } as const;

export interface CatchUpOptions {
  readonly atOnce?: number;
  /** Ends the work after the current transaction. */
  readonly signal?: AbortSignal;
  /** Asked before each transaction; false ends the work. */
  readonly hasRoom?: () => Promise<boolean>;
}

/** Brings the table up to the end of the log. Returns its offset; undefined where the work ended early. */
export async function catchUpBookings(store: Store, options: CatchUpOptions = {}): Promise<number | undefined> {
  return reach(store, await lastSeq(store), options);
}

/** For readers that need what the log has up to this entry: the table contains it afterwards. */
export async function bookingsAtLeast(store: Store, seq: number): Promise<void> {
  await reach(store, Math.min(seq, await lastSeq(store)));
}

async function reach(
  store: Store,
  end: number,
  { atOnce = entriesAtOnce[store.engine.name], signal, hasRoom = async () => true }: CatchUpOptions = {},
): Promise<number | undefined> {
  for (;;) {
    // Asked outside of a transaction: mostly there is nothing to do, and no writer should wait for that.
    const state = await readValue(store, bookingsState);
    if (state !== undefined && state.offset >= end) return state.offset;
    if (signal?.aborted || !(await hasRoom())) return undefined;
    await store.transaction((unit) => advance(unit, atOnce));
    await yieldToEventLoop();
  }
}

/** Fills the table of a database that has none of these rules: a new one, or one of an earlier version. */
export async function prepareBookings(store: Store): Promise<void> {
  if ((await readValue(store, bookingsState)) === undefined) await store.transaction((unit) => advance(unit, 1));
}

/** One transaction at a time changes the table. It is taken last, after rows and the log. */
const lockBookings = (unit: Unit): Promise<void> => lockKey(unit, bookingsState.key);

async function advance(unit: Unit, atOnce: number): Promise<void> {
  await lockBookings(unit);
  const state = await readValue(unit, bookingsState);
  if (state === undefined) return refill(unit);
  const { rows } = await sql<{ seq: number; uri: string | null }>`select seq, subject_uri as uri from event_log
    where seq > ${state.offset} order by seq limit ${atOnce}`.execute(unit.db);
  const offset = Number(rows.at(-1)?.seq ?? state.offset);
  await refresh(unit, { subjects: new Set(rows.flatMap(({ uri }) => uri ?? [])), changedSeq: offset });
  await writeValue(unit, bookingsState, { ...state, offset });
}

/** For transactions that change rows of these subjects (invitees, meetings, recaps) in another way than by an entry of the log. */
export async function refreshBookings(unit: Unit, subjects: Iterable<string>): Promise<void> {
  await lockBookings(unit);
  await refresh(unit, { subjects: new Set(subjects), changedSeq: await lastSeq(unit) });
}

/** Makes the whole table anew, in this transaction. */
export async function refillBookings(unit: Unit): Promise<void> {
  await lockBookings(unit);
  await refill(unit);
}

interface Changes {
  readonly subjects: ReadonlySet<string>;
  readonly changedSeq: number;
}

async function refresh(unit: Unit, { subjects, changedSeq }: Changes): Promise<void> {
  if (subjects.size === 0) return;
  const scope = await scopeOf(unit, await concernedBy(unit, [...subjects]));
  const chains = chainsOf([...scope.invitees.values()]);
  const journeys = new Set(chains.map(({ journeyUri }) => journeyUri));
  const before = [...scope.invitees.keys(), ...scope.journeys].filter((uri) => !journeys.has(uri));
  await deleteRows(unit, 'bookings', 'journey_uri', scope.isLinked ? before : []);
  await writeBookings(unit, chains, changedSeq);
  if (!scope.isLinked) return;
  await deleteRows(unit, 'booking_invitees', 'invitee_uri', [...scope.invitees.keys()]);
  await writeMembers(unit, chains);
}

const linkColumns = columnsOf('invitees', 'uri old_invitee new_invitee rescheduled created_at');
const links = (table: string): Sql => sql.join(linkColumns.map((name) => sql.ref(`${table}.${name}`)));

/** The invitees that these subjects concern: themselves, and those of the same meeting or of the meeting of a recap. */
async function concernedBy(unit: Unit, subjects: readonly string[]): Promise<readonly LinkedInvitee[]> {
  const given = unit.engine.contactIndex.list(subjects);
  // One query each: an `or` of them would not use their indexes.
  return selectInvitees(unit, [
    sql`select uri from invitees where uri in (${given})`,
    sql`select uri from invitees where event_uri in (select event_uri from invitees where uri in (${given}))`,
    sql`select uri from invitees where event_uri in (${given})`,
    sql`select uri from invitees where event_uri in (select event_uri from meeting_recaps where uri in (${given}))`,
    // The recap may have been that of another meeting before.
    sql`select last_invitee from bookings where evidence_recap in (${given})`,
  ]);
}

async function selectInvitees({ db, engine }: Unit, uris: readonly Sql[]): Promise<readonly LinkedInvitee[]> {
  const { rows } = await sql<StoredColumns>`select ${links('invitees')} from invitees
    where uri in (${sql.join(uris, sql` union `)})`.execute(db);
  return rows.map((row) => decodeColumns(engine, { table: 'invitees', columns: linkColumns }, row));
}

interface Scope {
  readonly invitees: ReadonlyMap<string, LinkedInvitee>;
  /** The bookings that they were in so far, as far as these were rescheduled. */
  readonly journeys: ReadonlySet<string>;
  /** Whether any of them was rescheduled, before or now. */
  readonly isLinked: boolean;
}

/**
 * These invitees and all that links connect with them, now or when the table was last updated: whatever becomes of their chains, each
 * of them is in one of the bookings that are written, and in no other.
 */
async function scopeOf(unit: Unit, start: readonly LinkedInvitee[]): Promise<Scope> {
  const invitees = new Map(start.map((invitee) => [invitee.uri, invitee]));
  const journeys = new Set<string>();
  const known = new Set<string>();
  let fresh: readonly string[] = namesIn(start);
  while (fresh.length > 0) {
    for (const uri of fresh) known.add(uri);
    const given = unit.engine.contactIndex.list(fresh);
    const named = fresh.filter((uri) => !invitees.has(uri));
    const found = await selectInvitees(unit, [
      ...(named.length > 0 ? [unit.engine.contactIndex.list(named)] : []),
      sql`select uri from invitees where old_invitee in (${given})`,
      sql`select uri from invitees where new_invitee in (${given})`,
      sql`select invitee_uri from booking_invitees where journey_uri in (
        select journey_uri from booking_invitees where invitee_uri in (${given}))`,
    ]);
    for (const invitee of found) invitees.set(invitee.uri, invitee);
    for (const uri of await journeysWith(unit, found)) journeys.add(uri);
    fresh = namesIn(found).filter((uri) => !known.has(uri));
  }
  const isLinked = journeys.size > 0 || [...invitees.values()].some((each) => each.old_invitee || each.new_invitee);
  return { invitees, journeys, isLinked };
}

const namesIn = (invitees: readonly LinkedInvitee[]): readonly string[] => [
  ...new Set(invitees.flatMap(({ uri, old_invitee: old, new_invitee: next }) => [uri, old, next].filter(isNamed))),
];
const isNamed = (uri: string | null): uri is string => uri !== null && uri !== '';

async function journeysWith({ db, engine }: Unit, found: readonly LinkedInvitee[]): Promise<readonly string[]> {
  if (found.length === 0) return [];
  const { rows } = await sql<{ uri: string }>`select distinct journey_uri as uri from booking_invitees
    where invitee_uri in (${engine.contactIndex.list(found.map(({ uri }) => uri))})`.execute(db);
  return rows.map(({ uri }) => uri);
}

const replaced = bookingColumns.filter((name) => name !== 'journey_uri');
const compared = replaced.filter((name) => name !== 'changed_seq');

/** Rows that are the same already are not written. */
async function upsert({ db, engine }: Unit, chains: Sql, changedSeq: number): Promise<void> {
  const columns = sql.join(bookingColumns.map((name) => sql.ref(name)));
  const differs = compared.map(
    (name) => sql`${sql.ref(`bookings.${name}`)} is distinct from ${sql.ref(`excluded.${name}`)}`,
  );
  const set = replaced.map((name) => sql`${sql.ref(name)} = ${sql.ref(`excluded.${name}`)}`);
  await sql`insert into bookings (${columns}) ${selectBookings(engine.dialect, chains, changedSeq)} where true
    on conflict (journey_uri) do update set ${sql.join(set)} where ${sql.join(differs, sql` or `)}`.execute(db);
}

const chainsAtOnce = 500;

async function writeBookings(unit: Unit, chains: readonly Chain[], changedSeq: number): Promise<void> {
  const { items, itemText, itemJson, custom } = unit.engine.dialect;
  for (let from = 0; from < chains.length; from += chainsAtOnce) {
    const some = chains.slice(from, from + chainsAtOnce).map(({ journeyUri, members, moves }) => ({
      journey_uri: journeyUri,
      first_invitee: members[0],
      last_invitee: members.at(-1),
      invitees: members.length,
      moves,
    }));
    const texts = ['journey_uri', 'first_invitee', 'last_invitee'].map(
      (name) => sql`${itemText(name)} as ${sql.id(name)}`,
    );
    const numbers = ['invitees', 'moves'].map((name) => sql`${custom.integer(itemJson(name))} as ${sql.id(name)}`);
    await upsert(
      unit,
      sql`select ${sql.join([...texts, ...numbers])} from ${items(sql`${JSON.stringify(some)}`)}`,
      changedSeq,
    );
  }
}

async function writeMembers(unit: Unit, chains: readonly Chain[]): Promise<void> {
  const rows = chains
    .filter(({ journeyUri, members }) => members.length > 1 || members[0] !== journeyUri)
    .flatMap(({ journeyUri, members }) =>
      members.map((uri, index) => ({ invitee_uri: uri, journey_uri: journeyUri, place: index + 1 })),
    );
  await writeRows(unit, 'booking_invitees', rows);
}

/** Bookings without links are computed in the database; there are few others. */
async function refill(unit: Unit): Promise<void> {
  const { db, engine } = unit;
  const changedSeq = await lastSeq(unit);
  await sql`delete from bookings`.execute(db);
  await sql`delete from booking_invitees`.execute(db);
  const linked = sql`select uri from invitees where old_invitee <> '' or new_invitee <> ''
    union select old_invitee from invitees where old_invitee <> '' union select new_invitee from invitees where new_invitee <> ''`;
  const single = sql`select uri as journey_uri, uri as first_invitee, uri as last_invitee, 1 as invitees,
      case when rescheduled is true then 1 else 0 end as moves
    from invitees where uri not in (${linked})`;
  await upsert(unit, single, changedSeq);
  const { rows } = await sql<StoredColumns>`select ${links('invitees')} from invitees where uri in (${linked})`.execute(
    db,
  );
  const chains = chainsOf(rows.map((row) => decodeColumns(engine, { table: 'invitees', columns: linkColumns }, row)));
  await writeBookings(unit, chains, changedSeq);
  await writeMembers(unit, chains);
  await writeValue(unit, bookingsState, { offset: changedSeq, rules: 1 });
}
