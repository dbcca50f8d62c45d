// Contacts, oldest first: those added during a traversal come at its end.
import { listContacts } from '#src/upstream/endpoints/contacts.ts';
import type { Resource } from './contract.ts';
import { listPages } from './list-pages.ts';

export const contacts: Resource = {
  name: 'contacts',
  feeds: ['contact.created', 'contact.updated', 'contact.deleted'],
  pages: ({ client }, { from, query, signal } = {}) =>
    listPages(
      {
        name: 'contacts',
        kind: 'contact',
        open: (token) => listContacts(client, { sort: 'created_at:asc', ...query }, { from: token, signal }),
      },
      from,
    ),
};
