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

/** Ascending or descending. */
export type Step = 1 | -1;

/** The index of the first row beyond `position`, ascending. */
export function firstBeyond(rows: Pick<Sorted<unknown>, 'length' | 'positionAt'>, position: Position): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (comparePositions(rows.positionAt(middle), position) > 0) high = middle;
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
  const back = step > 0 ? -1 : 1;
  const beside = from === undefined ? edge(rows, step) : besides(rows, from, step);
  const found: Item[] = [];
  let index = rows.seek(beside.ahead, step);
  for (; index !== -1 && found.length < count; index = rows.seek(index + step, step)) found.push(rows.at(index));
  const more = index !== -1;
  // A page that starts at a row has one behind it, unless that row was deleted since.
  const behind = from !== undefined && rows.seek(beside.behind, back) !== -1;
  return {
    items: backwards ? found.toReversed() : found,
    hasNext: backwards ? behind : more,
    hasPrevious: backwards ? more : behind,
    positionOf: (item) => ({ key: keyOf(item), uri: item.uri }),
  };
}

interface Beside {
  /** The first row beyond. */
  readonly ahead: number;
  /** The row itself, or the first on the other side when it was deleted. */
  readonly behind: number;
}

const edge = ({ length }: Sorted<unknown>, step: Step): Beside =>
  step > 0 ? { ahead: 0, behind: -1 } : { ahead: length - 1, behind: length };

/** The rows beside `position` in the direction of `step`. */
function besides(rows: Sorted<unknown>, position: Position, step: Step): Beside {
  const beyond = firstBeyond(rows, position);
  if (step > 0) return { ahead: beyond, behind: beyond - 1 };
  const isThere = beyond > 0 && comparePositions(rows.positionAt(beyond - 1), position) === 0;
  return isThere ? { ahead: beyond - 2, behind: beyond - 1 } : { ahead: beyond - 1, behind: beyond };
}

/** Merges the same page of two sequences into one. */
export function mergePages<Item>(
  [one, other]: readonly [Page<Item>, Page<Item>],
  { count, descending, backwards }: PageRequest,
): Page<Item> {
  const placed = [one, other].flatMap((page) => page.items.map((item) => ({ item, position: page.positionOf(item) })));
  const direction = descending ? -1 : 1;
  placed.sort((a, b) => direction * comparePositions(a.position, b.position));
  const items = placed.map(({ item }) => item);
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
