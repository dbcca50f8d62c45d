// A page out of a sorted sequence in memory.
import { itemAt } from '#src/sandbox/random.ts';
import { comparePositions, type Page, type PageRequest, type Position } from '#src/http/pagination.ts';

/** What a page needs from a sequence in ascending order. */
export interface Sorted<Item> {
  readonly length: number;
  at(index: number): Item;
  positionAt(index: number): Position;
  /** The first matching row at `index` or beyond it in the direction of `step`; -1 when there is none. */
  seek(index: number, step: Step): number;
}

export type Step = 1 | -1;

/** The index of the first row beyond `position`, or at it if `inclusive`. */
export function firstBeyond(
  rows: Pick<Sorted<unknown>, 'length' | 'positionAt'>,
  position: Position,
  { inclusive = false } = {},
): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const order = comparePositions(rows.positionAt(middle), position);
    if (order > 0 || (inclusive && order === 0)) high = middle;
    else low = middle + 1;
  }
  return low;
}

export function pageOf<Item extends { readonly uri: string }>(
  rows: Sorted<Item>,
  { count, descending, from, backwards }: PageRequest,
  keyOf: (item: Item) => string,
): Page<Item> {
  const step = descending === backwards ? 1 : -1;
  // The page lies on one side of this boundary between two rows, what was read before on the other.
  const start = step > 0 ? 0 : rows.length;
  const boundary = from === undefined ? start : firstBeyond(rows, from, { inclusive: step < 0 });
  const [ahead, before] = step > 0 ? [boundary, boundary - 1] : [boundary - 1, boundary];
  const found: Item[] = [];
  let index = rows.seek(ahead, step);
  for (; index !== -1 && found.length < count; index = rows.seek(index + step, step)) found.push(rows.at(index));
  const more = index !== -1;
  // A page that starts at a row has one behind it, unless that row was deleted since.
  const behind = from !== undefined && rows.seek(before, step > 0 ? -1 : 1) !== -1;
  return {
    items: backwards ? found.toReversed() : found,
    hasNext: backwards ? behind : more,
    hasPrevious: backwards ? more : behind,
    positionOf: (item) => ({ key: keyOf(item), uri: item.uri }),
  };
}

/** Merges the same page of two sequences into one. */
export function mergePages<Item>(
  [one, other]: readonly [Page<Item>, Page<Item>],
  { count, descending, backwards }: PageRequest,
): Page<Item> {
  const direction = descending ? -1 : 1;
  const items = [...one.items, ...other.items].toSorted(
    (a, b) => direction * comparePositions(one.positionOf(a), one.positionOf(b)),
  );
  const cut = items.length > count;
  return {
    items: backwards ? items.slice(-count) : items.slice(0, count),
    hasNext: one.hasNext || other.hasNext || (cut && !backwards),
    hasPrevious: one.hasPrevious || other.hasPrevious || (cut && backwards),
    positionOf: one.positionOf,
  };
}

/** A page of a list, sorted by `keyOf`. */
export function pageOfList<Item extends { readonly uri: string }>(
  list: readonly Item[],
  request: PageRequest,
  keyOf: (item: Item) => string,
): Page<Item> {
  const position = (item: Item): Position => ({ key: keyOf(item), uri: item.uri });
  const sorted = list.toSorted((a, b) => comparePositions(position(a), position(b)));
  return pageOf(sortedRows(sorted, position), request, keyOf);
}

export function sortedRows<Item>(
  sorted: readonly Item[],
  position: (item: Item) => Position,
  matches: (item: Item) => boolean = () => true,
): Sorted<Item> {
  const at = (index: number): Item => itemAt(sorted, index);
  return {
    length: sorted.length,
    at,
    positionAt: (index) => position(at(index)),
    seek(index, step) {
      for (let row = index; row >= 0 && row < sorted.length; row += step) if (matches(at(row))) return row;
      return -1;
    },
  };
}
