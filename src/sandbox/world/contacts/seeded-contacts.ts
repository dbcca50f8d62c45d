// The contacts a collection was created with, up to a million of them. A contact that is changed or deleted leaves; the
// collection then stores its new version.
import type { Page, PageRequest } from '#src/http/pagination.ts';
import { pageOf, pageOfList, type Sorted, type Step } from '#src/sandbox/world/page.ts';
import type { ContactEntry } from './contact-entry.ts';
import {
  filtersOf,
  matchesSearch,
  matchesSegments,
  wordFilters,
  type ContactSearch,
  type WordFilter,
} from './contact-search.ts';

export type ContactOrder = 'created_at' | 'updated_at';

/** One field of all contacts: its distinct values in their comparable form, and for each contact the index of its value. */
export interface Column {
  readonly values: readonly (string | null)[];
  readonly codes: Uint32Array;
}

/** Contacts computed from their row. Rows count from 0 in the order of `created_at`. */
export interface SeededContacts {
  readonly size: number;
  entry(row: number): ContactEntry;
  uri(row: number): string;
  time(order: ContactOrder, row: number): string;
  rowOf(field: 'uri' | 'email' | 'phone_number', value: string): number | undefined;
  /** All rows in the order of `updated_at`. */
  readonly byUpdate: Uint32Array;
  /** With the contacts in this order. */
  column(filter: WordFilter, order: ContactOrder): Column;
}

export interface RemainingContacts {
  readonly size: number;
  get(uri: string): ContactEntry | undefined;
  byEmail(email: string): ContactEntry | undefined;
  /** Removes the contact; false when it is not here. */
  remove(uri: string): boolean;
  page(order: ContactOrder, request: PageRequest, search: ContactSearch): Page<ContactEntry>;
  /** Whether the contact was here at first. */
  wasSeeded(uri: string): boolean;
  /** All seeded contacts in their current version; `changed` returns the version of those that have left. */
  entries(changed: (uri: string) => ContactEntry | undefined): Generator<ContactEntry>;
  /** The contact at this share of the rows, or the next one that is still here. */
  pick(share: number): ContactEntry | undefined;
}

export function createRemainingContacts(seeded: SeededContacts): RemainingContacts {
  const removed = new Uint8Array(seeded.size);
  let size = seeded.size;

  function rowOf(field: 'uri' | 'email' | 'phone_number', value: string): number | undefined {
    const row = seeded.rowOf(field, value);
    return row === undefined || removed[row] === 1 ? undefined : row;
  }
  function find(field: 'uri' | 'email', value: string): ContactEntry | undefined {
    const row = rowOf(field, value);
    return row === undefined ? undefined : seeded.entry(row);
  }

  /** An address or a number belongs to at most one contact, so no scan is needed. */
  function named({ email = [], phone_number = [] }: ContactSearch): readonly ContactEntry[] {
    const rows = [
      ...email.map((value) => rowOf('email', value)),
      ...phone_number.map((value) => rowOf('phone_number', value)),
    ];
    return [...new Set(rows)].flatMap((row) => (row === undefined ? [] : [seeded.entry(row)]));
  }

  function sorted(order: ContactOrder, search: ContactSearch): Sorted<ContactEntry> {
    const byUpdate = order === 'updated_at' ? seeded.byUpdate : undefined;
    const rowAt = (index: number): number => byUpdate?.[index] ?? index;
    const [first, ...others] = testsOf(seeded, order, search);
    return {
      length: seeded.size,
      at: (index) => seeded.entry(rowAt(index)),
      positionAt: (index) => ({
        key: seeded.time(order, rowAt(index)),
        // Only read where times are equal, and no two are.
        get uri() {
          return seeded.uri(rowAt(index));
        },
      }),
      seek(start, step) {
        for (let index = start; ; index += step) {
          if (first) index = nextMatch(first, index, step);
          if (index < 0 || index >= seeded.size) return -1;
          if (removed[rowAt(index)] === 0 && others.every((test) => isMatch(test, index))) return index;
        }
      },
    };
  }

  return {
    get size() {
      return size;
    },
    get: (uri) => find('uri', uri),
    byEmail: (email) => find('email', email),
    remove(uri) {
      const row = rowOf('uri', uri);
      if (row === undefined) return false;
      removed[row] = 1;
      size -= 1;
      return true;
    },
    page(order, request, search) {
      const keyOf = (entry: ContactEntry): string => entry[order];
      if (!search.email?.length && !search.phone_number?.length) return pageOf(sorted(order, search), request, keyOf);
      const found = named(search).filter((entry) => matchesSearch(entry, search));
      return pageOfList(found, request, keyOf);
    },
    wasSeeded: (uri) => seeded.rowOf('uri', uri) !== undefined,
    *entries(changed) {
      for (let row = 0; row < seeded.size; row += 1) {
        const entry = removed[row] === 0 ? seeded.entry(row) : changed(seeded.uri(row));
        if (entry !== undefined) yield entry;
      }
    },
    pick(share) {
      const next = removed.indexOf(0, Math.floor(share * seeded.size));
      const row = next === -1 ? removed.indexOf(0) : next;
      return row === -1 ? undefined : seeded.entry(row);
    },
  };
}

/** For every value of a column whether it matches. */
interface ColumnTest {
  readonly codes: Uint32Array;
  readonly matches: Uint8Array;
}

const isMatch = ({ codes, matches }: ColumnTest, index: number): boolean => matches[codes[index] ?? 0] === 1;

/** The first match at `start` or beyond it: a tight loop, since a scan may pass a million contacts. */
function nextMatch({ codes, matches }: ColumnTest, start: number, step: Step): number {
  let index = start;
  while (index >= 0 && index < codes.length && matches[codes[index] ?? 0] === 0) index += step;
  return index;
}

/** Compares each distinct value once, however many contacts share it. The test with the fewest matching values comes first. */
function testsOf(seeded: SeededContacts, order: ContactOrder, search: ContactSearch): readonly ColumnTest[] {
  const tests = filtersOf(search, wordFilters).map(({ name, segments }) => {
    const { values, codes } = seeded.column(name, order);
    const matches = new Uint8Array(values.length);
    let count = 0;
    values.forEach((value, code) => {
      if (!matchesSegments(name, value, segments)) return;
      matches[code] = 1;
      count += 1;
    });
    return { codes, matches, share: count / values.length };
  });
  return tests.toSorted((a, b) => a.share - b.share);
}
