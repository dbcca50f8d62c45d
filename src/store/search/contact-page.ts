// One page of the contacts that match a search. Frequent matches are found by scanning in the order of the page, rare ones through an
// index and sorted afterwards; a sample of the next rows decides. A search that neither helps scans all contacts piece by piece, so
// that nothing blocks the process for long.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { Store } from '#src/store/contract.ts';
import { columnFilters, meets, searched, type ContactSearch, type Searched, type TextsOf } from './contact-match.ts';
import { narrowing, type Narrowing } from './contact-candidates.ts';
import {
  keysetOf,
  pageOf,
  type PageFound,
  type PageWanted,
  type KeysetPosition,
  type Seek,
  type Way,
} from './keyset.ts';

export type ContactOrder = 'created_at' | 'updated_at';

export interface FoundContact extends KeysetPosition {
  readonly texts: TextsOf;
}

export interface ContactsWanted {
  readonly search: ContactSearch;
  readonly order: ContactOrder;
  readonly page: PageWanted;
}

/** How much each way of searching may cost. */
export interface Effort {
  /** Rows of the sample. */
  readonly sampled: number;
  /** Rows to scan when the sample suggests that they hold enough matches. */
  readonly longestScan: number;
  /** Rows per piece of a full scan. */
  readonly piece: number;
  /** More candidates take longer to sort than to find by scanning. */
  readonly mostCandidates: number;
}

const usual: Effort = { sampled: 400, longestScan: 6_000, piece: 8_000, mostCandidates: 1_200 };

export async function findContacts(
  store: Store,
  wanted: ContactsWanted,
  effort: Effort = usual,
): Promise<PageFound<FoundContact>> {
  const asked = searched(wanted.search);
  if (asked === undefined) return { items: [], hasNext: false, hasPrevious: false };
  const finder: Finder = { store, asked, effort, narrow: await narrowing(store, asked) };
  return pageOf(
    {
      order: wanted.order,
      seek: seekIn(finder),
      isStillAt: async ({ key, uri }) => {
        const way: Way = { order: wanted.order, ascending: true };
        const rows = await select(finder, way, { where: sql<SqlBool>`uri = ${uri}`, limit: 1 });
        return rows.some((row) => row.key === key && meets(row.texts, asked)) && isListed(finder, uri);
      },
    },
    wanted.page,
  );
}

interface Finder {
  readonly store: Store;
  readonly asked: Searched;
  readonly effort: Effort;
  readonly narrow: Narrowing;
}

interface Selection {
  readonly where: RawBuilder<SqlBool>;
  readonly limit?: number;
}

/** Contacts that are not deleted, in order, with the texts that filters compare. */
async function select({ store }: Finder, way: Way, { where, limit }: Selection): Promise<readonly FoundContact[]> {
  const { orderBy, beyond } = keysetOf(store.engine, 'contacts', way);
  const columns = sql.join(columnFilters.map((name) => sql.ref(name)));
  const { rows } = await sql<TextsOf & KeysetPosition>`
    select ${sql.ref(way.order)} as key, uri, ${columns} from contacts
    where deleted_at is null and ${beyond(undefined)} and ${where} order by ${orderBy}
    ${limit === undefined ? sql`` : sql`limit ${limit}`}`.execute(store.db);
  return rows.map(({ key, uri, ...texts }) => ({ key, uri, texts }));
}

const isListed = async (finder: Finder, uri: string): Promise<boolean> => {
  const { listed } = finder.narrow;
  if (listed === undefined) return true;
  return (
    (
      await select(
        finder,
        { order: 'created_at', ascending: true },
        { where: sql<SqlBool>`uri = ${uri} and ${listed}` },
      )
    ).length > 0
  );
};

const seekIn =
  (finder: Finder): Seek<FoundContact> =>
  async (way, from, need) => {
    const { store, asked, effort, narrow } = finder;
    const { sampled } = effort;
    const { beyond } = keysetOf(store.engine, 'contacts', way);
    const met = (rows: readonly FoundContact[]) => rows.filter(({ texts }) => meets(texts, asked)).slice(0, need);
    // Addresses and phone numbers select few contacts, whatever the other filters are.
    if (narrow.listed !== undefined)
      return met(await select(finder, way, { where: sql<SqlBool>`${beyond(from)} and ${narrow.listed}` }));
    if (asked.columns.length === 0) return select(finder, way, { where: beyond(from), limit: need });

    const sample = await select(finder, way, { where: beyond(from), limit: sampled });
    const found = met(sample);
    if (found.length === need || sample.length < sampled) return found;
    const scan = scanFrom(finder, way, { found, need, at: sample.at(-1) });
    // The sample suggests that a scan finds enough of them.
    const ahead = Math.ceil((1.5 * need * sampled) / Math.max(found.length, 1));
    if (found.length > 0 && ahead <= effort.longestScan) await scan.next(ahead);
    if (scan.isOver()) return found;
    const texts = sample.map((row) => row.texts);
    const candidates = await narrow.candidates({ way, from }, texts, effort.mostCandidates);
    if (candidates !== undefined) return firstOf(finder, { way, candidates, need });
    // There are many matches: some of them are near.
    while (!scan.isOver()) {
      await scan.next(effort.piece);
      await yieldToEventLoop();
    }
    return found;
  };

interface Candidates {
  readonly way: Way;
  /** In order. */
  readonly candidates: readonly string[];
  readonly need: number;
}

/** Those that match, a few at a time: mostly all do. */
async function firstOf(finder: Finder, { way, candidates, need }: Candidates): Promise<readonly FoundContact[]> {
  const found: FoundContact[] = [];
  for (let at = 0; at < candidates.length && found.length < need; at += 2 * need) {
    const uris = sql.join(candidates.slice(at, at + 2 * need));
    const rows = await select(finder, way, { where: sql<SqlBool>`uri in (${uris})` });
    found.push(...rows.filter(({ texts }) => meets(texts, finder.asked)));
  }
  return found.slice(0, need);
}

interface Scanned {
  /** Grows. */
  readonly found: FoundContact[];
  readonly need: number;
  readonly at: KeysetPosition | undefined;
}

function scanFrom(finder: Finder, way: Way, { found, need, at: start }: Scanned) {
  const { store, asked, narrow } = finder;
  const { beyond, upTo, orderBy } = keysetOf(store.engine, 'contacts', way);
  let at = start;
  let isAtEnd = false;
  return {
    isOver: () => isAtEnd || found.length >= need,
    /** Scans the next rows. */
    async next(rows: number): Promise<void> {
      const { rows: ends } = await sql<KeysetPosition>`select ${sql.ref(way.order)} as key, uri from contacts
        where deleted_at is null and ${beyond(at)} order by ${orderBy} limit 1 offset ${narrow.affordable(rows) - 1}`.execute(
        store.db,
      );
      const end = ends[0];
      const range = end === undefined ? beyond(at) : sql<SqlBool>`${beyond(at)} and ${upTo(end)}`;
      const seen = await select(finder, way, { where: sql<SqlBool>`${range} and ${narrow.likely}` });
      found.push(...seen.filter(({ texts }) => meets(texts, asked)).slice(0, need - found.length));
      at = end;
      isAtEnd = end === undefined;
    },
  };
}
