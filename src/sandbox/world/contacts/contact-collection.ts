// The contacts of one organization, from a handful to a million: found by URI or address, listed in pages.
import type { Page, PageRequest } from '#src/http/pagination.ts';
import { createIndexedCollection } from '#src/sandbox/world/indexed-collection.ts';
import { mergePages } from '#src/sandbox/world/page.ts';
import { addressKey, type ContactEntry } from './contact-entry.ts';
import { matchesSearch, type ContactSearch } from './contact-search.ts';
import { createRemainingContacts, type ContactOrder, type SeededContacts } from './seeded-contacts.ts';

export interface ContactCollection {
  readonly size: number;
  get(uri: string): ContactEntry | undefined;
  /** The contact with this address, primary or not; case does not matter. */
  byEmail(email: string): ContactEntry | undefined;
  /** Adds the contact, or replaces the one with the same URI. */
  put(entry: ContactEntry): void;
  delete(uri: string): boolean;
  page(order: ContactOrder, request: PageRequest, search: ContactSearch): Page<ContactEntry>;
  /** All contacts, computed one at a time. */
  entries(): Iterable<ContactEntry>;
  /** One contact, chosen by a number from 0 (inclusive) to 1 (exclusive). */
  pick(fraction: number): ContactEntry | undefined;
}

/** A stored contact replaces the seeded one with the same URI. */
export function createContactCollection(contacts: SeededContacts = noContacts): ContactCollection {
  const seeded = createRemainingContacts(contacts);
  const stored = createIndexedCollection<ContactEntry, ContactOrder, 'email'>({
    orders: { created_at: (entry) => entry.created_at, updated_at: (entry) => entry.updated_at },
    groups: { email: ({ emails }) => emails.map(({ email }) => addressKey(email)) },
  });
  return {
    get size() {
      return seeded.size + stored.size;
    },
    get: (uri) => stored.get(uri) ?? seeded.get(uri),
    // Seeded addresses are lower-case.
    byEmail: (email) => stored.of('email', addressKey(email))[0] ?? seeded.byEmail(addressKey(email)),
    put(entry) {
      seeded.remove(entry.uri);
      stored.put(entry);
    },
    delete: (uri) => seeded.remove(uri) || stored.delete(uri),
    page(order, request, search) {
      const matches = (entry: ContactEntry): boolean => matchesSearch(entry, search);
      return mergePages([seeded.page(order, request, search), stored.page(order, request, matches)], request);
    },
    // The caller may change contacts between two steps: a seeded contact that is changed must not be returned twice.
    *entries() {
      yield* seeded.entries(stored.get);
      for (const entry of stored.values()) if (!seeded.wasSeeded(entry.uri)) yield entry;
    },
    pick(fraction) {
      const index = fraction * (seeded.size + stored.size);
      if (index < seeded.size) return seeded.pick(index / seeded.size);
      const [entry] = stored.values().drop(Math.floor(index - seeded.size));
      return entry;
    },
  };
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
  column: () => ({ values: [], codes: new Uint32Array() }),
};
