// Finds contacts, hosts and bookings by what a person types: a part of a name or a company, an e-mail address or a phone number. What begins
// with the text comes first, then what has a word that does, then what only contains it; of these, the newest.
import { sql, type SqlBool } from 'kysely';
import type { Readable } from '#src/store/contract.ts';
import { findRows, isNotDeleted, tableRows } from '#src/store/record-search.ts';
import { containsText, lowerCaseEmail } from '#src/store/sql-dialect.ts';
import type { TableRow } from '#src/store/schema/tables.ts';
import { newestBookings, type BookingRow } from './bookings/bookings.ts';
import { findContacts } from './contacts/contact-page.ts';
import { contactsByAddress } from './contacts/contacts-by-address.ts';

export interface Found<Row> {
  readonly rows: readonly Row[];
  readonly isMore: boolean;
}

export type FoundContact = TableRow<'contacts'>;
export type FoundHost = Pick<TableRow<'users'>, 'uri' | 'name' | 'email'>;

/** Of what contains the text, these many of the newest are put in order. Of a text that more contain, those that begin with it are looked for. */
const candidates = 200;
/** A row of a booking costs more. */
const mostBookings = 50;

/** A whole address is looked up; a part of one would be found in too many. */
export const isAddress = (text: string): boolean => /^\S+@\S+\.\S+$/.test(text);

const isPhoneNumber = (text: string): boolean => /^[+\d\s().-]{4,40}$/.test(text) && digitsOf(text).length >= 4;
const digitsOf = (text: string): string => text.replaceAll(/\D/g, '');

export async function searchContacts(store: Readable, text: string, most: number): Promise<Found<FoundContact>> {
  if (isAddress(text)) return firstOf(await contactsNamed(store, await contactsWith(store, text)), most);
  if (isPhoneNumber(text)) return firstOf(await contactsNamed(store, await contactsByPhoneNumber(store, text)), most);
  const found: FoundContact[] = [];
  for (const column of ['name', 'company'] as const) {
    const containing = await contactPage(store, { [column]: [text] });
    found.push(...containing);
    if (containing.length === candidates) found.push(...(await contactsBeginning(store, column, text, most)));
  }
  return firstOf(
    ranked(uniqueByUri(found), text, ({ name, company }) => [name, company]),
    most,
  );
}

export async function searchHosts(store: Readable, text: string, most: number): Promise<Found<FoundHost>> {
  const { db, engine } = store;
  const isMeant = isAddress(text)
    ? sql<SqlBool>`${engine.dialect.lowerCase('users.email')} = ${lowerCaseEmail(text)}`
    : containsText(engine.dialect, 'users.name', text);
  const rows = await db
    .selectFrom('users')
    .select(['uri', 'name', 'email'])
    .where(isMeant)
    .orderBy('created_at', 'desc')
    .orderBy('uri')
    .limit(candidates)
    .execute();
  return firstOf(
    ranked(rows, text, ({ name }) => [name]),
    most,
  );
}

/** By the invitee. */
export async function searchBookings(store: Readable, text: string, most: number): Promise<Found<BookingRow>> {
  const isWhole = isAddress(text);
  const search = isWhole ? { email: text } : { q: text };
  const { rows, hasNext } = await newestBookings(store, search, isWhole ? most : mostBookings);
  if (isWhole) return { rows, isMore: hasNext };
  return firstOf(
    ranked(rows, text, ({ invitee_name: name, invitee_email: email }) => [name, email]),
    most,
  );
}

async function contactsWith(store: Readable, address: string): Promise<readonly string[]> {
  return [...(await contactsByAddress(store, [lowerCaseEmail(address)])).values()].flat();
}

async function contactPage(
  store: Readable,
  search: Parameters<typeof findContacts>[1]['search'],
): Promise<readonly FoundContact[]> {
  const page = { count: candidates, descending: true, backwards: false };
  return (await findContacts(store, { search, order: 'created_at', page })).items;
}

/** Many contain the text, so those that begin with it are soon met in the order of their creation. */
async function contactsBeginning(
  store: Readable,
  column: 'name' | 'company',
  text: string,
  most: number,
): Promise<readonly FoundContact[]> {
  const { dialect } = store.engine;
  const begins = sql<SqlBool>`${dialect.lowerCase(`contacts.${column}`)} like ${`${escaped(text)}%`} escape '\\'`;
  const page = { count: most, descending: true, backwards: false };
  return (await findRows(store, tableRows('contacts'), { order: 'created_at', page, where: [isNotDeleted, begins] }))
    .items;
}

const escaped = (text: string): string => lowerCaseEmail(text).replaceAll(/[\\%_]/g, String.raw`\$&`);

/** However its digits are grouped. */
async function contactsByPhoneNumber({ db }: Readable, text: string): Promise<readonly string[]> {
  const digits = sql`replace(replace(replace(replace(replace(phone_number, ' ', ''), '-', ''), '.', ''), '(', ''), ')', '')`;
  const { rows } = await sql<{
    uri: string;
  }>`select distinct contact_uri as uri from ${sql.table('contact_phone_numbers')}
    where ${digits} like ${`%${digitsOf(text)}%`} limit ${candidates}`.execute(db);
  return rows.map(({ uri }) => uri);
}

async function contactsNamed(store: Readable, uris: readonly string[]): Promise<readonly FoundContact[]> {
  if (uris.length === 0) return [];
  const page = { count: candidates, descending: true, backwards: false };
  const where = [isNotDeleted, sql<SqlBool>`uri in (${sql.join(uris)})`];
  return (await findRows(store, tableRows('contacts'), { order: 'created_at', page, where })).items;
}

const firstOf = <Row>(rows: readonly Row[], most: number): Found<Row> => ({
  rows: rows.slice(0, most),
  isMore: rows.length > most,
});

function uniqueByUri<Row extends { readonly uri: string }>(rows: readonly Row[]): readonly Row[] {
  return [...new Map(rows.map((row) => [row.uri, row])).values()];
}

/** Equal ones stay in their order. */
function ranked<Row>(
  rows: readonly Row[],
  text: string,
  textsOf: (row: Row) => readonly (string | null)[],
): readonly Row[] {
  const rankOf = (row: Row): number => Math.min(...textsOf(row).map((found) => rankIn(found, text)));
  return rows
    .map((row) => ({ row, rank: rankOf(row) }))
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ row }) => row);
}

function rankIn(found: string | null, text: string): number {
  const [whole, part] = [(found ?? '').toLowerCase(), text.toLowerCase()];
  if (whole.startsWith(part)) return 0;
  const at = [...whole.matchAll(/[\p{L}\p{N}]+/gu)].some(({ index }) => whole.startsWith(part, index));
  return at ? 1 : 2;
}
