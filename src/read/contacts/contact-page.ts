// One page of the contacts that match a search. What the search table has followed is found there; contacts that changed since, and
// all of them where the table cannot be used, are read from the contacts themselves. The results are the same either way.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { Store } from '#src/store/contract.ts';
import { meets, searched, type ContactSearch } from '#src/store/contact-search/contact-match.ts';
import { narrowing } from './contact-candidates.ts';
import { searchProgress } from '#src/store/contact-search/contact-follower.ts';
import { seekInTable, select, type ContactOrder, type Effort, type Finder, type FoundContact } from './contact-seek.ts';
import {
  keysetOf,
  pageOf,
  type KeysetPosition,
  type Page,
  type PageRequest,
  type Seek,
  type SortOrder,
} from '#src/store/keyset.ts';

export interface ContactQuery {
  readonly search: ContactSearch;
  readonly order: ContactOrder;
  readonly page: PageRequest;
}

export interface ContactPage extends Page<FoundContact> {
  /** The last log entry that the search table has followed; absent where the contacts were scanned without it. */
  readonly searchOffset?: number;
}

const usual: Effort = { sampled: 400, longestScan: 6_000, piece: 8_000, mostCandidates: 1_200, mostNewer: 5_000 };

export async function findContacts(store: Store, wanted: ContactQuery, effort: Effort = usual): Promise<ContactPage> {
  const asked = searched(wanted.search);
  if (asked === undefined) return { items: [], hasNext: false, hasPrevious: false };
  const narrow = await narrowing(store, asked);
  // Addresses and phone numbers select few contacts, whatever the other filters are.
  const progress = narrow.listed === undefined ? await searchProgress(store, effort.mostNewer) : undefined;
  const finder: Finder = { store, asked, effort, narrow, newer: progress?.newer ?? [] };
  const seek = progress === undefined ? seekInContacts(finder) : seekInBoth(finder);
  const page = await pageOf(
    { order: wanted.order, seek, isStillAt: (position) => isStillAt(finder, wanted.order, position) },
    wanted.page,
  );
  return { ...page, ...(progress && { searchOffset: progress.offset }) };
}

/** Whether the contact at this position still matches there. */
async function isStillAt(finder: Finder, order: ContactOrder, { key, uri }: KeysetPosition): Promise<boolean> {
  const { listed = sql<SqlBool>`1 = 1` } = finder.narrow;
  const where = sql<SqlBool>`uri = ${uri} and ${listed}`;
  const rows = await select(finder, { table: 'contacts', order, ascending: true }, { where });
  return rows.some((row) => row.key === key && meets(row.texts, finder.asked));
}

/** In the search table, and among the contacts that changed since. */
function seekInBoth(finder: Finder): Seek<FoundContact> {
  const inTable = seekInTable(finder);
  const { newer } = finder;
  return async (way, from, need) => {
    const found = await inTable(way, from, need);
    if (newer.length === 0) return found;
    const isNewer = sql<SqlBool>`uri in (${finder.store.engine.contactIndex.list(newer)})`;
    const changed = await scan(finder, way, { from, need, among: isNewer });
    return inOrder([...found, ...changed], way.ascending).slice(0, need);
  };
}

interface ScanPage {
  readonly from: KeysetPosition | undefined;
  readonly need: number;
  readonly among: RawBuilder<SqlBool>;
}

/** The first of these contacts that match, in order. */
async function scan(finder: Finder, way: SortOrder, { from, need, among }: ScanPage): Promise<readonly FoundContact[]> {
  const { store, asked, narrow } = finder;
  const table = 'contacts';
  const where = sql<SqlBool>`${among} and ${keysetOf(store.engine, table, way).beyond(from)} and ${narrow.likely}`;
  // Where all filters are exact, the database finds what matches and nothing else.
  const isExact = asked.columns.every(({ kind }) => kind === 'exact');
  const rows = await select(finder, { table, ...way }, { where, ...(isExact && { limit: need }) });
  return rows.filter(({ texts }) => meets(texts, asked)).slice(0, need);
}

/** As the database compares them: URIs by bytes. */
const comparePositions = (a: KeysetPosition, b: KeysetPosition): number =>
  a.key === b.key ? Buffer.compare(Buffer.from(a.uri), Buffer.from(b.uri)) : a.key < b.key ? -1 : 1;

const inOrder = (found: readonly FoundContact[], ascending: boolean): FoundContact[] =>
  found.toSorted((a, b) => (ascending ? comparePositions(a, b) : comparePositions(b, a)));

/** Without the search table: the listed contacts, or all of them in the order of their URIs, piece by piece. */
const seekInContacts =
  (finder: Finder): Seek<FoundContact> =>
  async (way, from, need) => {
    const { store, effort, narrow } = finder;
    if (narrow.listed !== undefined) return scan(finder, way, { from, need, among: narrow.listed });
    let found: readonly FoundContact[] = [];
    for (let after = ''; ;) {
      const { rows } = await sql<{ uri: string }>`select uri from contacts where uri > ${after} order by uri
        limit 1 offset ${narrow.affordable(effort.piece) - 1}`.execute(store.db);
      const end = rows[0]?.uri;
      const among = end === undefined ? sql<SqlBool>`uri > ${after}` : sql<SqlBool>`uri > ${after} and uri <= ${end}`;
      const seen = await scan(finder, way, { from, need, among });
      found = inOrder([...found, ...seen], way.ascending).slice(0, need);
      if (end === undefined) return found;
      after = end;
      await yieldToEventLoop();
    }
  };
