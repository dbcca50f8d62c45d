// Finds people by e-mail address, ignoring letter case: their open no-show marks, contacts and bookings. Queries are batched.
import { sql } from 'kysely';
import { emailAmong, lowerCaseEmail } from '#src/store/sql-dialect.ts';
import type { Store, Unit } from '#src/store/contract.ts';
import { chunks } from '#src/store/prepared-sql.ts';
import type { TableRow } from '#src/store/tables.ts';

/** An open no-show mark. */
export interface NoShowMark {
  readonly inviteeUri: string;
  readonly noShowUri: string;
  readonly markedAt: string;
}

type MarkColumns = Pick<TableRow<'invitees'>, 'no_show_uri' | 'status' | 'rescheduled' | 'new_invitee'>;

/** Marked and still booked: a canceled or rescheduled booking is no no-show. */
export const isNoShow = ({ no_show_uri, status, rescheduled, new_invitee }: MarkColumns): boolean =>
  no_show_uri !== null && status !== 'canceled' && rescheduled !== true && new_invitee === null;

/** All open no-show marks of the people with these addresses (in lower case), oldest first. */
export async function marksByAddress(
  { db, engine }: Store | Unit,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, readonly NoShowMark[]>> {
  const column = engine.dialect.lowerCase('email');
  const found: { readonly address: string; readonly mark: NoShowMark }[] = [];
  for (const chunk of chunks(addresses)) {
    const rows = await db
      .selectFrom('invitees')
      .select(['uri', 'email', 'no_show_uri', 'no_show_at', 'status', 'rescheduled', 'new_invitee'])
      .where('no_show_uri', 'is not', null)
      .where(sql<boolean>`${column} in (${sql.join(chunk)})`)
      .execute();
    for (const { uri, email, no_show_uri: noShowUri, no_show_at: markedAt, rescheduled, ...row } of rows)
      if (
        noShowUri !== null &&
        isNoShow({ ...row, no_show_uri: noShowUri, rescheduled: engine.decode('flag', rescheduled) })
      )
        found.push({
          address: lowerCaseEmail(email ?? ''),
          mark: { inviteeUri: uri, noShowUri, markedAt: markedAt ?? '' },
        });
  }
  const sorted = found.toSorted((a, b) => (orderOf(a.mark) < orderOf(b.mark) ? -1 : 1));
  const byAddress = Map.groupBy(sorted, ({ address }) => address);
  return new Map([...byAddress].map(([address, marks]) => [address, marks.map(({ mark }) => mark)]));
}

const orderOf = ({ markedAt, inviteeUri }: NoShowMark): string => `${markedAt} ${inviteeUri}`;

/** The contacts with these addresses. A contact whose primary address it is comes before one that also has the address. */
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
          uri,
          isPrimary: engine.decode('flag', is_primary) === true,
        });
    }
  const sorted = found.toSorted((a, b) => Number(b.isPrimary) - Number(a.isPrimary) || (a.uri < b.uri ? -1 : 1));
  const byAddress = Map.groupBy(sorted, ({ address }) => address);
  return new Map([...byAddress].map(([address, contacts]) => [address, contacts.map(({ uri }) => uri)]));
}

/** The e-mail addresses of these contacts, in lower case. */
export async function addressesOf({ db }: Store | Unit, contacts: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const chunk of chunks(contacts)) {
    const rows = await db.selectFrom('contact_emails').select('email').where('contact_uri', 'in', chunk).execute();
    found.push(...rows.map(({ email }) => lowerCaseEmail(email)));
  }
  return found;
}

/** Every booking of the people with these addresses (in lower case). */
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

export const distinct = (values: readonly (string | null | undefined)[]): readonly string[] => [
  ...new Set(values.filter((value) => value !== null && value !== undefined)),
];
