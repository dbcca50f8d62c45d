// Contacts and their custom fields: searching, reading, creating, changing and deleting.
import type { z } from 'zod';
import {
  contactCreateRequest,
  contactGetQuery,
  contactListQuery,
  contactUpdateRequest,
} from '#schemas/contact-request.ts';
import { pageQuery } from '#schemas/pagination.ts';
import { contactResource, customFieldDefinitionResource } from '#schemas/resources/contact.ts';
import { notFound } from '#src/http/http-error.ts';
import { listing } from '#src/http/pagination.ts';
import { searchOf, type ContactDetails, type ContactEntry } from '#src/sandbox/world/contacts/contact-entry.ts';
import {
  contactsOf,
  contactRecord,
  createContact,
  deleteContact,
  updateContact,
  mergeValues,
} from '#src/sandbox/world/contacts/contacts.ts';
import { definitionRecord } from '#src/sandbox/world/contacts/custom-fields.ts';
import { found, given, type Service, type StoredDefinition } from '#src/sandbox/world/service.ts';
import { permitContacts } from './permissions.ts';
import { create, get, list, remove, update, type ServiceContext } from './service-operation.ts';

const reading = { scopes: ['contacts:read'], permits: permitContacts } as const;
const writing = { scopes: ['contacts:write'], permits: permitContacts } as const;

export const contactOperations = [
  list('listContacts', '/contacts', {
    ...reading,
    summary: 'The contacts of the organization',
    query: contactListQuery,
    schema: contactResource,
    run({ service, caller, query, pageIn }) {
      const { count: _count, page_token: _token, sort: keys = [], exclude, ...search } = query;
      // No two contacts have the same time, so a second sort key never decides.
      const [sort = 'created_at:asc'] = keys;
      const field = sort.startsWith('updated_at') ? 'updated_at' : 'created_at';
      const page = contactsOf(service, caller.organization.uri).page(field, pageIn(sort), searchOf(search));
      return listing(page, (entry) => contactRecord(service, entry, { withoutCustomFields: exclude !== undefined }));
    },
  }),
  get('getContact', '/contacts/{uuid}', {
    ...reading,
    summary: 'One contact',
    query: contactGetQuery,
    schema: contactResource,
    run: (call) =>
      contactRecord(call.service, contactOf(call), { withoutCustomFields: call.query.exclude !== undefined }),
  }),
  create('createContact', '/contacts', {
    ...writing,
    summary: 'Make a contact',
    body: contactCreateRequest,
    schema: contactResource,
    run({ service, caller, body }) {
      const organization = caller.organization.uri;
      const details = { ...detailsOf(service, organization, { body }), emails: body.emails };
      const entry = createContact(service, { organization, owner: caller.user.uri, source: 'api', details });
      return contactRecord(service, entry);
    },
  }),
  update('updateContact', '/contacts/{uuid}', {
    ...writing,
    summary: 'Change a contact',
    body: contactUpdateRequest,
    schema: contactResource,
    run(call) {
      const { service, caller, body } = call;
      const entry = contactOf(call);
      const changes = detailsOf(service, caller.organization.uri, { body, entry });
      return contactRecord(service, updateContact(service, entry, changes));
    },
  }),
  remove('deleteContact', '/contacts/{uuid}', {
    ...writing,
    summary: 'Remove a contact',
    run: (call) => deleteContact(call.service, contactOf(call)),
  }),
  list('listCustomFieldDefinitions', '/contacts/custom_field_definitions', {
    ...reading,
    summary: 'The custom fields contacts can have',
    query: pageQuery,
    schema: customFieldDefinitionResource,
    run({ service: { state }, caller, pageIn }) {
      const own = ({ organization }: StoredDefinition): boolean => organization === caller.organization.uri;
      return listing(state.definitions.page('created', pageIn(), own), definitionRecord);
    },
  }),
  get('getCustomFieldDefinition', '/contacts/custom_field_definitions/{uuid}', {
    ...reading,
    summary: 'One custom field',
    schema: customFieldDefinitionResource,
    run({ service: { state }, caller, uri }) {
      const definition = state.definitions.get(uri);
      if (definition?.organization !== caller.organization.uri) throw notFound('No such custom field.');
      return definitionRecord(definition);
    },
  }),
];

const contactOf = ({ service, caller, uri }: ServiceContext): ContactEntry =>
  found(contactsOf(service, caller.organization.uri).get(uri), 'contact');

interface ContactWrite {
  readonly body: z.output<typeof contactUpdateRequest>;
  /** The contact that is changed; absent when one is created. */
  readonly entry?: ContactEntry;
}

function detailsOf(service: Service, organization: string, { body, entry }: ContactWrite): Partial<ContactDetails> {
  const { custom_fields, ...details } = body;
  if (custom_fields === undefined) return given(details);
  const values = mergeValues(service, organization, { before: entry?.values, writes: custom_fields });
  return { ...given(details), values };
}
