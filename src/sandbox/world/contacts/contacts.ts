// Contacts: created, updated and deleted, each with a fact for subscribers; a booking by an unknown address creates one.
import { isDeepStrictEqual } from 'node:util';
import type { ContactResource } from '#schemas/resources/contact.ts';
import type { JsonObject } from '#schemas/wire.ts';
import { invalid } from '#src/http/http-error.ts';
import { addressKey, type ContactDetails, type ContactEntry } from './contact-entry.ts';
import { newUri, type Service } from '#src/sandbox/world/service.ts';
import type { StoredDefinition } from '#src/sandbox/world/state.ts';
import type { ContactCollection } from './contact-collection.ts';
import { later, meetingDates } from './meeting-dates.ts';

export interface ContactView {
  readonly withoutCustomFields?: boolean;
  /** Passed in where many contacts are returned, to look them up once. */
  readonly definitions?: readonly StoredDefinition[];
}

/** The record as the API returns it: with an entry for every custom field, and the dates derived from bookings. */
export function contactRecord(
  service: Pick<Service, 'state' | 'clock'>,
  entry: ContactEntry,
  view: ContactView = {},
): ContactResource {
  const organization = service.state.users.get(entry.owner)?.current_organization ?? '';
  const { next, last } = meetingDates(service, entry, organization);
  return {
    uri: entry.uri,
    name: entry.name,
    emails: entry.emails.map((email) => ({ ...email })),
    phone_numbers: entry.phone_numbers.map((phone) => ({ ...phone })),
    timezone: entry.timezone,
    job_title: entry.job_title,
    company: entry.company,
    country: entry.country,
    state: entry.state,
    city: entry.city,
    linkedin: entry.linkedin,
    ...(view.withoutCustomFields !== true && {
      custom_fields: customFields(entry, view.definitions ?? definitionsInUse(service, organization)),
    }),
    first_email_date: entry.first_email_date,
    last_email_date: entry.last_email_date,
    next_meeting_date: next,
    last_meeting_date: last,
    last_interaction_date: later(entry.last_email_date, last),
    created_at: entry.created_at,
    updated_at: entry.updated_at,
  };
}

/** The custom fields that are not retired, in the order they were created. */
export function definitionsInUse({ state }: Pick<Service, 'state'>, organization: string): readonly StoredDefinition[] {
  return state.definitions
    .of('organization', organization)
    .filter(({ retired_at }) => retired_at === null)
    .toSorted((a, b) => (a.created_at < b.created_at ? -1 : 1));
}

function customFields(
  { values }: ContactEntry,
  definitions: readonly StoredDefinition[],
): NonNullable<ContactResource['custom_fields']> {
  return definitions.map(({ uri, label, field_type }) => ({
    uri,
    value: values.get(uri) ?? (field_type === 'tags' ? [] : null),
    label,
  }));
}

export interface NewContact {
  readonly organization: string;
  /** The user it belongs to. */
  readonly owner: string;
  readonly source: ContactEntry['creation_source'];
  readonly details: Partial<ContactDetails> & Pick<ContactDetails, 'emails'>;
}

export function contactsOf({ state }: Pick<Service, 'state'>, organization: string): ContactCollection {
  const collection = state.contacts.get(organization);
  if (collection === undefined) throw new Error('every organization has a contact collection');
  return collection;
}

export function createContact(service: Service, { organization, owner, source, details }: NewContact): ContactEntry {
  const collection = contactsOf(service, organization);
  refuseTakenEmails(collection, details);
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
  emitContact(service, 'contact.created', { entry, organization, at: now });
  return entry;
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

/** An update without a change leaves `updated_at` alone and emits nothing. */
export function updateContact(service: Service, entry: ContactEntry, changes: Partial<ContactDetails>): ContactEntry {
  if (isDeepStrictEqual({ ...entry, ...changes }, entry)) return entry;
  const organization = organizationOf(service, entry);
  const collection = contactsOf(service, organization);
  if (changes.emails !== undefined) refuseTakenEmails(collection, { emails: changes.emails, contact: entry.uri });
  const changed: ContactEntry = { ...entry, ...changes, updated_at: service.clock.tick() };
  collection.put(changed);
  emitContact(service, 'contact.updated', { entry: changed, organization, at: changed.updated_at });
  return changed;
}

export function deleteContact(service: Service, entry: ContactEntry): void {
  const organization = organizationOf(service, entry);
  const deleted = { uri: entry.uri, deleted_at: service.clock.tick() };
  contactsOf(service, organization).delete(entry.uri);
  service.state.deletedContacts.set(entry.uri, { ...deleted, organization });
  service.emit({
    event: 'contact.deleted',
    at: deleted.deleted_at,
    payload: service.options.flat ? deleted : { user_uuid: uuidOf(entry.owner), contact: deleted },
    organization,
    users: [entry.owner],
  });
}

/** The person of a booking. */
export interface BookingContact {
  readonly organization: string;
  /** The host; a new contact belongs to them. */
  readonly owner: string;
  readonly email: string;
  readonly name: string | null;
  readonly timezone: string | null;
}

/**
 * Creates a contact for an unknown address. An existing one is unchanged: its meeting dates are derived from bookings.
 * Must run before the invitee is stored: only later bookings count for a contact.
 */
export function ensureContact(service: Service, { organization, owner, email, name, timezone }: BookingContact): void {
  if (contactsOf(service, organization).byEmail(email) !== undefined) return;
  const details = { emails: [{ email, is_primary: true }], name, timezone };
  createContact(service, { organization, owner, source: 'scheduling', details });
}

interface ContactChange {
  readonly entry: ContactEntry;
  readonly organization: string;
  readonly at: string;
}

function emitContact(service: Service, event: 'contact.created' | 'contact.updated', change: ContactChange): void {
  const { entry, organization, at } = change;
  const record: ContactResource = contactRecord(service, entry);
  // Nested as the public service sends it, or flat as the specification describes it (A4b).
  const payload: JsonObject = service.options.flat
    ? record
    : { user_uuid: uuidOf(entry.owner), contact: { ...record, creation_source: entry.creation_source } };
  service.emit({ event, at, payload, organization, users: [entry.owner] });
}

const uuidOf = (uri: string): string => uri.slice(uri.lastIndexOf('/') + 1);

function organizationOf({ state }: Service, { owner }: ContactEntry): string {
  return state.users.get(owner)?.current_organization ?? '';
}

interface Claim {
  readonly emails: ContactDetails['emails'];
  /** The URI of the contact that is updated; absent when one is created. */
  readonly contact?: string;
}

export function refuseTakenEmails(collection: ContactCollection, { emails, contact }: Claim): void {
  const keys = emails.map(({ email }) => addressKey(email));
  const complaints = emails.flatMap(({ email }, index) => {
    const parameter = `emails.${index}.email`;
    const other = collection.byEmail(email);
    if (other !== undefined && other.uri !== contact)
      return [{ message: 'another contact has this address', parameter }];
    return keys.indexOf(addressKey(email)) < index ? [{ message: 'this address is given twice', parameter }] : [];
  });
  if (complaints.length > 0) throw invalid(...complaints);
}
