// Which contacts a search finds: every filter must match, with any one of its comma-separated segments.
import { contactFilters, type ContactListQuery } from '#schemas/contact-request.ts';
import type { ContactEntry } from './contact-entry.ts';

export type FilterName = keyof typeof contactFilters;
export type ContactSearch = Pick<ContactListQuery, FilterName>;
/** The filters whose values are shared by many contacts; an address or a number belongs to one. */
export type WordFilter = Exclude<FilterName, 'email' | 'phone_number'>;

/** The values each filter looks at. */
const valuesOf: { readonly [Name in FilterName]: (entry: ContactEntry) => readonly (string | null)[] } = {
  email: ({ emails }) => emails.map(({ email }) => email),
  phone_number: ({ phone_numbers }) => phone_numbers.map(({ phone_number }) => phone_number),
  timezone: ({ timezone }) => [timezone],
  name: ({ name }) => [name],
  job_title: ({ job_title }) => [job_title],
  company: ({ company }) => [company],
  country: ({ country }) => [country],
  state: ({ state }) => [state],
  city: ({ city }) => [city],
};

const isPartial = (name: FilterName): boolean => contactFilters[name] === 'partial';

/** The form in which values and segments are compared: partial filters ignore the case (A17). */
export const comparable = (name: FilterName, text: string): string => (isPartial(name) ? text.toLowerCase() : text);

/** Whether one of the segments matches the value, both in their comparable form. A missing value matches nothing. */
export function matchesSegments(name: FilterName, value: string | null, segments: readonly string[]): boolean {
  if (value === null) return false;
  return segments.some((segment) => (isPartial(name) ? value.includes(segment) : value === segment));
}

export interface Filter<Name extends FilterName = FilterName> {
  readonly name: Name;
  /** In their comparable form. */
  readonly segments: readonly string[];
}

/** The filters of a search that have segments. */
export function filtersOf<Name extends FilterName>(
  search: ContactSearch,
  names: readonly Name[],
): readonly Filter<Name>[] {
  return names
    .map((name) => ({ name, segments: (search[name] ?? []).map((segment) => comparable(name, segment)) }))
    .filter(({ segments }) => segments.length > 0);
}

export const wordFilters = ['name', 'company', 'job_title', 'city', 'state', 'country', 'timezone'] as const;
const allFilters = [...wordFilters, 'email', 'phone_number'] as const;

export function matchesSearch(entry: ContactEntry, search: ContactSearch): boolean {
  return filtersOf(search, allFilters).every(({ name, segments }) =>
    valuesOf[name](entry).some((value) => matchesSegments(name, value && comparable(name, value), segments)),
  );
}
