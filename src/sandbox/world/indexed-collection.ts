// A collection of records in memory with indexes: by URI, by group, and sorted for pages.
import { comparePositions, type Page, type PageRequest, type Position } from '#src/http/pagination.ts';
import { firstBeyond, pageOf, sortedRows } from './page.ts';

export interface IndexedCollection<Item, Order extends string = never, Group extends string = never> {
  readonly size: number;
  get(uri: string): Item | undefined;
  /** Adds the record, or replaces the one with the same URI. */
  put(item: Item): void;
  delete(uri: string): boolean;
  values(): MapIterator<Item>;
  /** The records of one group, oldest first. */
  of(group: Group, name: string): readonly Item[];
  /** The number of records in one group. */
  count(group: Group, name: string): number;
  page(order: Order, request: PageRequest, matches?: (item: Item) => boolean): Page<Item>;
}

export interface CollectionPlan<Item, Order extends string, Group extends string> {
  /** The text a record is sorted by; records with equal texts are sorted by URI. */
  readonly orders: Readonly<Record<Order, (item: Item) => string>>;
  readonly groups?: Readonly<Record<Group, (item: Item) => readonly string[]>>;
}

export function createIndexedCollection<
  Item extends { readonly uri: string },
  Order extends string = never,
  Group extends string = never,
>({ orders, groups }: CollectionPlan<Item, Order, Group>): IndexedCollection<Item, Order, Group> {
  const byUri = new Map<string, Item>();
  const sortings = new Map(
    Object.entries<KeyOf<Item>>(orders).map(([name, keyOf]) => [name, createSorting(keyOf, () => byUri.values())]),
  );
  const groupings = new Map(
    Object.entries<NamesOf<Item>>(groups ?? {}).map(([name, namesOf]) => [name, createGrouping(namesOf)]),
  );

  function remove(item: Item, instead?: Item): void {
    for (const sorting of sortings.values()) sorting.remove(item);
    for (const grouping of groupings.values()) grouping.remove(item, instead);
  }

  return {
    get size() {
      return byUri.size;
    },
    get: (uri) => byUri.get(uri),
    put(item) {
      const before = byUri.get(item.uri);
      if (before !== undefined) remove(before, item);
      byUri.set(item.uri, item);
      for (const sorting of sortings.values()) sorting.add(item);
      for (const grouping of groupings.values()) grouping.add(item);
    },
    delete(uri) {
      const item = byUri.get(uri);
      if (item !== undefined) remove(item);
      return byUri.delete(uri);
    },
    values: () => byUri.values(),
    of: (group, name) =>
      (groupings.get(group)?.named(name) ?? []).flatMap((uri) => {
        const item = byUri.get(uri);
        return item === undefined ? [] : [item];
      }),
    count: (group, name) => groupings.get(group)?.count(name) ?? 0,
    page(order, request, matches) {
      const sorting = sortings.get(order);
      if (sorting === undefined) throw new Error(`the collection has no order ${order}`);
      return sorting.page(request, matches);
    },
  };
}

type KeyOf<Item> = (item: Item) => string;
type NamesOf<Item> = (item: Item) => readonly string[];

interface Sorting<Item> {
  add(item: Item): void;
  remove(item: Item): void;
  page(request: PageRequest, matches?: (item: Item) => boolean): Page<Item>;
}

/** Sorted when it is first read, so that seeding does not pay for it, and maintained from then on. */
function createSorting<Item extends { readonly uri: string }>(
  keyOf: KeyOf<Item>,
  all: () => Iterable<Item>,
): Sorting<Item> {
  let sorted: Item[] | undefined;
  const position = (item: Item): Position => ({ key: keyOf(item), uri: item.uri });
  const compare = (a: Item, b: Item): number => comparePositions(position(a), position(b));

  return {
    add: (item) => void sorted?.splice(firstBeyond(sortedRows(sorted, position), position(item)), 0, item),
    remove(item) {
      if (sorted === undefined) return;
      const index = firstBeyond(sortedRows(sorted, position), position(item)) - 1;
      if (sorted[index] === item) sorted.splice(index, 1);
    },
    page(request, matches) {
      sorted ??= [...all()].sort(compare);
      return pageOf(sortedRows(sorted, position, matches), request, keyOf);
    },
  };
}

interface Grouping<Item> {
  add(item: Item): void;
  /** A record that is replaced by `instead` keeps its position in the groups both belong to. */
  remove(item: Item, instead?: Item): void;
  named(name: string): readonly string[];
  count(name: string): number;
}

function createGrouping<Item extends { readonly uri: string }>(namesOf: NamesOf<Item>): Grouping<Item> {
  const members = new Map<string, Set<string>>();
  return {
    add(item) {
      for (const name of namesOf(item)) {
        const set = members.get(name);
        if (set) set.add(item.uri);
        else members.set(name, new Set([item.uri]));
      }
    },
    remove(item, instead) {
      const retained = instead === undefined ? [] : namesOf(instead);
      for (const name of namesOf(item)) {
        if (retained.includes(name)) continue;
        const set = members.get(name);
        set?.delete(item.uri);
        if (set?.size === 0) members.delete(name);
      }
    },
    named: (name) => [...(members.get(name) ?? [])],
    count: (name) => members.get(name)?.size ?? 0,
  };
}
