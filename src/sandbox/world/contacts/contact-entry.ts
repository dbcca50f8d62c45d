// A contact as the sandbox stores it, how e-mail addresses are compared, and which contacts a search finds.
import type { ContactResource, CustomFieldValue } from '#schemas/resources/contact.ts';
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
  /** The user it belongs to. */
  readonly owner: string;
  readonly creation_source: 'scheduling' | 'manual' | 'api';
}

/** The form addresses are indexed and compared in: stored as written, compared without letter case. */
export const addressKey = (email: string): string => email.toLowerCase();

export const isSameAddress = (a: string, b: string): boolean => addressKey(a) === addressKey(b);

export type FilterName = keyof typeof contactFilters;
export type ContactSearch = Pick<ContactListQuery, FilterName>;
/** The filters whose values are shared by many contacts; an address or a number belongs to one. */
export type WordFilter = (typeof wordFilters)[number];

export const wordFilters = ['name', 'company', 'job_title', 'city', 'state', 'country', 'timezone'] as const;
const allFilters = [...wordFilters, 'email', 'phone_number'] as const;

/** The values a filter looks at. */
function valuesOf(entry: ContactEntry, name: FilterName): readonly (string | null)[] {
  if (name === 'email') return entry.emails.map(({ email }) => email);
  return name === 'phone_number' ? entry.phone_numbers.map(({ phone_number }) => phone_number) : [entry[name]];
}

const isPartial = (name: FilterName): boolean => contactFilters[name] === 'partial';

/** The form in which values and segments are compared: partial filters ignore the case (A17). */
export const comparable = (name: FilterName, text: string): string => (isPartial(name) ? text.toLowerCase() : text);

/** Whether one of the segments matches the value, both in their comparable form. A missing value matches nothing. */
export function matchesSegments(name: FilterName, value: string | null, segments: readonly string[]): boolean {
  if (value === null) return false;
  return segments.some((segment) => (isPartial(name) ? value.includes(segment) : value === segment));
}

/** The filters of a search that have segments, in their comparable form. */
export function filtersOf<Name extends FilterName>(search: ContactSearch, names: readonly Name[]) {
  return names
    .map((name) => ({ name, segments: (search[name] ?? []).map((segment) => comparable(name, segment)) }))
    .filter(({ segments }) => segments.length > 0);
}

export function matchesSearch(entry: ContactEntry, search: ContactSearch): boolean {
  return filtersOf(search, allFilters).every(({ name, segments }) =>
    valuesOf(entry, name).some((value) => matchesSegments(name, value && comparable(name, value), segments)),
  );
}
