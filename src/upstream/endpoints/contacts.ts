// Contacts and the definitions of their custom fields.
import { contactListQuery } from '#schemas/contact-request.ts';
import { contact, type Contact } from '#schemas/contact.ts';
import { customFieldDefinition, type CustomFieldDefinition } from '#schemas/custom-field.ts';
import { pageQuery } from '#schemas/pagination.ts';
import type { CallOptions, Client } from '#src/upstream/client.ts';
import type { ApiPage, PageOptions } from '#src/upstream/pages.ts';
import { callForList, callForRecord, type FetchedRecord, type ListQuery } from '#src/upstream/request.ts';

export function listContacts(
  client: Client,
  query: ListQuery<typeof contactListQuery> = {},
  options?: PageOptions,
): AsyncGenerator<ApiPage<Contact>> {
  return callForList(client, { path: '/contacts', asks: contactListQuery, query, reads: contact }, options);
}

export function getContact(client: Client, uri: string, options?: CallOptions): Promise<FetchedRecord<Contact>> {
  return callForRecord(client, { method: 'GET', path: uri, reads: contact }, options);
}

export function listCustomFieldDefinitions(
  client: Client,
  query: ListQuery<typeof pageQuery> = {},
  options?: PageOptions,
): AsyncGenerator<ApiPage<CustomFieldDefinition>> {
  const path = '/contacts/custom_field_definitions';
  return callForList(client, { path, asks: pageQuery, query, reads: customFieldDefinition }, options);
}
