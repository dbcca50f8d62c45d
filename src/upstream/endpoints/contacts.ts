// Contacts and the definitions of their custom fields.
import type { z } from 'zod';
import { contactCreateRequest, contactListQuery, contactUpdateRequest } from '#schemas/contact-request.ts';
import { contact, type Contact } from '#schemas/contact.ts';
import { customFieldDefinition, type CustomFieldDefinition } from '#schemas/custom-field.ts';
import { pageQuery } from '#schemas/pagination.ts';
import type { CallOptions, Client } from '#src/upstream/client.ts';
import type { ApiPage, PageOptions } from '#src/upstream/pages.ts';
import { callForList, callForRecord, checked, type Found, type ListQuery } from '#src/upstream/request.ts';

export function listContacts(
  client: Client,
  query: ListQuery<typeof contactListQuery> = {},
  options?: PageOptions,
): AsyncGenerator<ApiPage<Contact>> {
  return callForList(client, { path: '/contacts', asks: contactListQuery, query, reads: contact }, options);
}

export function getContact(client: Client, uri: string, options?: CallOptions): Promise<Found<Contact>> {
  return callForRecord(client, { method: 'GET', path: uri, reads: contact }, options);
}

/** Not repeated after a failure that leaves its outcome open: there would be two of one person. */
export function createContact(
  client: Client,
  request: z.input<typeof contactCreateRequest>,
  options?: CallOptions,
): Promise<Found<Contact>> {
  const body = checked(contactCreateRequest, request, 'POST /contacts');
  return callForRecord(client, { method: 'POST', path: '/contacts', body, reads: contact }, options);
}

export interface ContactChange {
  readonly uri: string;
  /** Only what changes. */
  readonly changes: z.input<typeof contactUpdateRequest>;
}

export function updateContact(
  client: Client,
  { uri, changes }: ContactChange,
  options?: CallOptions,
): Promise<Found<Contact>> {
  const body = checked(contactUpdateRequest, changes, 'PATCH /contacts');
  return callForRecord(client, { method: 'PATCH', path: uri, body, reads: contact }, options);
}

export async function deleteContact(client: Client, uri: string, options?: CallOptions): Promise<void> {
  await client.call({ method: 'DELETE', path: uri }, options);
}

export function listCustomFieldDefinitions(
  client: Client,
  query: ListQuery<typeof pageQuery> = {},
  options?: PageOptions,
): AsyncGenerator<ApiPage<CustomFieldDefinition>> {
  const path = '/contacts/custom_field_definitions';
  return callForList(client, { path, asks: pageQuery, query, reads: customFieldDefinition }, options);
}

export function getCustomFieldDefinition(
  client: Client,
  uri: string,
  options?: CallOptions,
): Promise<Found<CustomFieldDefinition>> {
  return callForRecord(client, { method: 'GET', path: uri, reads: customFieldDefinition }, options);
}
