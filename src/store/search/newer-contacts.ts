// How far the table of the contact search has come, and the contacts that have changed since: those are compared one by one.
import { sql } from 'kysely';
import type { Store } from '#src/store/contract.ts';
import { readValue } from '#src/store/key-value.ts';
import { lastSeq } from '#src/store/log/read.ts';
import { columnFilters, meets, type Searched, type TextsOf } from './contact-match.ts';
import { searchState } from './contact-follower.ts';
import type { KeysetPosition, Way } from './keyset.ts';

export type ContactOrder = 'created_at' | 'updated_at';

export interface FoundContact extends KeysetPosition {
  readonly texts: TextsOf;
}

export interface NewerContacts {
  /** The last log entry that the search has followed. */
  readonly offset: number;
  /** Whether a later entry is about this contact: its row in the search may be outdated. */
  has(uri: string): boolean;
  /** Those of them that match, after a position, in order. */
  after(way: Way, from: KeysetPosition | undefined, asked: Searched): readonly FoundContact[];
}

type Contact = TextsOf &
  Readonly<Record<ContactOrder, string | null>> & { readonly uri: string; readonly deleted_at: string | null };

/** Undefined where the table cannot be used: it is not filled, or more than `most` entries behind. */
export async function newerContacts(store: Store, most: number): Promise<NewerContacts | undefined> {
  const state = await readValue(store, searchState);
  if (state === undefined || state.filled !== null) return undefined;
  const { offset } = state;
  const end = await lastSeq(store);
  if (end - offset > most) return undefined;
  const contacts = end > offset ? await contactsOf(store, { offset, end }) : [];
  const uris = new Set(contacts.map(({ uri }) => uri));
  return {
    offset,
    has: (uri) => uris.has(uri),
    after(way, from, asked) {
      const sign = way.ascending ? 1 : -1;
      const isBeyond = (found: FoundContact) => from === undefined || sign * comparePositions(found, from) > 0;
      return contacts
        .filter((contact) => contact.deleted_at === null && meets(contact, asked))
        .flatMap((contact) => foundBy(way, contact))
        .filter(isBeyond)
        .toSorted((a, b) => sign * comparePositions(a, b));
    },
  };
}

/** The contacts of these log entries, deleted ones included. An entry about a contact has its URI as the subject. */
async function contactsOf(
  { db }: Store,
  { offset, end }: { readonly offset: number; readonly end: number },
): Promise<readonly Contact[]> {
  const columns = sql.join(columnFilters.map((name) => sql.ref(name)));
  const { rows } = await sql<Contact>`select uri, created_at, updated_at, deleted_at, ${columns} from contacts
    where uri in (select subject_uri from event_log where seq > ${offset} and seq <= ${end})`.execute(db);
  return rows;
}

/** A list sorted by a time leaves out contacts without it. */
function foundBy(
  { order }: Way,
  { uri, created_at, updated_at, deleted_at: _deletedAt, ...texts }: Contact,
): FoundContact[] {
  const key = order === 'updated_at' ? updated_at : created_at;
  return key === null ? [] : [{ key, uri, texts }];
}

/** As the database compares them: URIs by bytes. */
export const comparePositions = (a: KeysetPosition, b: KeysetPosition): number =>
  a.key === b.key ? Buffer.compare(Buffer.from(a.uri), Buffer.from(b.uri)) : a.key < b.key ? -1 : 1;
