// Rows in the order of a time and, where times are equal, of their URIs by bytes: on both engines alike, from any place, both ways.
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { StoreEngine } from '#src/store/contract.ts';

/** Where a page begins or ends: the row's time, and its URI to tell equal times apart. */
export interface Place {
  readonly key: string;
  readonly uri: string;
}

export interface PageWanted {
  readonly count: number;
  readonly descending: boolean;
  /** The page lies strictly beyond this row; absent: at the beginning. */
  readonly from?: Place;
  /** Towards the beginning of the collection instead of towards its end. */
  readonly backwards: boolean;
}

export interface PageFound<Item> {
  /** In the collection's order, whichever way the page was reached. */
  readonly items: readonly Item[];
  readonly hasPrevious: boolean;
  readonly hasNext: boolean;
}

/** One way through the rows. */
export interface Way {
  /** The column with the time, as `created_at`. */
  readonly order: string;
  readonly ascending: boolean;
}

type Part = RawBuilder<unknown>;

/** Letters of a URI sort by their bytes, whatever the collation of the database. */
const uriOf = ({ dialect }: StoreEngine, table: string): Part => dialect.bytes(sql.ref(`${table}.uri`));

const placeOf = ({ dialect }: StoreEngine, { key, uri }: Place): Part =>
  sql`(${dialect.time(key)}, ${dialect.bytes(sql`${uri}`)})`;

export function keysetOf(engine: StoreEngine, table: string, { order, ascending }: Way) {
  const key = sql.ref(`${table}.${order}`);
  const uri = uriOf(engine, table);
  return {
    /** Strictly on from there. Rows without the time are in no list that is sorted by it. */
    beyond: (place: Place | undefined): RawBuilder<SqlBool> =>
      place === undefined
        ? sql<SqlBool>`${key} is not null`
        : sql<SqlBool>`(${key}, ${uri}) ${ascending ? sql`>` : sql`<`} ${placeOf(engine, place)}`,
    /** Up to there, and there. */
    upTo: (place: Place): RawBuilder<SqlBool> =>
      sql<SqlBool>`(${key}, ${uri}) ${ascending ? sql`<=` : sql`>=`} ${placeOf(engine, place)}`,
    orderBy: ascending ? sql`${key} asc, ${uri} asc` : sql`${key} desc, ${uri} desc`,
  };
}

/** What finds rows: up to `need` of them beyond a place, in the order of the way. */
export type Seek<Item> = (way: Way, from: Place | undefined, need: number) => Promise<readonly Item[]>;

export interface Paging<Item> {
  readonly order: string;
  readonly seek: Seek<Item>;
  /** Whether the row that was last seen there still is. */
  stillAt(place: Place): Promise<boolean>;
}

export async function pageOf<Item>(
  { order, seek, stillAt }: Paging<Item>,
  { count, descending, from, backwards }: PageWanted,
): Promise<PageFound<Item>> {
  const ascending = descending === backwards;
  const found = await seek({ order, ascending }, from, count + 1);
  const more = found.length > count;
  const items = found.slice(0, count);
  // Coming from a row there is something behind, unless it has gone meanwhile.
  const behind =
    from !== undefined && ((await stillAt(from)) || (await seek({ order, ascending: !ascending }, from, 1)).length > 0);
  return {
    items: backwards ? items.toReversed() : items,
    hasNext: backwards ? behind : more,
    hasPrevious: backwards ? more : behind,
  };
}
