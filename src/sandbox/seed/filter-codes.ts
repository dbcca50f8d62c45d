// Which codes of a column a filter wants: each word is compared once, however many contacts share it.
import { fitsFilter } from '#src/sandbox/world/contacts/contact-search.ts';
import type { FilterName } from '#src/sandbox/world/contacts/contact-search.ts';
import { places } from './contacts-places.ts';
import { companies, firstNames, jobTitles, lastNames } from './contacts-vocabulary.ts';

/** A 1 for every code wanted; none for addresses and numbers, which are no words. */
export function wantedCodes(filter: FilterName, segments: readonly string[]): Uint8Array | undefined {
  const of = (values: readonly (string | null)[]): Uint8Array =>
    Uint8Array.from([0, ...values.map((value) => Number(fitsFilter(filter, value, segments)))]);
  switch (filter) {
    case 'name':
      return wantedNames(segments);
    case 'company':
      return of(companies);
    case 'job_title':
      return of(jobTitles);
    case 'country':
    case 'state':
    case 'city':
    case 'timezone':
      return of(places.map((place) => place[filter]));
    case 'email':
    case 'phone_number':
      return undefined;
  }
}

const small = (names: readonly string[]): readonly string[] => names.map((name) => name.toLowerCase());
const [smallFirst, smallLast] = [small(firstNames), small(lastNames)];
const indexes = (names: readonly string[], fits: (name: string) => boolean): readonly number[] =>
  names.flatMap((name, index) => (fits(name) ? [index] : []));

/** Of every first and last name together. No name has a space in it, so a segment lies in one of the two or across one space. */
function wantedNames(segments: readonly string[]): Uint8Array {
  const wanted = new Uint8Array(1 + firstNames.length * lastNames.length);
  const everyFirst = firstNames.keys().toArray();
  const everyLast = lastNames.keys().toArray();
  const want = (firsts: readonly number[], lasts: readonly number[]): void => {
    for (const first of firsts) for (const last of lasts) wanted[1 + first * lastNames.length + last] = 1;
  };
  for (const segment of small(segments)) {
    const [before = '', after, ...more] = segment.split(' ');
    if (after === undefined) {
      want(
        indexes(smallFirst, (name) => name.includes(before)),
        everyLast,
      );
      want(
        everyFirst,
        indexes(smallLast, (name) => name.includes(before)),
      );
    } else if (more.length === 0)
      want(
        indexes(smallFirst, (name) => name.endsWith(before)),
        indexes(smallLast, (name) => name.startsWith(after)),
      );
  }
  return wanted;
}
