// Which contacts a search finds: every filter must be met, by any one of its comma-separated segments.
import { contactFilters } from '#schemas/contact-request.ts';
import type { ContactListQuery } from '#schemas/contact-request.ts';
import type { ContactEntry } from './contact-entry.ts';

export type FilterName = keyof typeof contactFilters;
export type ContactSearch = Pick<ContactListQuery, FilterName>;

/** What each filter looks at. */
const looksAt: { readonly [Name in FilterName]: (entry: ContactEntry) => readonly (string | null)[] } = {
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

/** Exact is character by character; partial is anywhere in the text, whatever the case (A17). */
const fits = {
  exact: (value: string, segment: string): boolean => value === segment,
  partial: (value: string, segment: string): boolean => value.toLowerCase().includes(segment.toLowerCase()),
} as const;

/** Whether one of the segments fits the value; nothing fits a contact that says nothing. */
export function fitsFilter(name: FilterName, value: string | null, segments: readonly string[]): boolean {
  const fit = fits[contactFilters[name]];
  return value !== null && segments.some((segment) => fit(value, segment));
}

/** The filters of a search that ask for something. */
export function filtersOf(search: ContactSearch): readonly (readonly [FilterName, readonly string[]])[] {
  return (Object.keys(contactFilters) as FilterName[]).flatMap((name) => {
    const segments = search[name] ?? [];
    return segments.length === 0 ? [] : [[name, segments] as const];
  });
}

export function matchesSearch(entry: ContactEntry, search: ContactSearch): boolean {
  return filtersOf(search).every(([name, segments]) =>
    looksAt[name](entry).some((value) => fitsFilter(name, value, segments)),
  );
}
