// Writes rows of `bookings`: of the invitees that some subjects concern, with all that links connect with them, or of all.
import { sql } from 'kysely';
import type { StoredColumns } from '#src/store/columns.ts';
import type { Unit } from '#src/store/contract.ts';
import { lastSeq } from '#src/store/log/read.ts';
import { runPrepared } from '#src/store/prepared-sql.ts';
import { decodeColumns, deleteRows, writeRows } from '#src/store/rows.ts';
import type { Sql } from '#src/store/sql-dialect.ts';
import { columnsOf } from '#src/store/schema/tables.ts';
import { bookingColumns, selectBookings } from './booking-rows.ts';
import { chainsOf, type Chain, type LinkedInvitee } from './chains.ts';

export interface BookingChanges {
  readonly subjects: ReadonlySet<string>;
  readonly changedSeq: number;
}

/** Makes the bookings of these subjects (invitees, meetings, recaps) equal to their rows. The caller has locked the table. */
export async function updateBookings(unit: Unit, { subjects, changedSeq }: BookingChanges): Promise<void> {
  if (subjects.size === 0) return;
  const scope = await scopeOf(unit, await concernedBy(unit, [...subjects]));
  const chains = chainsOf([...scope.invitees.values()]);
  const journeys = new Set(chains.map(({ journeyUri }) => journeyUri));
  const before = [...scope.invitees.keys(), ...scope.journeys].filter((uri) => !journeys.has(uri));
  await deleteRows(unit, 'bookings', 'journey_uri', scope.isLinked ? before : []);
  await writeBookings(unit, chains, changedSeq);
  if (!scope.isLinked) return;
  await deleteRows(unit, 'followed_invitees', 'invitee_uri', [...scope.invitees.keys()]);
  await writeMembers(unit, chains);
}

const linkColumns = columnsOf('invitees', 'uri old_invitee new_invitee rescheduled created_at');
const links = (table: string): Sql => sql.join(linkColumns.map((name) => sql.ref(`${table}.${name}`)));

/** The invitees that these subjects concern: themselves, and those of the same meeting or of the meeting of a recap. */
async function concernedBy(unit: Unit, subjects: readonly string[]): Promise<readonly LinkedInvitee[]> {
  const given = unit.engine.dialect.values(subjects);
  // One query each: an `or` of them would not use their indexes.
  return selectInvitees(unit, [
    sql`select uri from ${sql.table('invitees')} where uri in (${given})`,
    sql`select uri from ${sql.table('invitees')} where event_uri in (select event_uri from ${sql.table('invitees')} where uri in (${given}))`,
    sql`select uri from ${sql.table('invitees')} where event_uri in (${given})`,
    sql`select uri from ${sql.table('invitees')} where event_uri in (select event_uri from ${sql.table('meeting_recaps')} where uri in (${given}))`,
    // The recap may have been that of another meeting before.
    sql`select last_invitee from ${sql.table('bookings')} where evidence_recap in (${given})`,
  ]);
}

async function selectInvitees({ db, engine }: Unit, uris: readonly Sql[]): Promise<readonly LinkedInvitee[]> {
  const { rows } = await sql<StoredColumns>`select ${links('invitees')} from ${sql.table('invitees')}
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
    const given = unit.engine.dialect.values(fresh);
    const named = fresh.filter((uri) => !invitees.has(uri));
    const found = await selectInvitees(unit, [
      ...(named.length > 0 ? [unit.engine.dialect.values(named)] : []),
      sql`select uri from ${sql.table('invitees')} where old_invitee in (${given})`,
      sql`select uri from ${sql.table('invitees')} where new_invitee in (${given})`,
      sql`select invitee_uri from ${sql.table('followed_invitees')} where journey_uri in (
        select journey_uri from ${sql.table('followed_invitees')} where invitee_uri in (${given}))`,
      // Its URI may have been that of a booking before it arrived itself.
      sql`select invitee_uri from ${sql.table('followed_invitees')} where journey_uri in (${given})`,
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
  const { rows } = await sql<{ uri: string }>`select distinct journey_uri as uri from ${sql.table('followed_invitees')}
    where invitee_uri in (${engine.dialect.values(found.map(({ uri }) => uri))})`.execute(db);
  return rows.map(({ uri }) => uri);
}

const replaced = bookingColumns.filter((name) => name !== 'journey_uri');
const compared = replaced.filter((name) => name !== 'changed_seq');

interface Upsert {
  /** The text of the statement is long, and is made once. */
  readonly id: string;
  /** The chains where the statement does not compute them itself. */
  readonly given?: string;
  readonly chains: (given: Sql) => Sql;
  readonly changedSeq: number;
}

/** Rows that are the same already are not written. */
async function upsert(unit: Unit, { id, given = '', chains, changedSeq }: Upsert): Promise<void> {
  const columns = sql.join(bookingColumns.map((name) => sql.ref(name)));
  const differs = compared.map(
    (name) => sql`${sql.ref(`bookings.${name}`)} is distinct from ${sql.ref(`excluded.${name}`)}`,
  );
  const set = replaced.map((name) => sql`${sql.ref(name)} = ${sql.ref(`excluded.${name}`)}`);
  await runPrepared(unit, {
    id: `bookings ${id}`,
    values: { given, changedSeq },
    isPlannedEachTime: true,
    build: (
      values,
    ) => sql`insert into ${sql.table('bookings')} (${columns}) ${selectBookings(unit.engine, chains(values.given), values.changedSeq)}
      where true on conflict (journey_uri) do update set ${sql.join(set)} where ${sql.join(differs, sql` or `)}`,
  });
}

const chainsAtOnce = 500;

async function writeBookings(unit: Unit, chains: readonly Chain[], changedSeq: number): Promise<void> {
  const { items, itemText } = unit.engine.dialect;
  for (let from = 0; from < chains.length; from += chainsAtOnce) {
    const some = chains.slice(from, from + chainsAtOnce).map(({ journeyUri, members, moves }) => ({
      journey_uri: journeyUri,
      first_invitee: members[0],
      last_invitee: members.at(-1),
      invitees: String(members.length),
      moves: String(moves),
    }));
    const texts = ['journey_uri', 'first_invitee', 'last_invitee'].map(
      (name) => sql`${itemText(name)} as ${sql.id(name)}`,
    );
    const numbers = ['invitees', 'moves'].map((name) => sql`cast(${itemText(name)} as bigint) as ${sql.id(name)}`);
    await upsert(unit, {
      id: 'of chains',
      given: JSON.stringify(some),
      chains: (given) => sql`select ${sql.join([...texts, ...numbers])} from ${items(given)}`,
      changedSeq,
    });
  }
}

async function writeMembers(unit: Unit, chains: readonly Chain[]): Promise<void> {
  const rows = chains
    .filter(({ journeyUri, members }) => members.length > 1 || members[0] !== journeyUri)
    .flatMap(({ journeyUri, members }) =>
      members.map((uri, index) => ({ invitee_uri: uri, journey_uri: journeyUri, position: index + 1 })),
    );
  await writeRows(unit, 'followed_invitees', rows);
}

/** Makes the whole table anew. Bookings without links are computed in the database; there are few others. Returns the end of the log. */
export async function fillBookings(unit: Unit): Promise<number> {
  const { db, engine } = unit;
  const changedSeq = await lastSeq(unit);
  // Chains are computed between two statements: of very many, for longer than a session may be idle.
  if (engine.name === 'postgres') await sql`set local idle_in_transaction_session_timeout = 0`.execute(db);
  await sql`delete from ${sql.table('bookings')}`.execute(db);
  await sql`delete from ${sql.table('followed_invitees')}`.execute(db);
  // Not `not in`: PostgreSQL would compare every invitee with every link.
  const linked = sql`with linked (uri) as materialized (
      select uri from ${sql.table('invitees')} where old_invitee <> '' or new_invitee <> ''
      union select old_invitee from ${sql.table('invitees')} where old_invitee <> ''
      union select new_invitee from ${sql.table('invitees')} where new_invitee <> ''
    )`;
  const isLinked = sql`exists (select 1 from linked where linked.uri = invitees.uri)`;
  const single = sql`${linked} select uri as journey_uri, uri as first_invitee, uri as last_invitee, 1 as invitees,
      case when rescheduled is true then 1 else 0 end as moves
    from ${sql.table('invitees')} where not ${isLinked}`;
  await upsert(unit, { id: 'of single invitees', chains: () => single, changedSeq });
  const { rows } =
    await sql<StoredColumns>`${linked} select ${links('invitees')} from ${sql.table('invitees')} where ${isLinked}`.execute(
      db,
    );
  const chains = chainsOf(rows.map((row) => decodeColumns(engine, { table: 'invitees', columns: linkColumns }, row)));
  await writeBookings(unit, chains, changedSeq);
  await writeMembers(unit, chains);
  return changedSeq;
}
