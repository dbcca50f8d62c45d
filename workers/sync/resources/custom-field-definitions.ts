// The definitions of the custom fields of contacts.
import { listCustomFieldDefinitions } from '#src/upstream/endpoints/contacts.ts';
import type { Resource } from './contract.ts';
import { listPages } from './list-pages.ts';

export const customFieldDefinitions: Resource = {
  name: 'custom_field_definitions',
  feeds: ['contact.created', 'contact.updated', 'contact.deleted'],
  pages: ({ client }, { from, query, signal } = {}) =>
    listPages(
      {
        name: 'custom field definitions',
        kind: 'custom_field_definition',
        open: (token) => listCustomFieldDefinitions(client, { ...query }, { from: token, signal }),
      },
      from,
    ),
};
