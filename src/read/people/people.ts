// Rows of the view `people` by contact or address, and the people without a contact, page by page.
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { StoredColumns, StoredKinds } from '#src/store/columns.ts';
import type { Readable } from '#src/store/contract.ts';
import { containsText, emailAmong, lowerCaseEmail } from '#src/store/sql-dialect.ts';
import { decodeViewRow } from '#src/store/views/view.ts';
import { viewColumns } from '#src/store/views/views.ts';
import { isWithoutContact, mostContacts, peopleSql } from './connected-contacts.ts';
import { findContacts } from '#src/read/contacts/contact-page.ts';
import type { PageRequest } from '#src/store/keyset.ts';
import { scanRows, type ScannedPage } from '#src/store/record-search.ts';

const columns = viewColumns('people');

/** A row of the view `people`, which says what its columns mean. */
export interface Person {
  readonly person: string;
  readonly contact_uri: string | null;
  readonly name: string | null;
  readonly primary_email: string | null;
  readonly emails: readonly string[];
  readonly contacts: number;
  readonly contact_uris: readonly string[];
  readonly first_touch: string | null;
  readonly last_touch: string | null;
  readonly bookings: number;
  readonly came: number;
  readonly unknown: number;
  readonly no_shows: number;
  readonly last_campaign: string | null;
  readonly next_meeting: string | null;
  readonly last_meeting: string | null;
}

/** In the order of the list, each person once; deleted contacts are left out. */
export async function peopleOfContacts(store: Readable, contacts: readonly string[]): Promise<readonly Person[]> {
  const { db, engine } = store;
  if (contacts.length === 0) return [];
  const theirs = sql`contacts.uri in (${sql.join(contacts)}) and contacts.deleted_at is null`;
  const { rows } = await sql<{ uris: StoredKinds['json'] }>`${peopleSql[engine.name].connected(theirs)}`.execute(db);
  const candidates = new Set(rows.flatMap(({ uris }) => textsIn(engine.decode('json', uris))));
  const found = await peopleNamed(store, [...candidates], sql<SqlBool>`contact_uri is not null`);
  const byContact = new Map(found.flatMap((row) => row.contact_uris.map((uri) => [uri, row] as const)));
  return [...new Set(contacts.flatMap((uri) => byContact.get(uri) ?? []))];
}

const textsIn = (list: unknown): readonly string[] =>
  (Array.isArray(list) ? list : []).filter((each) => typeof each === 'string');

/** The person with an address, in any letter case. */
export async function personByAddress(store: Readable, address: string): Promise<Person | undefined> {
  const { db, engine } = store;
  const lowered = lowerCaseEmail(address);
  const [exact, other] = emailAmong(engine.dialect, [lowered]);
  const holding = sql`select contact_uri as uri from ${sql.table('contact_emails')} join ${sql.table('contacts')} on contacts.uri = contact_uri
    where contacts.deleted_at is null`;
  const { rows: holders } = await sql<{ uri: string }>`${holding} and ${exact} union ${holding} and ${other}
    limit ${mostContacts + 1}`.execute(db);
  const contacts = await peopleOfContacts(
    store,
    holders.map(({ uri }) => uri),
  );
  const having = contacts.find(({ emails }) => emails.includes(lowered));
  if (having !== undefined) return having;
  const { rows: first } = await sql<{ uri: string }>`select uri from (
      select uri, created_at from ${sql.table('invitees')} where ${exact} union all select uri, created_at from ${sql.table('invitees')} where ${other}
    ) as bookings order by created_at is null, created_at, ${engine.dialect.bytes(sql`uri`)} limit 1`.execute(db);
  const uris = first.map(({ uri }) => uri);
  return (await peopleNamed(store, uris, sql<SqlBool>`contact_uri is null`))[0];
}

/** The people without a contact, in the order of their first bookings. One page looks at a limited number of bookings. */
export async function findWithoutContact(
  store: Readable,
  name: string | undefined,
  page: PageRequest,
): Promise<ScannedPage<Person>> {
  const { dialect } = store.engine;
  const isNamed = name === undefined ? [] : [containsText(dialect, 'invitees.name', name)];
  const filters = [...isNamed, isWithoutContact(store.engine)];
  const { items, ...ends } = await scanRows(store, 'invitees', { order: 'created_at', page, where: [], filters });
  const uris = items.map(({ uri }) => uri);
  const found = await peopleNamed(store, uris, sql<SqlBool>`contact_uri is null`);
  const byUri = new Map(found.map((row) => [row.person, row]));
  return { ...ends, items: uris.flatMap((uri) => byUri.get(uri) ?? []) };
}

async function peopleNamed(
  { db, engine }: Readable,
  uris: readonly string[],
  which: RawBuilder<SqlBool>,
): Promise<readonly Person[]> {
  if (uris.length === 0) return [];
  const { rows } =
    await sql<StoredColumns>`select * from ${sql.table('people')} where person in (${sql.join(uris)}) and ${which}`.execute(
      db,
    );
  return rows.map((row) => {
    const decoded = decodeViewRow(engine, columns, row);
    const { emails, contact_uris } = decoded;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the columns of the view, as their kinds say
    return { ...decoded, emails: textsIn(emails), contact_uris: textsIn(contact_uris) } as unknown as Person;
  });
}

export interface PeopleSearch {
  /** Whole, in any letter case. */
  readonly email?: string | undefined;
  /** A part of the name of a contact, or of the first booking. */
  readonly name?: string | undefined;
  /** `false`: those without a contact, by first booking. */
  readonly contact?: 'true' | 'false' | undefined;
}

/**
 * Without filters: those with a contact, in the order in which their contacts were created. A page may have fewer than `count`, because a
 * person with several contacts is listed once; with `name`, a person may be on several pages. Of the people without a contact a page examines
 * a limited number of bookings, and the next one continues.
 */
export async function findPeople(
  store: Readable,
  { email, name, contact }: PeopleSearch,
  page: PageRequest,
): Promise<ScannedPage<Person>> {
  if (email !== undefined) {
    const found = await personByAddress(store, email);
    const isWanted = contact === undefined || (found?.contact_uri === null) === (contact === 'false');
    const items = found === undefined || !isWanted ? [] : [found];
    return { first: undefined, last: undefined, hasNext: false, hasPrevious: false, items };
  }
  if (contact === 'false') return findWithoutContact(store, name, page);
  const search = name === undefined ? {} : { name: [name] };
  const found = await findContacts(store, { search, order: 'created_at', page });
  const uris = new Set(found.items.map(({ uri }) => uri));
  const people = await peopleOfContacts(store, [...uris]);
  const positionOf = ({ created_at: key, uri }: (typeof found.items)[number]) => ({ key: String(key), uri });
  const [first, last] = [found.items[0], found.items.at(-1)].map((item) => item && positionOf(item));
  const { hasNext, hasPrevious } = found;
  const items = name === undefined ? people.filter((each) => uris.has(each.person)) : people;
  return { first, last, hasNext, hasPrevious, items };
}
