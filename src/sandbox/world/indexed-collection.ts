// A collection of records in memory with indexes: by URI, by group, and sorted for pages.
import { comparePositions, type Page, type PageRequest, type Position } from '#src/http/pagination.ts';
import { firstBeyond, pageOf } from './page.ts';

export interface CollectionPlan<Item, Order extends string, Group extends string> {
  /** The text a record is sorted by; records with equal texts are sorted by URI. */
  readonly orders: Readonly<Record<Order, (item: Item) => string>>;
  readonly groups?: Readonly<Record<Group, (item: Item) => readonly string[]>>;
}

export function createIndexedCollection<
  Item extends { readonly uri: string },
  Order extends string = never,
  Group extends string = never,
>({ orders, groups }: CollectionPlan<Item, Order, Group>) {
  const byUri = new Map<string, Item>();
  // Sorted when it is first read, so that seeding does not pay for it, and maintained from then on.
  const sorted = new Map<Order, Item[]>();
  const members = new Map<string, Set<string>>();
  const groupings = Object.entries<(item: Item) => readonly string[]>(groups ?? {});

  const positionIn =
    (order: Order) =>
    (item: Item): Position => ({ key: orders[order](item), uri: item.uri });
  const groupKeys = (item: Item): readonly string[] =>
    groupings.flatMap(([group, namesOf]) => namesOf(item).map((name) => `${group} ${name}`));
  const firstAfter = (items: readonly Item[], order: Order, item: Item): number =>
    firstBeyond(items, positionIn(order)(item), { positionOf: positionIn(order) });

  function sortedBy(order: Order): readonly Item[] {
    const position = positionIn(order);
    const items = sorted.get(order) ?? [...byUri.values()].sort((a, b) => comparePositions(position(a), position(b)));
    sorted.set(order, items);
    return items;
  }

  /** A record that is replaced keeps its position in the groups it stays in. */
  function remove(item: Item, retained: readonly string[] = []): void {
    for (const [order, items] of sorted) {
      const index = firstAfter(items, order, item) - 1;
      if (items[index] === item) items.splice(index, 1);
    }
    for (const key of groupKeys(item)) {
      if (retained.includes(key)) continue;
      const uris = members.get(key);
      uris?.delete(item.uri);
      if (uris?.size === 0) members.delete(key);
    }
  }

  return {
    get size() {
      return byUri.size;
    },
    get: (uri: string): Item | undefined => byUri.get(uri),
    put(item: Item): void {
      const before = byUri.get(item.uri);
      const keys = groupKeys(item);
      if (before !== undefined) remove(before, keys);
      byUri.set(item.uri, item);
      for (const [order, items] of sorted) items.splice(firstAfter(items, order, item), 0, item);
      for (const key of keys) members.set(key, (members.get(key) ?? new Set()).add(item.uri));
    },
    delete(uri: string): boolean {
      const item = byUri.get(uri);
      if (item !== undefined) remove(item);
      return byUri.delete(uri);
    },
    values: () => byUri.values(),
    /** The records of one group, oldest first. */
    of: (group: Group, name: string): readonly Item[] =>
      [...(members.get(`${group} ${name}`) ?? [])].flatMap((uri) => byUri.get(uri) ?? []),
    count: (group: Group, name: string): number => members.get(`${group} ${name}`)?.size ?? 0,
    at: (order: Order, index: number): Item | undefined => sortedBy(order)[index],
    page: (order: Order, request: PageRequest, matches: (item: Item) => boolean = () => true): Page<Item> =>
      pageOf(sortedBy(order), request, { positionOf: positionIn(order), matches }),
  };
}
