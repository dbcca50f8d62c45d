// Keeps `booking_invitees` equal to the links of invitees, in the transaction that writes them. The log must be locked, and every statement
// must see what was committed before it runs: a transaction then sees all links that were written before, and those that are written later
// see its own. So two that write one end of a link each leave one booking, without a lock on rows.
import { sql } from 'kysely';
import { isSameJson } from '#schemas/wire.ts';
import type { StoredColumns } from '#src/store/columns.ts';
import type { Unit } from '#src/store/contract.ts';
import { inOrder } from '#src/store/in-order.ts';
import { refs, target } from '#src/store/insert-rows.ts';
import { runForKeys } from '#src/store/prepared-sql.ts';
import { decodeColumns, decodeRow, deleteRows, writeRows } from '#src/store/rows.ts';
import { columnsOf } from '#src/store/schema/tables.ts';
import { bookingInviteesOf, type BookingInvitee, type LinkedInvitee } from './chains.ts';

const linkColumns = columnsOf('invitees', 'uri old_invitee new_invitee rescheduled created_at');

/** Which of these invitees have a row, because they have a link or because one names them. */
export async function linkedAmong(unit: Unit, uris: readonly string[]): Promise<readonly string[]> {
  const rows = await runForKeys(unit, {
    id: 'linked invitees',
    keys: uris,
    build: (isAmong) => sql<{ uri: string }>`select invitee_uri as uri from ${target(unit, 'booking_invitees')}
      where ${isAmong(sql.ref('invitee_uri'))}`,
  });
  return rows.map(({ uri }) => uri);
}

/** Computes the bookings of these invitees again, and of all that links connect with them now or did before. Rows that are the same are not written. */
export async function updateBookingInvitees(unit: Unit, changed: Iterable<string>): Promise<void> {
  const { invitees, stored } = await connectedWith(unit, new Set(changed));
  const rows = bookingInviteesOf(invitees);
  const current = new Set(rows.map(({ invitee_uri: uri }) => uri));
  await deleteRows(
    unit,
    'booking_invitees',
    'invitee_uri',
    [...stored.keys()].filter((uri) => !current.has(uri)),
  );
  await writeRows(
    unit,
    'booking_invitees',
    rows.filter((row) => !isSameJson(row, stored.get(row.invitee_uri))),
  );
}

interface Connected {
  readonly invitees: readonly LinkedInvitee[];
  /** Their rows so far. */
  readonly stored: ReadonlyMap<string, BookingInvitee>;
}

/** The bookings so far are followed as well as the links: a long chain is then found at once. */
async function connectedWith(unit: Unit, start: ReadonlySet<string>): Promise<Connected> {
  const invitees = new Map<string, LinkedInvitee>();
  const stored = new Map<string, BookingInvitee>();
  const asked = new Set<string>();
  for (let fresh = start; fresh.size > 0;) {
    for (const uri of fresh) asked.add(uri);
    const keys = [...fresh];
    const found = new Set<string>();
    await inOrder(unit, [
      async () => {
        for (const invitee of await linkedBy(unit, keys)) {
          invitees.set(invitee.uri, invitee);
          for (const uri of [invitee.uri, invitee.old_invitee, invitee.new_invitee]) if (uri) found.add(uri);
        }
      },
      async () => {
        for (const row of await bookingsWith(unit, keys)) {
          stored.set(row.invitee_uri, row);
          found.add(row.invitee_uri);
        }
      },
    ]);
    fresh = new Set([...found].filter((uri) => !asked.has(uri)));
  }
  return { invitees: [...invitees.values()], stored };
}

/** These invitees, and those that name one of them. Three queries: an `or` of the conditions would not use their indexes. */
async function linkedBy(unit: Unit, keys: readonly string[]): Promise<readonly LinkedInvitee[]> {
  const rows = await runForKeys(unit, {
    id: 'links of invitees',
    keys,
    build: (isAmong) =>
      sql<StoredColumns>`${sql.join(
        ['uri', 'old_invitee', 'new_invitee'].map(
          (key) => sql`select ${refs(linkColumns)} from ${target(unit, 'invitees')} where ${isAmong(sql.ref(key))}`,
        ),
        sql` union all `,
      )}`,
  });
  return rows.map((row) => decodeColumns(unit.engine, { table: 'invitees', columns: linkColumns }, row));
}

/** The rows of each booking that has one of these invitees. */
async function bookingsWith(unit: Unit, keys: readonly string[]): Promise<readonly BookingInvitee[]> {
  const table = target(unit, 'booking_invitees');
  const rows = await runForKeys(unit, {
    id: 'bookings of invitees',
    keys,
    build: (isAmong) => sql<StoredColumns>`select * from ${table}
      where booking_uri in (select booking_uri from ${table} where ${isAmong(sql.ref('invitee_uri'))})`,
  });
  return rows.map((row) => decodeRow(unit.engine, 'booking_invitees', row));
}

/** Fills the empty table of a rebuild from its invitees. Few of them have a link. */
export async function fillBookingInvitees(unit: Unit): Promise<void> {
  const invitees = target(unit, 'invitees');
  // Not `not in` or `or`: PostgreSQL would compare every invitee with every link.
  const { rows } = await sql<StoredColumns>`with linked (uri) as materialized (
      select uri from ${invitees} where old_invitee <> '' or new_invitee <> ''
      union select old_invitee from ${invitees} where old_invitee <> ''
      union select new_invitee from ${invitees} where new_invitee <> ''
    )
    select ${refs(linkColumns)} from ${invitees} as mirrored
    where exists (select 1 from linked where linked.uri = mirrored.uri)`.execute(unit.db);
  const links = rows.map((row) => decodeColumns(unit.engine, { table: 'invitees', columns: linkColumns }, row));
  await writeRows(unit, 'booking_invitees', bookingInviteesOf(links));
}
