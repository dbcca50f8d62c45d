// Contacts: created, updated and deleted, each with a fact for subscribers; a booking by an unknown address creates one.
import { isDeepStrictEqual } from 'node:util';
import { alreadyExistsCode } from '#schemas/errors.ts';
import type { EventKind } from '#schemas/events.ts';
import { contactResource, type ContactResource, type CustomFieldValue } from '#schemas/resources/contact.ts';
import { invalid } from '#src/http/http-error.ts';
import { contactPayload, deletedContactPayload } from '#src/sandbox/world/payloads.ts';
import { newUri, type Fact, type Service, type StoredDefinition } from '#src/sandbox/world/service.ts';
import {
  addressKey,
  contactWith,
  type ContactCollection,
  type ContactDetails,
  type ContactEntry,
} from './contact-entry.ts';
import type { z } from 'zod';
import type { contactUpdateRequest } from '#schemas/contact-request.ts';
import { customFieldValueFor } from '#schemas/custom-field.ts';

type ServiceReader = Pick<Service, 'state' | 'clock'>;

export interface ContactView {
  readonly withoutCustomFields?: boolean;
  /** Passed in where many contacts are returned, to look them up once. */
  readonly definitions?: readonly StoredDefinition[];
}

/** The record as the API returns it: with an entry for every custom field, and the dates derived from bookings. */
export function contactRecord(service: ServiceReader, entry: ContactEntry, view: ContactView = {}): ContactResource {
  const { owner: _owner, creation_source: _source, values, ...fields } = entry;
  const organization = organizationOf(service, entry);
  const { definitions = definitionsInUse(service, organization), withoutCustomFields = false } = view;
  const { next, last } = meetingDates(service, entry, organization);
  const custom_fields = definitions.map(({ uri, label, field_type }) => ({
    uri,
    value: values.get(uri) ?? (field_type === 'tags' ? [] : null),
    label,
  }));
  return {
    ...fields,
    ...(!withoutCustomFields && { custom_fields }),
    next_meeting_date: next,
    last_meeting_date: last,
    last_interaction_date: later(entry.last_email_date, last),
  };
}

/** From active bookings of its addresses with its organization that were made after the contact was created. */
function meetingDates(
  { state, clock }: ServiceReader,
  { emails, created_at: contactSince }: ContactEntry,
  organization: string,
): { readonly next: string | null; readonly last: string | null } {
  const nowMs = clock.nowMs();
  let next: string | null = null;
  let last: string | null = null;
  for (const { status, created_at, event } of emails.flatMap(({ email }) =>
    state.invitees.of('email', addressKey(email)),
  )) {
    const meeting = state.scheduledEvents.get(event);
    if (status !== 'active' || created_at <= contactSince || meeting === undefined) continue;
    const { start_time, event_memberships } = meeting;
    if (!event_memberships.some(({ user }) => state.users.get(user)?.current_organization === organization)) continue;
    if (Date.parse(start_time) <= nowMs) last = later(last, start_time);
    else if (next === null || start_time < next) next = start_time;
  }
  return { next, last };
}

/** Compared as times: their fractions may differ in length, and then text order is not time order. */
function later(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return Date.parse(a) >= Date.parse(b) ? a : b;
}

/** The custom fields that are not retired, in the order they were created. */
export function definitionsInUse({ state }: Pick<Service, 'state'>, organization: string): readonly StoredDefinition[] {
  return state.definitions
    .of('organization', organization)
    .filter(({ retired_at }) => retired_at === null)
    .toSorted((a, b) => (a.created_at < b.created_at ? -1 : 1));
}

export interface NewContact {
  readonly organization: string;
  readonly owner: string;
  readonly source: ContactEntry['creation_source'];
  readonly details: Partial<ContactDetails> & Pick<ContactDetails, 'emails'>;
}

export function contactsOf({ state }: Pick<Service, 'state'>, organization: string): ContactCollection {
  const collection = state.contacts.get(organization);
  if (collection === undefined) throw new Error('every organization has a contact collection');
  return collection;
}

export function pickContact(
  { state, random }: Pick<Service, 'state' | 'random'>,
  organization: string,
): ContactEntry | undefined {
  const contacts = contactsOf({ state }, organization);
  return contacts.at('created_at', Math.floor(random.next() * contacts.size));
}

const blank: Omit<ContactDetails, 'emails'> = {
  phone_numbers: [],
  name: null,
  timezone: null,
  job_title: null,
  company: null,
  country: null,
  state: null,
  city: null,
  linkedin: null,
  values: new Map(),
};

export function createContact(service: Service, { organization, owner, source, details }: NewContact): ContactEntry {
  const collection = contactsOf(service, organization);
  refuseTakenEmails(collection, details.emails);
  const now = service.clock.tick();
  const entry: ContactEntry = {
    ...blank,
    ...details,
    uri: newUri(service, 'contacts'),
    owner,
    created_at: now,
    updated_at: now,
    first_email_date: null,
    last_email_date: null,
    creation_source: source,
  };
  collection.put(entry);
  emitContact(service, 'contact.created', entry);
  return entry;
}

/** An update without a change leaves `updated_at` alone and emits nothing. */
export function updateContact(service: Service, entry: ContactEntry, changes: Partial<ContactDetails>): ContactEntry {
  if (isDeepStrictEqual({ ...entry, ...changes }, entry)) return entry;
  const collection = contactsOf(service, organizationOf(service, entry));
  refuseTakenEmails(collection, changes.emails ?? [], entry.uri);
  const changed: ContactEntry = { ...entry, ...changes, updated_at: service.clock.tick() };
  collection.put(changed);
  emitContact(service, 'contact.updated', changed);
  return changed;
}

export function deleteContact(service: Service, entry: ContactEntry): void {
  const organization = organizationOf(service, entry);
  const deleted = { uri: entry.uri, deleted_at: service.clock.tick() };
  contactsOf(service, organization).delete(entry.uri);
  service.state.deletedContacts.set(entry.uri, { ...deleted, organization });
  const payload = deletedContactPayload(service.options.as, entry, deleted);
  emit(service, entry, { event: 'contact.deleted', at: deleted.deleted_at, payload });
}

function emitContact(service: Service, event: EventKind, entry: ContactEntry): void {
  const payload = contactPayload(service.options.as, entry, contactRecord(service, entry));
  emit(service, entry, { event, at: entry.updated_at, payload });
}

function emit(service: Service, entry: ContactEntry, fact: Pick<Fact, 'event' | 'at' | 'payload'>): void {
  service.emit({ ...fact, organization: organizationOf(service, entry), users: [entry.owner] });
}

export interface BookingContact extends Pick<NewContact, 'organization' | 'owner'> {
  readonly email: string;
  readonly name: string | null;
  readonly timezone: string | null;
}

/**
 * Creates a contact for an unknown address. An existing one is unchanged: its meeting dates are derived from bookings.
 * Must run before the invitee is stored: only later bookings count for a contact.
 */
export function ensureContact(service: Service, { organization, owner, email, name, timezone }: BookingContact): void {
  if (contactWith(contactsOf(service, organization), email) !== undefined) return;
  const details = { emails: [{ email, is_primary: true }], name, timezone };
  createContact(service, { organization, owner, source: 'scheduling', details });
}

function organizationOf({ state }: Pick<Service, 'state'>, { owner }: ContactEntry): string {
  return state.users.get(owner)?.current_organization ?? '';
}

/** An address belongs to one contact. `own` is the contact that is updated; absent when one is created. */
function refuseTakenEmails(collection: ContactCollection, emails: ContactDetails['emails'], own?: string): void {
  const keys = emails.map(({ email }) => addressKey(email));
  const complaints = emails.flatMap(({ email }, index) => {
    const parameter = `emails.${index}.email`;
    const other = contactWith(collection, email);
    if (other !== undefined && other.uri !== own)
      return [{ message: 'another contact has this address', parameter, code: alreadyExistsCode }];
    return keys.indexOf(addressKey(email)) < index ? [{ message: 'this address is given twice', parameter }] : [];
  });
  if (complaints.length > 0) throw invalid(...complaints);
}

type Writes = NonNullable<z.output<typeof contactUpdateRequest>['custom_fields']>;
type Values = ReadonlyMap<string, CustomFieldValue>;

interface Merge {
  readonly before: Values | undefined;
  readonly writes: Writes;
}

/** The values after the writes: only named fields change, null clears a scalar, [] clears tags. */
export function mergeValues({ state }: Pick<Service, 'state'>, organization: string, merge: Merge): Values {
  const definitions = state.definitions.of('organization', organization);
  const values = new Map(merge.before);
  const written = new Set<string>();
  merge.writes.forEach((write, index) => {
    const refuse = (message: string, field: string): Error =>
      invalid({ message, parameter: `custom_fields.${index}.${field}` });
    const named = write.uuid === undefined ? 'uri' : 'uuid';
    const definition = definitions.find(({ uri }) => uri === write[named] || uri.endsWith(`/${write.uuid}`));
    if (definition === undefined) throw refuse('no such custom field', named);
    if (definition.retired_at !== null) throw refuse('this custom field was retired', named);
    if (written.has(definition.uri)) throw refuse('this custom field is written twice', named);
    written.add(definition.uri);
    const value = valueFor(definition, write.value);
    if (value === undefined) throw refuse(`does not fit a custom field of the type ${definition.field_type}`, 'value');
    if (value === null || (Array.isArray(value) && value.length === 0)) values.delete(definition.uri);
    else values.set(definition.uri, value);
  });
  return values;
}

/** The values a response can hold; limits `invitee_question`, whose type is not specified (A8). */
const shown = contactResource.shape.custom_fields.unwrap().element.shape.value;

function valueFor({ options, field_type }: StoredDefinition, value: unknown): CustomFieldValue | null | undefined {
  const fits = customFieldValueFor({ field_type, options }).safeParse(value).success;
  return fits ? shown.safeParse(value).data : undefined;
}
