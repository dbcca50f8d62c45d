// The words of every seeded contact as codes in columns, and which codes a search wants: each word is compared once, however
// many contacts share it. Code 0 says nothing.
import type { Column } from '../world/contact-base.ts';
import { filtersOf, fitsFilter } from '../world/contact-search.ts';
import type { ContactSearch, FilterName } from '../world/contact-search.ts';
import { fraction } from './contacts-code.ts';
import { places } from './contacts-places.ts';
import type { Place } from './contacts-places.ts';
import { companies, firstNames, jobTitles, lastNames } from './contacts-vocabulary.ts';

export interface Words {
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly company: string | null;
  readonly jobTitle: string | null;
  readonly place: Place;
}

export interface Columns {
  words(row: number): Words;
  /** With the rows in this order, or as they are. */
  wantedBy(search: ContactSearch, order?: Uint32Array): readonly Column[];
}

/** How many say nothing, of a thousand. */
const silent = { name: 20, company: 100, job: 120, place: 90 } as const;
const nowhere: Place = { country: null, state: null, city: null, timezone: null };

export function createColumns(seed: number, size: number): Columns {
  const fill = (purpose: number, codeOf: (row: number) => number, silentOf1000: number): Uint32Array => {
    const codes = new Uint32Array(size);
    for (let row = 0; row < size; row += 1)
      if (fraction(seed, purpose, row) * 1000 >= silentOf1000) codes[row] = codeOf(row);
    return codes;
  };
  // The square makes the first of a list common and its last rare.
  const one = (purpose: number, count: number) => (row: number) =>
    Math.floor(fraction(seed, purpose, row) ** 2 * count);
  const [first, last] = [one(11, firstNames.length), one(12, lastNames.length)];
  const company = one(13, companies.length);
  const job = one(14, jobTitles.length);
  const place = (row: number): number => Math.floor(fraction(seed, 15, row) * places.length);
  const codes = {
    name: fill(1, (row) => 1 + first(row) * lastNames.length + last(row), silent.name),
    company: fill(2, (row) => 1 + company(row), silent.company),
    job_title: fill(3, (row) => 1 + job(row), silent.job),
    place: fill(4, (row) => 1 + place(row), silent.place),
  };
  const reordered: Partial<Record<keyof typeof codes, Uint32Array>> = {};
  /** A copy in the other order: a walk along memory is several times as fast as one to and fro in it. */
  function ordered(column: keyof typeof codes, order: Uint32Array | undefined): Uint32Array {
    if (order === undefined) return codes[column];
    return (reordered[column] ??= order.map((row) => codes[column][row] as number));
  }
  return {
    words(row) {
      const name = (codes.name[row] ?? 0) - 1;
      return {
        firstName: firstNames[Math.floor(name / lastNames.length)] ?? null,
        lastName: name < 0 ? null : (lastNames[name % lastNames.length] ?? null),
        company: companies[(codes.company[row] ?? 0) - 1] ?? null,
        jobTitle: jobTitles[(codes.job_title[row] ?? 0) - 1] ?? null,
        place: places[(codes.place[row] ?? 0) - 1] ?? nowhere,
      };
    },
    wantedBy(search, order) {
      const found = filtersOf(search).flatMap(([filter, segments]) => {
        const wanted = wantedCodes(filter, segments);
        const column = filter in codes ? (filter as 'name' | 'company' | 'job_title') : 'place';
        return wanted === undefined ? [] : [{ codes: ordered(column, order), wanted, share: shareOf(wanted) }];
      });
      return found.toSorted((a, b) => a.share - b.share);
    },
  };
}

function shareOf(wanted: Uint8Array): number {
  let count = 0;
  for (let code = 0; code < wanted.length; code += 1) count += wanted[code] as number;
  return count / wanted.length;
}

function wantedCodes(filter: FilterName, segments: readonly string[]): Uint8Array | undefined {
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
