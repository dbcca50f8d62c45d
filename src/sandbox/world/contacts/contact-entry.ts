// A contact as the sandbox stores it, how e-mail addresses are compared, and which contacts a search finds.
import type { ContactResource, CustomFieldValue } from '#schemas/resources/contact.ts';
import { createIndexedCollection } from '#src/sandbox/world/indexed-collection.ts';
import { contactFilters, type ContactListQuery } from '#schemas/contact-request.ts';

type Fields<Name extends keyof ContactResource> = Readonly<Pick<ContactResource, Name>>;
type ResidenceField = 'timezone' | 'country' | 'state' | 'city';

/** The fields users edit. */
export interface ContactDetails extends Fields<
  'emails' | 'phone_numbers' | 'name' | 'job_title' | 'company' | 'linkedin' | ResidenceField
> {
  /** Only custom fields with a value, by the URI of their definition. */
  readonly values: ReadonlyMap<string, CustomFieldValue>;
}

/** A stored contact. Derived fields (meeting dates, labels, unset custom fields) are added when it is returned. */
export interface ContactEntry
  extends ContactDetails, Fields<'uri' | 'created_at' | 'updated_at' | 'first_email_date' | 'last_email_date'> {
  readonly owner: string;
  readonly creation_source: 'scheduling' | 'manual' | 'api';
}

/** The form addresses are indexed and compared in: stored as written, compared without letter case. */
export const addressKey = (email: string): string => email.toLowerCase();

export const isSameAddress = (a: string, b: string): boolean => addressKey(a) === addressKey(b);

export type ContactCollection = ReturnType<typeof createContactCollection>;

export const createContactCollection = () =>
  createIndexedCollection<ContactEntry, 'created_at' | 'updated_at', 'email'>({
    orders: { created_at: ({ created_at }) => created_at, updated_at: ({ updated_at }) => updated_at },
    groups: { email: ({ emails }) => emails.map(({ email }) => addressKey(email)) },
  });

export const contactWith = (contacts: ContactCollection, email: string): ContactEntry | undefined =>
  contacts.of('email', addressKey(email))[0];

type FilterName = keyof typeof contactFilters;

function valuesOf(entry: ContactEntry, name: FilterName): readonly (string | null)[] {
  if (name === 'email') return entry.emails.map(({ email }) => email);
  return name === 'phone_number' ? entry.phone_numbers.map(({ phone_number }) => phone_number) : [entry[name]];
}

/** Whether a contact has, for each filter of the search, a value that one of its segments matches. Partial filters ignore the case (A17). */
export function searchOf(search: Pick<ContactListQuery, FilterName>): (entry: ContactEntry) => boolean {
  const names = Object.keys(contactFilters).filter((name): name is FilterName => name in contactFilters);
  const tests = names.flatMap((name) => {
    const isPartial = contactFilters[name] === 'partial';
    const segments = (search[name] ?? []).map((segment) => (isPartial ? segment.toLowerCase() : segment));
    const matches = (value: string | null): boolean => {
      const text = isPartial ? value?.toLowerCase() : value;
      return segments.some((segment) => (isPartial ? text?.includes(segment) : text === segment));
    };
    return segments.length === 0 ? [] : [(entry: ContactEntry) => valuesOf(entry, name).some(matches)];
  });
  return (entry) => tests.every((test) => test(entry));
}
