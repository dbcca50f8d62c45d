// Which contacts a search finds: every filter must be met, by any one of its comma-separated segments.
import { contactFilters } from '#schemas/contact-request.ts';
import type { ContactListQuery } from '#schemas/contact-request.ts';
import type { ContactEntry } from './contact-entry.ts';

type FilterName = keyof typeof contactFilters;
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

export function matchesSearch(entry: ContactEntry, search: ContactSearch): boolean {
  return Object.entries(search).every(([name, segments]) => {
    if (segments === undefined || segments.length === 0) return true;
    const values = looksAt[name as FilterName](entry).filter((value) => value !== null);
    const fit = fits[contactFilters[name as FilterName]];
    return segments.some((segment) => values.some((value) => fit(value, segment)));
  });
}
