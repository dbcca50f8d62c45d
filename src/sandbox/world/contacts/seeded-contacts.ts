// The contacts an address book was opened with, up to a million of them: each is made when it is looked at, and found by
// comparing small numbers. One that is changed or deleted leaves, and is the book's own from then on.
import type { Page, PageRequest } from '#src/http/pagination.ts';
import { pageOf, pageOfList } from '#src/sandbox/world/page.ts';
import type { Sorted } from '#src/sandbox/world/page.ts';
import type { ContactEntry } from './contact-entry.ts';
import { matchesSearch } from './contact-search.ts';
import type { ContactSearch } from './contact-search.ts';

export type ContactOrder = 'created_at' | 'updated_at';

/** For every row the code of a value, in the order asked for, and for every code whether it is wanted. */
export interface Column {
  readonly codes: Uint32Array;
  readonly wanted: Uint8Array;
  /** How many rows have a code that is wanted, and where they are, ascending. */
  readonly rows: number;
  places(): Uint32Array;
}

/** Contacts that are a function of their row. Rows are counted from 0 in the order of `created_at`. */
export interface SeededContacts {
  readonly size: number;
  entry(row: number): ContactEntry;
  uri(row: number): string;
  time(order: ContactOrder, row: number): string;
  /** The row that has this name, if any. */
  rowOf(what: 'uri' | 'email' | 'phone_number', name: string): number | undefined;
  /** All rows in the order of `updated_at`; made when first asked for, as far as it is not prepared. */
  readonly byUpdate: Uint32Array;
  /** Does a piece of what will be asked for; answers whether there is more to do. */
  prepare(): boolean;
  /** What a search wants of each column, the fewest first; addresses and numbers are left to `rowOf`. */
  columns(order: ContactOrder, search: ContactSearch): readonly Column[];
}

export interface ContactBase {
  readonly size: number;
  get(uri: string): ContactEntry | undefined;
  byEmail(email: string): ContactEntry | undefined;
  /** The contact leaves; false when it is not here. */
  release(uri: string): boolean;
  page(order: ContactOrder, request: PageRequest, search: ContactSearch): Page<ContactEntry>;
  /** Whether the contact was here at first. */
  began(uri: string): boolean;
  /** All that were here at first, where `left` still knows those that have left since. */
  entries(left: (uri: string) => ContactEntry | undefined): Generator<ContactEntry>;
  /** The one at this share of the rows, or the next that is still here. */
  pick(share: number): ContactEntry | undefined;
}

export function createContactBase(seeded: SeededContacts): ContactBase {
  const gone = new Uint8Array(seeded.size);
  let size = seeded.size;

  const rowHere = (what: 'uri' | 'email' | 'phone_number', name: string): number | undefined => {
    const row = seeded.rowOf(what, name);
    return row === undefined || gone[row] === 1 ? undefined : row;
  };
  const find = (what: 'uri' | 'email', name: string): ContactEntry | undefined => {
    const row = rowHere(what, name);
    return row === undefined ? undefined : seeded.entry(row);
  };

  /** Addresses and numbers name at most one contact each: no walk is needed. */
  function named({ email = [], phone_number = [] }: ContactSearch): readonly ContactEntry[] {
    const rows = [
      ...email.map((name) => rowHere('email', name)),
      ...phone_number.map((name) => rowHere('phone_number', name)),
    ];
    return [...new Set(rows)].flatMap((row) => (row === undefined ? [] : [seeded.entry(row)]));
  }

  return {
    get size() {
      return size;
    },
    get: (uri) => find('uri', uri),
    byEmail: (email) => find('email', email),
    release(uri) {
      const row = rowHere('uri', uri);
      if (row === undefined) return false;
      gone[row] = 1;
      size -= 1;
      return true;
    },
    page(order, request, search) {
      if (!search.email?.length && !search.phone_number?.length)
        return pageOf(
          rowsIn(order, { seeded, gone, columns: seeded.columns(order, search) }),
          request,
          (entry) => entry[order],
        );
      const found = named(search).filter((entry) => matchesSearch(entry, search));
      return pageOfList(found, request, (entry) => entry[order]);
    },
    began: (uri) => seeded.rowOf('uri', uri) !== undefined,
    *entries(left) {
      for (let row = 0; row < seeded.size; row += 1) {
        const entry = gone[row] === 0 ? seeded.entry(row) : left(seeded.uri(row));
        if (entry !== undefined) yield entry;
      }
    },
    pick(share) {
      const start = Math.floor(share * seeded.size);
      const here = gone.indexOf(0, start);
      const row = here === -1 ? gone.indexOf(0) : here;
      return row === -1 ? undefined : seeded.entry(row);
    },
  };
}

interface Rows {
  readonly seeded: SeededContacts;
  readonly gone: Uint8Array;
  readonly columns: readonly Column[];
}

function rowsIn(order: ContactOrder, { seeded, gone, columns }: Rows): Sorted<ContactEntry> {
  const sequence = order === 'updated_at' ? seeded.byUpdate : undefined;
  const rowAt = (index: number): number => sequence?.[index] ?? index;
  const [first, ...others] = columns;
  // Most rows fail the first column, so the loop over a million of them asks for nothing else.
  function fitsRest(index: number): boolean {
    return gone[rowAt(index)] === 0 && others.every(({ codes, wanted }) => wanted[codes[index] as number] === 1);
  }
  return {
    length: seeded.size,
    at: (index) => seeded.entry(rowAt(index)),
    positionAt: (index) => ({
      key: seeded.time(order, rowAt(index)),
      // Asked for only where times are equal, and no two are.
      get uri() {
        return seeded.uri(rowAt(index));
      },
    }),
    seek:
      first === undefined || first.rows > few * seeded.size
        ? seekAlong(seeded.size, first, fitsRest)
        : seekAmong(first.places().filter((place) => fitsRest(place))),
  };
}

/** Up to this share of the rows it is better to look at these alone than to walk past all. */
const few = 0.02;

type Seek = Sorted<unknown>['seek'];

function seekAlong(size: number, first: Column | undefined, fitsRest: (index: number) => boolean): Seek {
  return (start, step) => {
    if (first === undefined) {
      for (let index = start; index >= 0 && index < size; index += step) if (fitsRest(index)) return index;
      return -1;
    }
    const { codes, wanted } = first;
    for (let index = start; index >= 0 && index < size; index += step)
      if (wanted[codes[index] as number] === 1 && fitsRest(index)) return index;
    return -1;
  };
}

/** Among places known to fit, ascending. */
function seekAmong(places: Uint32Array): Seek {
  return (start, step) => {
    let low = 0;
    let high = places.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((places[middle] as number) < start) low = middle + 1;
      else high = middle;
    }
    // `low` is the first place at `start` or above it.
    const found = step > 0 || places[low] === start ? low : low - 1;
    return places[found] ?? -1;
  };
}
