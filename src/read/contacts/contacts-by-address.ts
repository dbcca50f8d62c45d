// Finds people by e-mail address, ignoring letter case: their open no-show marks, contacts and bookings. Queries are batched.
import { sql } from 'kysely';
import { emailAmong, lowerCaseEmail } from '#src/store/sql-dialect.ts';
import type { Readable } from '#src/store/contract.ts';
import { chunks, inChunks } from '#src/store/prepared-sql.ts';

/** An open no-show mark. */
export interface NoShowMark {
  readonly inviteeUri: string;
  readonly noShowUri: string;
  readonly markedAt: string;
}

/** The open no-show marks of the people with these addresses (in lower case), or of these invitees, oldest first. */
export async function openMarks(
  { db, engine }: Readable,
  by: 'address' | 'invitee',
  values: readonly string[],
): Promise<ReadonlyMap<string, readonly NoShowMark[]>> {
  const column = by === 'address' ? engine.dialect.lowerCase('invitees.email') : sql.ref('invitees.uri');
  const rows = await inChunks(values, (chunk) =>
    db
      .selectFrom('invitees')
      .select(['invitees.uri', 'invitees.email', 'invitees.no_show_uri', 'invitees.no_show_at'])
      .where('invitees.no_show_uri', 'is not', null)
      .where(isMissed)
      .where(sql<boolean>`${column} in (${sql.join(chunk)})`)
      .execute(),
  );
  const found = rows.map(({ uri, email, no_show_uri: noShowUri, no_show_at: markedAt }) => ({
    key: by === 'address' ? lowerCaseEmail(email ?? '') : uri,
    mark: { inviteeUri: uri, noShowUri: noShowUri ?? '', markedAt: markedAt ?? '' },
  }));
  const sorted = found.toSorted((a, b) => (orderOf(a.mark) < orderOf(b.mark) ? -1 : 1));
  const byKey = Map.groupBy(sorted, ({ key }) => key);
  return new Map([...byKey].map(([key, marks]) => [key, marks.map(({ mark }) => mark)]));
}

const isMissed = sql<boolean>`exists (select 1 from ${sql.table('bookings')}
  where bookings.last_invitee = invitees.uri and bookings.outcome = 'no_show')`;

const orderOf = ({ markedAt, inviteeUri }: NoShowMark): string => `${markedAt} ${inviteeUri}`;

/** The invitees of the same bookings, before and after each move; none of a booking that was never moved. */
export async function inviteesOfSameBookings(
  { db }: Readable,
  invitees: readonly string[],
): Promise<readonly string[]> {
  const rows = await inChunks(invitees, (chunk) =>
    db
      .selectFrom('booking_invitees as one')
      .innerJoin('booking_invitees as other', 'other.booking_uri', 'one.booking_uri')
      .select('other.invitee_uri')
      .where('one.invitee_uri', 'in', chunk)
      .where('other.position', 'is not', null)
      .execute(),
  );
  return rows.map(({ invitee_uri: uri }) => uri);
}

/** The contacts with these addresses. A contact whose primary address it is comes before one that also has the address. */
export async function contactsByAddress(
  { db, engine }: Readable,
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
          uri,
          isPrimary: engine.decode('flag', is_primary) === true,
        });
    }
  const sorted = found.toSorted((a, b) => Number(b.isPrimary) - Number(a.isPrimary) || (a.uri < b.uri ? -1 : 1));
  const byAddress = Map.groupBy(sorted, ({ address }) => address);
  return new Map([...byAddress].map(([address, contacts]) => [address, contacts.map(({ uri }) => uri)]));
}

/** The e-mail addresses of these contacts, in lower case. */
export async function addressesOf({ db }: Readable, contacts: readonly string[]): Promise<readonly string[]> {
  const rows = await inChunks(contacts, (chunk) =>
    db.selectFrom('contact_emails').select('email').where('contact_uri', 'in', chunk).execute(),
  );
  return rows.map(({ email }) => lowerCaseEmail(email));
}

/** Every booking of the people with these addresses (in lower case). */
export async function bookingsByAddress(
  { db, engine }: Readable,
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
export async function bookingsOfEvents({ db }: Readable, events: readonly string[]): Promise<readonly string[]> {
  const rows = await inChunks(events, (chunk) =>
    db.selectFrom('invitees').select('uri').where('event_uri', 'in', chunk).execute(),
  );
  return rows.map(({ uri }) => uri);
}

export const distinct = (values: readonly (string | null | undefined)[]): readonly string[] => [
  ...new Set(values.filter((value) => value !== null && value !== undefined)),
];
