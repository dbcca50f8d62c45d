// Making, changing and removing contacts.
import type { z } from 'zod';
import { contactCreateRequest, contactUpdateRequest } from '#schemas/contact-request.ts';
import { contactResource } from '#schemas/resources/contact.ts';
import { notFound } from '#src/http/http-error.ts';
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
import { permitContacts } from './contact-permission.ts';
import { defineOperation } from './operation.ts';
import type { Call } from './operation.ts';

const asking = { scopes: ['contacts:write'], permits: permitContacts } as const;

export const contactWriteOperations = [
  defineOperation({
    ...asking,
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
    ...asking,
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
    ...asking,
    id: 'deleteContact',
    method: 'DELETE',
    path: '/contacts/{uuid}',
    summary: 'Remove a contact',
    answers: 'nothing',
    run: (call) => deleteContact(call.service, contactOf(call)),
  }),
] as const;

function contactOf({ service, caller, uri }: Pick<Call, 'service' | 'caller' | 'uri'>): ContactEntry {
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
