// One page of the contacts that meet a search. What is common is found by walking in the order asked for, what is rare through an
// index and sorted afterwards; a sample of the rows that come next tells which. Nothing here holds up the process for long: a
// search that neither helps walks all contacts piece by piece.
import { setImmediate as breathe } from 'node:timers/promises';
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { Store } from '#src/store/contract.ts';
import { columnFilters, meets, searched, type ContactSearch, type Searched, type TextsOf } from './contact-match.ts';
import { narrowing, type Narrowing } from './contact-candidates.ts';
import { keysetOf, pageOf, type PageFound, type PageWanted, type Place, type Seek, type Way } from './keyset.ts';

export type ContactOrder = 'created_at' | 'updated_at';

export interface FoundContact extends Place {
  readonly texts: TextsOf;
}

export interface ContactsWanted {
  readonly search: ContactSearch;
  readonly order: ContactOrder;
  readonly page: PageWanted;
}

/** How much is tried before what. */
export interface Effort {
  /** Rows looked at first. */
  readonly sampled: number;
  /** Rows walked past when the sample promises enough on the way. */
  readonly longestWalk: number;
  /** Rows of one piece of a walk through all. */
  readonly piece: number;
  /** More than these take longer to sort than to find on the way. */
  readonly mostCandidates: number;
}

const usual: Effort = { sampled: 400, longestWalk: 6_000, piece: 8_000, mostCandidates: 1_200 };

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
      stillAt: async ({ key, uri }) => {
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

/** Live contacts in the order of the way, with what filters look at. */
async function select({ store }: Finder, way: Way, { where, limit }: Selection): Promise<readonly FoundContact[]> {
  const { orderBy, beyond } = keysetOf(store.engine, 'contacts', way);
  const columns = sql.join(columnFilters.map((name) => sql.ref(name)));
  const { rows } = await sql<TextsOf & Place>`
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
    // Addresses and numbers name a few contacts, whatever else is asked.
    if (narrow.listed !== undefined)
      return met(await select(finder, way, { where: sql<SqlBool>`${beyond(from)} and ${narrow.listed}` }));
    if (asked.columns.length === 0) return select(finder, way, { where: beyond(from), limit: need });

    const sample = await select(finder, way, { where: beyond(from), limit: sampled });
    const found = met(sample);
    if (found.length === need || sample.length < sampled) return found;
    const walk = walkFrom(finder, way, { found, need, at: sample.at(-1) });
    // Enough of them on the way, by the look of it.
    const ahead = Math.ceil((1.5 * need * sampled) / Math.max(found.length, 1));
    if (found.length > 0 && ahead <= effort.longestWalk) await walk.on(ahead);
    if (walk.isOver()) return found;
    const texts = sample.map((row) => row.texts);
    const candidates = await narrow.candidates({ way, from }, texts, effort.mostCandidates);
    if (candidates !== undefined) return firstOf(finder, { way, candidates, need });
    // There are many: some of them are not far.
    while (!walk.isOver()) {
      await walk.on(effort.piece);
      await breathe();
    }
    return found;
  };

interface Candidates {
  readonly way: Way;
  /** In the order of the way. */
  readonly candidates: readonly string[];
  readonly need: number;
}

/** Those that do fit, a few at a time: mostly all do. */
async function firstOf(finder: Finder, { way, candidates, need }: Candidates): Promise<readonly FoundContact[]> {
  const found: FoundContact[] = [];
  for (let at = 0; at < candidates.length && found.length < need; at += 2 * need) {
    const uris = sql.join(candidates.slice(at, at + 2 * need));
    const rows = await select(finder, way, { where: sql<SqlBool>`uri in (${uris})` });
    found.push(...rows.filter(({ texts }) => meets(texts, finder.asked)));
  }
  return found.slice(0, need);
}

interface Walked {
  /** Grows. */
  readonly found: FoundContact[];
  readonly need: number;
  readonly at: Place | undefined;
}

function walkFrom(finder: Finder, way: Way, { found, need, at: start }: Walked) {
  const { store, asked, narrow } = finder;
  const { beyond, upTo, orderBy } = keysetOf(store.engine, 'contacts', way);
  let at = start;
  let isAtEnd = false;
  return {
    isOver: () => isAtEnd || found.length >= need,
    /** Past so many rows. */
    async on(rows: number): Promise<void> {
      const { rows: ends } = await sql<Place>`select ${sql.ref(way.order)} as key, uri from contacts
        where deleted_at is null and ${beyond(at)} order by ${orderBy} limit 1 offset ${narrow.affordable(rows) - 1}`.execute(
        store.db,
      );
      const end = ends[0];
      const stretch = end === undefined ? beyond(at) : sql<SqlBool>`${beyond(at)} and ${upTo(end)}`;
      const seen = await select(finder, way, { where: sql<SqlBool>`${stretch} and ${narrow.likely}` });
      found.push(...seen.filter(({ texts }) => meets(texts, asked)).slice(0, need - found.length));
      at = end;
      isAtEnd = end === undefined;
    },
  };
}
