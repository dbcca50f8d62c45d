// Finds the next contacts that match column filters in `contact_search`. Frequent matches are found by scanning in the order of the
// page, rare ones through an index and sorted afterwards; a sample of the next rows decides. A search that neither helps scans all
// rows piece by piece, so that nothing blocks the process for long. Contacts that changed since are left out.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { Store } from '#src/store/contract.ts';
import { columnFilters, meets, type ContactFilters, type TextsOf } from '#src/store/contact-search/contact-match.ts';
import type { ContactCandidates } from './contact-candidates.ts';
import { keysetOf, type KeysetPosition, type Seek, type SortOrder } from '#src/store/keyset.ts';

export type ContactOrder = 'created_at' | 'updated_at';

export interface FoundContact extends KeysetPosition {
  readonly texts: TextsOf;
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
  /** Log entries that the search table may be behind: their contacts are compared one by one. */
  readonly mostNewer: number;
}

export interface Finder {
  readonly store: Store;
  readonly asked: ContactFilters;
  readonly effort: Effort;
  readonly narrow: ContactCandidates;
  /** Contacts whose rows in the search table may be outdated. */
  readonly newer: readonly string[];
}

export interface Selection {
  readonly where: RawBuilder<SqlBool>;
  readonly limit?: number;
}

/** Contacts that are not deleted, or rows of the search table that are up to date, in order, with the texts that filters compare. */
export async function select(
  { store, newer }: Finder,
  { table, ...way }: SortOrder & { readonly table: 'contacts' | 'contact_search' },
  { where, limit }: Selection,
): Promise<readonly FoundContact[]> {
  const { orderBy, beyond } = keysetOf(store.engine, table, way);
  const columns = sql.join(columnFilters.map((name) => sql.ref(name)));
  const isCurrent = newer.length === 0 ? sql`1 = 1` : sql`uri not in (${store.engine.contactIndex.list(newer)})`;
  const isLive = table === 'contacts' ? sql`deleted_at is null` : isCurrent;
  const { rows } = await sql<TextsOf & KeysetPosition>`
    select ${sql.ref(way.order)} as key, uri, ${columns} from ${sql.table(table)}
    where ${isLive} and ${beyond(undefined)} and ${where} order by ${orderBy}
    ${limit === undefined ? sql`` : sql`limit ${limit}`}`.execute(store.db);
  return rows.map(({ key, uri, ...texts }) => ({ key, uri, texts }));
}

const table = 'contact_search';

export const seekInTable =
  (finder: Finder): Seek<FoundContact> =>
  async (way, from, need) => {
    const { store, asked, effort, narrow } = finder;
    const { beyond } = keysetOf(store.engine, table, way);
    if (asked.columns.length === 0) return select(finder, { table, ...way }, { where: beyond(from), limit: need });
    const met = (rows: readonly FoundContact[]) => rows.filter(({ texts }) => meets(texts, asked));
    const { sampled } = effort;
    const sample = await select(finder, { table, ...way }, { where: beyond(from), limit: sampled });
    const found = met(sample).slice(0, need);
    if (found.length === need || sample.length < sampled) return found;
    const scan = scanFrom(finder, way, { met, found, need, at: sample.at(-1) });
    // The sample suggests that a scan finds enough of them.
    const ahead = Math.ceil((1.5 * need * sampled) / Math.max(found.length, 1));
    if (found.length > 0 && ahead <= effort.longestScan) await scan.next(ahead);
    if (scan.isOver()) return found;
    const texts = sample.map((row) => row.texts);
    const candidates = await narrow.candidates({ way, from }, texts, effort.mostCandidates);
    if (candidates !== undefined) return firstOf(finder, { way, candidates, need, met });
    // There are many matches: some of them are near.
    while (!scan.isOver()) {
      await scan.next(effort.piece);
      await yieldToEventLoop();
    }
    return found;
  };

type Met = (rows: readonly FoundContact[]) => readonly FoundContact[];

interface Candidates {
  readonly way: SortOrder;
  /** In order. */
  readonly candidates: readonly string[];
  readonly need: number;
  readonly met: Met;
}

/** Those that match, a few at a time: mostly all do. */
async function firstOf(finder: Finder, { way, candidates, need, met }: Candidates): Promise<readonly FoundContact[]> {
  const found: FoundContact[] = [];
  for (let at = 0; at < candidates.length && found.length < need; at += 2 * need) {
    const uris = sql.join(candidates.slice(at, at + 2 * need));
    found.push(...met(await select(finder, { table, ...way }, { where: sql<SqlBool>`uri in (${uris})` })));
  }
  return found.slice(0, need);
}

interface ScanState {
  readonly met: Met;
  /** Grows. */
  readonly found: FoundContact[];
  readonly need: number;
  readonly at: KeysetPosition | undefined;
}

function scanFrom(finder: Finder, way: SortOrder, { met, found, need, at: start }: ScanState) {
  const { store, narrow } = finder;
  const { beyond, upTo, orderBy } = keysetOf(store.engine, table, way);
  let at = start;
  let isAtEnd = false;
  return {
    isOver: () => isAtEnd || found.length >= need,
    /** Scans the next rows. */
    async next(rows: number): Promise<void> {
      const { rows: ends } = await sql<KeysetPosition>`select ${sql.ref(way.order)} as key, uri from contact_search
        where ${beyond(at)} order by ${orderBy} limit 1 offset ${narrow.affordable(rows) - 1}`.execute(store.db);
      const end = ends[0];
      const range = end === undefined ? beyond(at) : sql<SqlBool>`${beyond(at)} and ${upTo(end)}`;
      const where = sql<SqlBool>`${range} and ${narrow.likely}`;
      found.push(...met(await select(finder, { table, ...way }, { where })).slice(0, need - found.length));
      at = end;
      isAtEnd = end === undefined;
    },
  };
}
