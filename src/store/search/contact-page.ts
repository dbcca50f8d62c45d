// One page of the contacts that match a search. What the search table has followed is found there; contacts that changed since, and
// all of them where the table cannot be used, are read from the contacts themselves. The results are the same either way.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { sql, type SqlBool } from 'kysely';
import type { Store } from '#src/store/contract.ts';
import { meets, searched, type ContactSearch } from './contact-match.ts';
import { narrowing } from './contact-candidates.ts';
import {
  comparePositions,
  newerContacts,
  type ContactOrder,
  type FoundContact,
  type NewerContacts,
} from './newer-contacts.ts';
import { seekInTable, select, type Effort, type Finder } from './contact-seek.ts';
import { keysetOf, pageOf, type KeysetPosition, type PageFound, type PageWanted, type Seek } from './keyset.ts';

export interface ContactsWanted {
  readonly search: ContactSearch;
  readonly order: ContactOrder;
  readonly page: PageWanted;
}

export interface ContactsFound extends PageFound<FoundContact> {
  /** The last log entry that the search table has followed; absent where the contacts were scanned without it. */
  readonly searchOffset?: number;
}

const usual: Effort = { sampled: 400, longestScan: 6_000, piece: 8_000, mostCandidates: 1_200, mostNewer: 5_000 };

export async function findContacts(
  store: Store,
  wanted: ContactsWanted,
  effort: Effort = usual,
): Promise<ContactsFound> {
  const asked = searched(wanted.search);
  if (asked === undefined) return { items: [], hasNext: false, hasPrevious: false };
  const finder: Finder = { store, asked, effort, narrow: await narrowing(store, asked) };
  // Addresses and phone numbers select few contacts, whatever the other filters are.
  const newer = finder.narrow.listed === undefined ? await newerContacts(store, effort.mostNewer) : undefined;
  const seek = newer === undefined ? seekInContacts(finder) : seekInBoth(finder, newer);
  const page = await pageOf(
    { order: wanted.order, seek, isStillAt: (position) => isStillAt(finder, wanted.order, position) },
    wanted.page,
  );
  return { ...page, ...(newer && { searchOffset: newer.offset }) };
}

/** Whether the contact at this position still matches there. */
async function isStillAt(finder: Finder, order: ContactOrder, { key, uri }: KeysetPosition): Promise<boolean> {
  const { listed = sql<SqlBool>`1 = 1` } = finder.narrow;
  const where = sql<SqlBool>`uri = ${uri} and ${listed}`;
  const rows = await select(finder, { table: 'contacts', order, ascending: true }, { where });
  return rows.some((row) => row.key === key && meets(row.texts, finder.asked));
}

/** In the search table, and among the contacts that changed since. */
function seekInBoth(finder: Finder, newer: NewerContacts): Seek<FoundContact> {
  const inTable = seekInTable(finder, newer);
  return async (way, from, need) => {
    const found = [...(await inTable(way, from, need)), ...newer.after(way, from, finder.asked)];
    return inOrder(found, way.ascending).slice(0, need);
  };
}

const inOrder = (found: readonly FoundContact[], ascending: boolean): FoundContact[] =>
  found.toSorted((a, b) => (ascending ? comparePositions(a, b) : comparePositions(b, a)));

/** Without the search table: the listed contacts, or all of them in the order of their URIs, piece by piece. */
const seekInContacts =
  (finder: Finder): Seek<FoundContact> =>
  async (way, from, need) => {
    const { store, asked, effort, narrow } = finder;
    const table = 'contacts';
    const beyond = keysetOf(store.engine, table, way).beyond(from);
    const met = (rows: readonly FoundContact[]) => rows.filter(({ texts }) => meets(texts, asked));
    if (narrow.listed !== undefined)
      return met(
        await select(finder, { table, ...way }, { where: sql<SqlBool>`${beyond} and ${narrow.listed}` }),
      ).slice(0, need);
    let found: readonly FoundContact[] = [];
    for (let after = ''; ;) {
      const { rows } = await sql<{ uri: string }>`select uri from contacts where uri > ${after} order by uri
        limit 1 offset ${narrow.affordable(effort.piece) - 1}`.execute(store.db);
      const end = rows[0]?.uri;
      const range = end === undefined ? sql`uri > ${after}` : sql`uri > ${after} and uri <= ${end}`;
      const where = sql<SqlBool>`${range} and ${beyond} and ${narrow.likely}`;
      const seen = met(await select(finder, { table, ...way }, { where }));
      found = inOrder([...found, ...seen], way.ascending).slice(0, need);
      if (end === undefined) return found;
      after = end;
      await yieldToEventLoop();
    }
  };
