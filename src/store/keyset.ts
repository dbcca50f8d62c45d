// Keyset pagination: rows in the order of a time and then of their URIs by bytes, alike on both engines and in both directions.
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { StoreEngine } from '#src/store/contract.ts';

/** Where a page begins or ends: the time of a row, and its URI for equal times. */
export interface KeysetPosition {
  readonly key: string;
  readonly uri: string;
}

export interface PageRequest {
  readonly count: number;
  readonly descending: boolean;
  /** The page begins after this row; absent: at the beginning. */
  readonly from?: KeysetPosition;
  /** Towards the beginning of the collection instead of towards its end. */
  readonly backwards: boolean;
}

export interface Page<Item> {
  /** In the collection's order, whichever way the page was reached. */
  readonly items: readonly Item[];
  readonly hasPrevious: boolean;
  readonly hasNext: boolean;
}

export interface SortOrder {
  /** The column with the time, as `created_at`. */
  readonly order: string;
  readonly ascending: boolean;
  readonly id?: 'uri' | 'id' | 'last_invitee' | 'invitee_uri' | undefined;
}

type Part = RawBuilder<unknown>;

const tupleOf = ({ dialect }: StoreEngine, { key, uri }: KeysetPosition): Part =>
  sql`(${dialect.time(key)}, ${dialect.bytes(sql`${uri}`)})`;

/** `id`: the column that decides between equal times. It sorts by bytes, whatever the collation of the database. */
export function keysetOf(engine: StoreEngine, table: string, { order, ascending, id = 'uri' }: SortOrder) {
  const key = sql.ref(`${table}.${order}`);
  const uri = engine.dialect.bytes(sql.ref(`${table}.${id}`));
  return {
    /** Rows after the position. A list sorted by a time leaves out rows without it. */
    beyond: (position: KeysetPosition | undefined): RawBuilder<SqlBool> =>
      position === undefined
        ? sql<SqlBool>`${key} is not null`
        : sql<SqlBool>`(${key}, ${uri}) ${ascending ? sql`>` : sql`<`} ${tupleOf(engine, position)}`,
    upTo: (position: KeysetPosition): RawBuilder<SqlBool> =>
      sql<SqlBool>`(${key}, ${uri}) ${ascending ? sql`<=` : sql`>=`} ${tupleOf(engine, position)}`,
    orderBy: ascending ? sql`${key} asc, ${uri} asc` : sql`${key} desc, ${uri} desc`,
  };
}

/** Finds up to `need` rows after a position, in order. */
export type Seek<Item> = (way: SortOrder, from: KeysetPosition | undefined, need: number) => Promise<readonly Item[]>;

export interface PageSource<Item> {
  readonly order: string;
  readonly seek: Seek<Item>;
  isStillAt(position: KeysetPosition): Promise<boolean>;
}

export async function pageOf<Item>(
  { order, seek, isStillAt }: PageSource<Item>,
  { count, descending, from, backwards }: PageRequest,
): Promise<Page<Item>> {
  const ascending = descending === backwards;
  const found = await seek({ order, ascending }, from, count + 1);
  const more = found.length > count;
  const items = found.slice(0, count);
  // The row from which the page begins lies behind it, unless it was deleted meanwhile.
  const behind =
    from !== undefined &&
    ((await isStillAt(from)) || (await seek({ order, ascending: !ascending }, from, 1)).length > 0);
  return {
    items: backwards ? items.toReversed() : items,
    hasNext: backwards ? behind : more,
    hasPrevious: backwards ? more : behind,
  };
}
