// The contacts of one organization, from a handful to a million: found by URI or address, listed in pages. A seeded contact is
// computed when it is read; one that is changed is stored from then on.
import type { Page, PageRequest } from '#src/http/pagination.ts';
import { createIndexedCollection } from '#src/sandbox/world/indexed-collection.ts';
import { mergePages, pageOf, pageOfList, type Sorted, type Step } from '#src/sandbox/world/page.ts';
import {
  addressKey,
  filtersOf,
  matchesSearch,
  matchesSegments,
  wordFilters,
  type ContactEntry,
  type ContactSearch,
} from './contact-entry.ts';
import { createSeededContacts, type ContactOrder, type RowField, type SeededContacts } from './seeded-contacts.ts';

export type ContactCollection = ReturnType<typeof createContactCollection>;

const noContacts = createSeededContacts({ seed: 0, size: 0, baseUrl: '', nowMs: 0, owners: [], definitions: [] });

export function createContactCollection(seeded: SeededContacts = noContacts) {
  /** The rows that were changed or deleted. */
  const removed = new Uint8Array(seeded.size);
  let remaining = seeded.size;
  const stored = createIndexedCollection<ContactEntry, ContactOrder, 'email'>({
    orders: { created_at: (entry) => entry.created_at, updated_at: (entry) => entry.updated_at },
    groups: { email: ({ emails }) => emails.map(({ email }) => addressKey(email)) },
  });

  function remainingRow(field: RowField, value: string): number | undefined {
    const row = seeded.rowOf(field, value);
    return row === undefined || removed[row] === 1 ? undefined : row;
  }
  function remainingEntry(field: RowField, value: string): ContactEntry | undefined {
    const row = remainingRow(field, value);
    return row === undefined ? undefined : seeded.entry(row);
  }
  function remove(uri: string): boolean {
    const row = remainingRow('uri', uri);
    if (row === undefined) return false;
    removed[row] = 1;
    remaining -= 1;
    return true;
  }

  function seededPage(order: ContactOrder, request: PageRequest, search: ContactSearch): Page<ContactEntry> {
    const keyOf = (entry: ContactEntry): string => entry[order];
    const { email = [], phone_number = [] } = search;
    if (email.length + phone_number.length === 0) return pageOf(seededRows(order, search), request, keyOf);
    // An address or a number belongs to at most one contact, so no scan is needed.
    const rows = [
      ...email.map((value) => remainingRow('email', value)),
      ...phone_number.map((value) => remainingRow('phone_number', value)),
    ];
    const entries = [...new Set(rows)].flatMap((row) => (row === undefined ? [] : [seeded.entry(row)]));
    const found = entries.filter((entry) => matchesSearch(entry, search));
    return pageOfList(found, request, keyOf);
  }

  function seededRows(order: ContactOrder, search: ContactSearch): Sorted<ContactEntry> {
    const rowAt = (index: number): number => (order === 'updated_at' ? (seeded.byUpdate[index] ?? index) : index);
    const [first, ...others] = testsOf(seeded, order, search);
    return {
      length: seeded.size,
      at: (index) => seeded.entry(rowAt(index)),
      positionAt: (index) => ({ key: seeded.time(order, rowAt(index)), uri: seeded.uri(rowAt(index)) }),
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
      return remaining + stored.size;
    },
    get: (uri: string): ContactEntry | undefined => stored.get(uri) ?? remainingEntry('uri', uri),
    /** The contact with this address, primary or not; case does not matter. Seeded addresses are lower-case. */
    byEmail: (email: string): ContactEntry | undefined =>
      stored.of('email', addressKey(email))[0] ?? remainingEntry('email', addressKey(email)),
    /** Adds the contact, or replaces the one with the same URI. */
    put(entry: ContactEntry): void {
      remove(entry.uri);
      stored.put(entry);
    },
    delete: (uri: string): boolean => remove(uri) || stored.delete(uri),
    page(order: ContactOrder, request: PageRequest, search: ContactSearch): Page<ContactEntry> {
      const matches = (entry: ContactEntry): boolean => matchesSearch(entry, search);
      return mergePages([seededPage(order, request, search), stored.page(order, request, matches)], request);
    },
    /** All contacts, computed one at a time. The caller may change contacts meanwhile: none is returned twice. */
    *entries(): Generator<ContactEntry> {
      for (let row = 0; row < seeded.size; row += 1) {
        const entry = removed[row] === 0 ? seeded.entry(row) : stored.get(seeded.uri(row));
        if (entry !== undefined) yield entry;
      }
      for (const entry of stored.values()) if (seeded.rowOf('uri', entry.uri) === undefined) yield entry;
    },
    /** One contact, chosen by a number from 0 (inclusive) to 1 (exclusive). */
    pick(fraction: number): ContactEntry | undefined {
      const index = fraction * (remaining + stored.size);
      if (index >= remaining)
        return stored
          .values()
          .drop(Math.floor(index - remaining))
          .next().value;
      // The row at this share, or the next one that remains.
      const row = removed.indexOf(0, Math.floor((index / remaining) * seeded.size));
      return seeded.entry(row === -1 ? removed.indexOf(0) : row);
    },
  };
}

/** For every value of a column whether it matches. */
interface ColumnTest {
  readonly codes: Uint32Array;
  readonly matches: Uint8Array;
}

/** Compares each distinct value once, however many contacts share it. The test that fewest values pass comes first. */
function testsOf(seeded: SeededContacts, order: ContactOrder, search: ContactSearch): readonly ColumnTest[] {
  const tests = filtersOf(search, wordFilters).map(({ name, segments }) => {
    const { values, codes } = seeded.column(name, order);
    const matches = new Uint8Array(values.length);
    let count = 0;
    values.forEach((value, code) => {
      if (matchesSegments(name, value, segments)) count += matches[code] = 1;
    });
    return { codes, matches, share: count / values.length };
  });
  return tests.toSorted((a, b) => a.share - b.share);
}

const isMatch = ({ codes, matches }: ColumnTest, index: number): boolean => matches[codes[index] ?? 0] === 1;

/** The first match at `start` or beyond it: a tight loop, since a scan may pass a million contacts. */
function nextMatch({ codes, matches }: ColumnTest, start: number, step: Step): number {
  let index = start;
  while (index >= 0 && index < codes.length && matches[codes[index] ?? 0] === 0) index += step;
  return index;
}
