// Reading contacts: the list with its filters, and one of them.
import { contactGetQuery, contactListQuery } from '#schemas/contact-request.ts';
import { contactResource } from '#schemas/resources/contact.ts';
import { notFound } from '#src/http/http-error.ts';
import type { ContactOrder } from '#src/sandbox/world/contacts/seeded-contacts.ts';
import { contactsOf, contactRecord } from '#src/sandbox/world/contacts/contacts.ts';
import { permitContacts } from './contact-permission.ts';
import { listing } from '#src/http/pagination.ts';
import { defineOperation } from './operation.ts';

export const contactOperations = [
  defineOperation({
    id: 'listContacts',
    method: 'GET',
    path: '/contacts',
    summary: 'The contacts of the organization',
    scopes: ['contacts:read'],
    permits: permitContacts,
    query: contactListQuery,
    answers: 'collection',
    schema: contactResource,
    run({ service, caller, query, pageIn }) {
      const { count: _count, page_token: _token, sort: keys = [], exclude, ...search } = query;
      // No two contacts share a time, so a second key never comes to decide.
      const [sort = 'created_at:asc'] = keys;
      const [field] = sort.split(':') as [ContactOrder];
      const book = contactsOf(service, caller.organization.uri);
      const page = book.page(field, pageIn(sort), search);
      return listing(page, (entry) => contactRecord(service, entry, { withoutCustomFields: exclude !== undefined }));
    },
  }),
  defineOperation({
    id: 'getContact',
    method: 'GET',
    path: '/contacts/{uuid}',
    summary: 'One contact',
    scopes: ['contacts:read'],
    permits: permitContacts,
    query: contactGetQuery,
    answers: 'resource',
    schema: contactResource,
    run({ service, caller, uri, query }) {
      const entry = contactsOf(service, caller.organization.uri).get(uri);
      if (entry === undefined) throw notFound('No such contact.');
      return contactRecord(service, entry, { withoutCustomFields: query.exclude !== undefined });
    },
  }),
] as const;
