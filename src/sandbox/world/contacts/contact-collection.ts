// The address book of one organization: from a handful of contacts to a million, found by URI or address, listed in pages.
import type { Page, PageRequest } from '#src/http/pagination.ts';
import { addressKey } from './contact-entry.ts';
import { createIndexedCollection } from '#src/sandbox/world/indexed-collection.ts';
import { mergePages } from '#src/sandbox/world/page.ts';
import type { ContactEntry } from './contact-entry.ts';
import { matchesSearch } from './contact-search.ts';
import type { ContactSearch } from './contact-search.ts';
import { createContactBase } from './seeded-contacts.ts';
import type { ContactOrder, SeededContacts } from './seeded-contacts.ts';

export interface ContactCollection {
  readonly size: number;
  get(uri: string): ContactEntry | undefined;
  /** The contact that has this address, whether primary or not, and whatever its letter case. */
  byEmail(email: string): ContactEntry | undefined;
  /** Adds the contact, or replaces the one of the same URI. */
  put(entry: ContactEntry): void;
  delete(uri: string): boolean;
  page(order: ContactOrder, request: PageRequest, search: ContactSearch): Page<ContactEntry>;
  /** All of them; made one at a time, so a million can be walked. */
  entries(): Iterable<ContactEntry>;
  /** One of them, by a number from 0 up to, never reaching, 1. */
  pick(fraction: number): ContactEntry | undefined;
  /** Does a piece of what large books need for their lists; answers whether there is more to do. */
  prepare(): boolean;
}

const noContacts: SeededContacts = {
  size: 0,
  entry: () => {
    throw new RangeError('no rows');
  },
  uri: () => '',
  time: () => '',
  rowOf: () => undefined,
  byUpdate: new Uint32Array(),
  prepare: () => false,
  columns: () => [],
};

/** A book of the seeded contacts, and of those put into it: what was put stands for the seeded one of the same URI. */
export function createContactCollection(seeded: SeededContacts = noContacts): ContactCollection {
  const base = createContactBase(seeded);
  const shelf = createIndexedCollection<ContactEntry, ContactOrder, 'email'>({
    orders: { created_at: (entry) => entry.created_at, updated_at: (entry) => entry.updated_at },
    groups: { email: ({ emails }) => emails.map(({ email }) => addressKey(email)) },
  });
  return {
    get size() {
      return base.size + shelf.size;
    },
    get: (uri) => shelf.get(uri) ?? base.get(uri),
    // Seeded ones are in small letters.
    byEmail: (email) => shelf.of('email', addressKey(email))[0] ?? base.byEmail(addressKey(email)),
    put(entry) {
      base.release(entry.uri);
      shelf.put(entry);
    },
    delete: (uri) => base.release(uri) || shelf.delete(uri),
    page(order, request, search) {
      const matches = (entry: ContactEntry): boolean => matchesSearch(entry, search);
      return mergePages([base.page(order, request, search), shelf.page(order, request, matches)], request);
    },
    // A walk may take a while. A contact that is changed meanwhile must not come again among those that were added.
    *entries() {
      yield* base.entries(shelf.get);
      for (const entry of shelf.values()) if (!base.began(entry.uri)) yield entry;
    },
    pick(fraction) {
      const place = fraction * (base.size + shelf.size);
      if (place < base.size) return base.pick(place / base.size);
      const [entry] = shelf.values().drop(Math.floor(place - base.size));
      return entry;
    },
    prepare: seeded.prepare,
  };
}
