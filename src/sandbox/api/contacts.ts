// Contacts and their custom fields: searching, reading, creating, changing and deleting.
import type { z } from 'zod';
import {
  contactCreateRequest,
  contactGetQuery,
  contactListQuery,
  contactUpdateRequest,
} from '#schemas/contact-request.ts';
import { pageQuery } from '#schemas/pagination.ts';
import {
  contactResource,
  customFieldDefinitionResource,
  type CustomFieldDefinitionResource,
} from '#schemas/resources/contact.ts';
import { notFound } from '#src/http/http-error.ts';
import { listing } from '#src/http/pagination.ts';
import type { ContactDetails, ContactEntry } from '#src/sandbox/world/contacts/contact-entry.ts';
import { mergeValues } from '#src/sandbox/world/contacts/custom-field-values.ts';
import {
  contactsOf,
  contactRecord,
  createContact,
  deleteContact,
  updateContact,
} from '#src/sandbox/world/contacts/contacts.ts';
import type { Service } from '#src/sandbox/world/service.ts';
import type { StoredDefinition } from '#src/sandbox/world/state.ts';
import { permitContacts } from './permissions.ts';
import { defineOperation, type ServiceContext } from './service-operation.ts';

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
      // No two contacts have the same time, so a second sort key never decides.
      const [sort = 'created_at:asc'] = keys;
      const field = sort.startsWith('updated_at') ? 'updated_at' : 'created_at';
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

const writing = { scopes: ['contacts:write'], permits: permitContacts } as const;

export const contactWriteOperations = [
  defineOperation({
    ...writing,
    id: 'createContact',
    method: 'POST',
    path: '/contacts',
    summary: 'Make a contact',
    body: contactCreateRequest,
    answers: 'resource',
    status: 201,
    schema: contactResource,
    run({ service, caller, body }) {
      const organization = caller.organization.uri;
      const { emails } = body;
      const details = { ...detailsOf(service, { body, organization }), emails };
      return contactRecord(
        service,
        createContact(service, { organization, owner: caller.user.uri, source: 'api', details }),
      );
    },
  }),
  defineOperation({
    ...writing,
    id: 'updateContact',
    method: 'PATCH',
    path: '/contacts/{uuid}',
    summary: 'Change a contact',
    body: contactUpdateRequest,
    answers: 'resource',
    schema: contactResource,
    run(call) {
      const { service, caller, body } = call;
      const entry = contactOf(call);
      const changes = detailsOf(service, { body, organization: caller.organization.uri, entry });
      return contactRecord(service, updateContact(service, entry, changes));
    },
  }),
  defineOperation({
    ...writing,
    id: 'deleteContact',
    method: 'DELETE',
    path: '/contacts/{uuid}',
    summary: 'Remove a contact',
    answers: 'nothing',
    run: (call) => deleteContact(call.service, contactOf(call)),
  }),
] as const;

function contactOf({ service, caller, uri }: ServiceContext): ContactEntry {
  const entry = contactsOf(service, caller.organization.uri).get(uri);
  if (entry === undefined) throw notFound('No such contact.');
  return entry;
}

interface Writing {
  readonly body: z.output<typeof contactUpdateRequest>;
  readonly organization: string;
  /** The contact that is written on; none when one is made. */
  readonly entry?: ContactEntry;
}

/** What the body writes. */
function detailsOf(service: Service, { body, organization, entry }: Writing): Partial<ContactDetails> {
  const { custom_fields, ...details } = body;
  // What is left out overwrites nothing.
  const given: Partial<ContactDetails> = Object.fromEntries(
    Object.entries(details).filter(([, value]) => value !== undefined),
  );
  if (custom_fields === undefined) return given;
  return { ...given, values: mergeValues(service, organization, { before: entry?.values, writes: custom_fields }) };
}

const record = ({ organization: _organization, ...definition }: StoredDefinition): CustomFieldDefinitionResource =>
  definition;

export const customFieldOperations = [
  defineOperation({
    id: 'listCustomFieldDefinitions',
    method: 'GET',
    path: '/contacts/custom_field_definitions',
    summary: 'The custom fields contacts can have',
    scopes: ['contacts:read'],
    permits: permitContacts,
    query: pageQuery,
    answers: 'collection',
    schema: customFieldDefinitionResource,
    run({ service: { state }, caller, pageIn }) {
      const own = ({ organization }: StoredDefinition): boolean => organization === caller.organization.uri;
      return listing(state.definitions.page('created', pageIn(), own), record);
    },
  }),
  defineOperation({
    id: 'getCustomFieldDefinition',
    method: 'GET',
    path: '/contacts/custom_field_definitions/{uuid}',
    summary: 'One custom field',
    scopes: ['contacts:read'],
    permits: permitContacts,
    answers: 'resource',
    schema: customFieldDefinitionResource,
    run({ service: { state }, caller, uri }) {
      const definition = state.definitions.get(uri);
      if (definition?.organization !== caller.organization.uri) throw notFound('No such custom field.');
      return record(definition);
    },
  }),
] as const;
