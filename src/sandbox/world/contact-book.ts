// The address book of one organization: from a handful of contacts to a million, found by URI or address, listed in pages.
import type { ContactEntry } from './contact-entry.ts';
import { matchesSearch } from './contact-search.ts';
import type { ContactSearch } from './contact-search.ts';
import type { Page, PageRequest } from './page.ts';
import { createShelf } from './shelf.ts';

export type ContactOrder = 'created_at' | 'updated_at';
export interface ContactBook {
  readonly size: number;
  get(uri: string): ContactEntry | undefined;
  /** The contact that has this address, whether primary or not. */
  byEmail(email: string): ContactEntry | undefined;
  /** Adds the contact, or replaces the one of the same URI. */
  put(entry: ContactEntry): void;
  delete(uri: string): boolean;
  page(order: ContactOrder, request: PageRequest, search: ContactSearch): Page<ContactEntry>;
  /** All of them; made one at a time, so a million can be walked. */
  entries(): Iterable<ContactEntry>;
  /** One of them, by a number from 0 up to, never reaching, 1. */
  pick(fraction: number): ContactEntry | undefined;
}

/** A book of the contacts put into it. */
export function createContactBook(): ContactBook {
  const shelf = createShelf<ContactEntry, ContactOrder, 'email'>({
    orders: { created_at: (entry) => entry.created_at, updated_at: (entry) => entry.updated_at },
    groups: { email: ({ emails }) => emails.map(({ email }) => email) },
  });
  return {
    get size() {
      return shelf.size;
    },
    get: shelf.get,
    byEmail: (email) => shelf.of('email', email)[0],
    put: shelf.put,
    delete: shelf.delete,
    page: (order, request, search) => shelf.page(order, request, (entry) => matchesSearch(entry, search)),
    entries: shelf.values,
    pick: (fraction) => [...shelf.values()][Math.floor(fraction * shelf.size)],
  };
}
