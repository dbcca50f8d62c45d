// The words of every seeded contact as codes in columns, small enough for a million of them. Code 0 says nothing.
import type { Column } from '#src/sandbox/world/contacts/seeded-contacts.ts';
import { filtersOf } from '#src/sandbox/world/contacts/contact-search.ts';
import type { ContactSearch, FilterName } from '#src/sandbox/world/contacts/contact-search.ts';
import { fraction } from './row-permutation.ts';
import { createCodeIndex } from './contacts-index.ts';
import type { CodeIndex } from './contacts-index.ts';
import { places } from './contacts-places.ts';
import type { Place } from './contacts-places.ts';
import { companies, firstNames, jobTitles, lastNames } from './contacts-vocabulary.ts';
import { wantedCodes } from './filter-codes.ts';

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

type ColumnName = 'name' | 'company' | 'job_title' | 'place';
const columnOf = (filter: FilterName): ColumnName =>
  filter === 'name' || filter === 'company' || filter === 'job_title' ? filter : 'place';

interface Indexed {
  readonly codes: Uint32Array;
  readonly index: CodeIndex;
}

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
  const codes: Readonly<Record<ColumnName, Uint32Array>> = {
    name: fill(1, (row) => 1 + first(row) * lastNames.length + last(row), silent.name),
    company: fill(2, (row) => 1 + company(row), silent.company),
    job_title: fill(3, (row) => 1 + job(row), silent.job),
    place: fill(4, (row) => 1 + place(row), silent.place),
  };
  const indexed = new Map<string, Indexed>();
  /** Made when first searched. In another order it is a copy: a walk along memory is several times as fast as one to and fro. */
  function columnIn(order: Uint32Array | undefined, name: ColumnName, codeCount: number): Indexed {
    const key = `${name} ${order !== undefined}`;
    const known = indexed.get(key);
    if (known !== undefined) return known;
    const ordered = order === undefined ? codes[name] : order.map((row) => codes[name][row] as number);
    const column = { codes: ordered, index: createCodeIndex(ordered, codeCount) };
    indexed.set(key, column);
    return column;
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
    wantedBy: (search, order) =>
      filtersOf(search)
        .flatMap(([filter, segments]): Column[] => {
          const wanted = wantedCodes(filter, segments);
          if (wanted === undefined) return [];
          const { codes, index } = columnIn(order, columnOf(filter), wanted.length);
          return [{ codes, wanted, rows: index.count(wanted), places: () => index.places(wanted) }];
        })
        .toSorted((a, b) => a.rows - b.rows),
  };
}
