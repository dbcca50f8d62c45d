// Which contacts a search finds: every filter must match, with any one of its comma-separated segments.
import { contactFilters, type ContactListQuery } from '#schemas/contact-request.ts';
import type { ContactEntry } from './contact-entry.ts';

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
