// People by their address, whatever its letter case: their open marks, their contacts, their bookings. Asked for many at a time.
import { sql } from 'kysely';
import { emailAmong, lowerCaseEmail } from '#src/store/email-case.ts';
import type { Store, Unit } from '#src/store/contract.ts';
import { chunks } from '#src/store/prepared-sql.ts';
import type { TableRow } from '#src/store/tables.ts';
import type { OpenMark } from './rule.ts';

type Missable = Pick<TableRow<'invitees'>, 'no_show_uri' | 'status' | 'rescheduled' | 'new_invitee'>;

/** Marked, and still a booking: what was canceled or moved was not missed. */
export const isMissed = ({ no_show_uri, status, rescheduled, new_invitee }: Missable): boolean =>
  no_show_uri !== null && status !== 'canceled' && rescheduled !== true && new_invitee === null;

/** All open marks of the people with these addresses (in small letters), oldest first. */
export async function marksByAddress(
  { db, engine }: Store | Unit,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, readonly OpenMark[]>> {
  const column = engine.dialect.lowerCase('email');
  const found: { readonly address: string; readonly mark: OpenMark }[] = [];
  for (const chunk of chunks(addresses)) {
    const rows = await db
      .selectFrom('invitees')
      .select(['uri', 'email', 'no_show_uri', 'no_show_at', 'status', 'rescheduled', 'new_invitee'])
      .where('no_show_uri', 'is not', null)
      .where(sql<boolean>`${column} in (${sql.join(chunk)})`)
      .execute();
    for (const row of rows) {
      const { uri, email, no_show_uri, no_show_at, status, new_invitee } = row;
      const rescheduled = engine.decode('flag', row.rescheduled);
      if (!isMissed({ no_show_uri, status, rescheduled, new_invitee })) continue;
      const markedAt = String(no_show_at);
      found.push({
        address: lowerCaseEmail(email ?? ''),
        mark: { inviteeUri: uri, noShowUri: no_show_uri ?? '', markedAt },
      });
    }
  }
  const sorted = found.toSorted((a, b) => (orderOf(a.mark) < orderOf(b.mark) ? -1 : 1));
  const byAddress = Map.groupBy(sorted, ({ address }) => address);
  return new Map([...byAddress].map(([address, marks]) => [address, marks.map(({ mark }) => mark)]));
}

const orderOf = ({ markedAt, inviteeUri }: OpenMark): string => `${markedAt} ${inviteeUri}`;

/** The contacts with these addresses, the likeliest first: an address may be one of several of one, and the first of another. */
export async function contactsByAddress(
  { db, engine }: Store | Unit,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found: { readonly address: string; readonly uri: string; readonly isPrimary: boolean }[] = [];
  for (const chunk of chunks(addresses))
    for (const condition of emailAmong(engine.dialect, chunk)) {
      const rows = await db
        .selectFrom('contact_emails')
        .select(['contact_uri', 'email', 'is_primary'])
        .where(condition)
        .execute();
      for (const { contact_uri: uri, email, is_primary } of rows)
        found.push({
          address: lowerCaseEmail(email),
          uri: uri,
          isPrimary: engine.decode('flag', is_primary) === true,
        });
    }
  const sorted = found.toSorted((a, b) => Number(b.isPrimary) - Number(a.isPrimary) || (a.uri < b.uri ? -1 : 1));
  const byAddress = Map.groupBy(sorted, ({ address }) => address);
  return new Map([...byAddress].map(([address, contacts]) => [address, contacts.map(({ uri }) => uri)]));
}

/** The addresses of these contacts, in small letters. */
export async function addressesOf({ db }: Store | Unit, contacts: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const chunk of chunks(contacts)) {
    const rows = await db.selectFrom('contact_emails').select('email').where('contact_uri', 'in', chunk).execute();
    found.push(...rows.map(({ email }) => lowerCaseEmail(email)));
  }
  return found;
}

/** Every booking of the people with these addresses (in small letters). */
export async function bookingsByAddress(
  { db, engine }: Store | Unit,
  addresses: readonly string[],
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const chunk of chunks(addresses))
    for (const condition of emailAmong(engine.dialect, chunk)) {
      const rows = await db.selectFrom('invitees').select('uri').where(condition).execute();
      found.push(...rows.map(({ uri }) => uri));
    }
  return found;
}

/** Every booking of these meetings. */
export async function bookingsOfEvents({ db }: Store | Unit, events: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const chunk of chunks(events)) {
    const rows = await db.selectFrom('invitees').select('uri').where('event_uri', 'in', chunk).execute();
    found.push(...rows.map(({ uri }) => uri));
  }
  return found;
}
