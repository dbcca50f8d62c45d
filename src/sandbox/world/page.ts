// A page of a collection in one order: where it begins is a value, not a number of rows, so rows may come and go between pages.

/** Where a page begins or ends: the row's sort value, and its URI to tell equal values apart. */
export interface Position {
  readonly key: string;
  readonly uri: string;
}

export interface PageRequest {
  readonly count: number;
  readonly descending: boolean;
  /** The page lies strictly beyond this row; absent: at the beginning. */
  readonly from?: Position;
  /** Towards the beginning of the collection instead of towards its end. */
  readonly backwards: boolean;
}

export interface Page<Item> {
  /** In the collection's order, whichever way the page was reached. */
  readonly items: readonly Item[];
  readonly hasPrevious: boolean;
  readonly hasNext: boolean;
  positionOf(item: Item): Position;
}

export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export const comparePositions = (a: Position, b: Position): number =>
  compareText(a.key, b.key) || compareText(a.uri, b.uri);

/** What the walk needs of a sorted sequence, ascending. */
export interface Sorted<Item> {
  readonly length: number;
  at(index: number): Item;
  positionAt(index: number): Position;
  matches(index: number): boolean;
}

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
  const found: Item[] = [];
  let index = from === undefined ? (step > 0 ? 0 : rows.length - 1) : beside(rows, from, step);
  for (; index >= 0 && index < rows.length && found.length <= count; index += step)
    if (rows.matches(index)) found.push(rows.at(index));
  const more = found.length > count;
  const items = found.slice(0, count);
  // Coming from a row there is something behind, unless it has gone meanwhile.
  const behind = from !== undefined && anyMatch(rows, beside(rows, from, -step, true), -step);
  return {
    items: backwards ? items.toReversed() : items,
    hasNext: backwards ? behind : more,
    hasPrevious: backwards ? more : behind,
    positionOf: (item) => ({ key: keyOf(item), uri: item.uri }),
  };
}

/** The next row beyond `position` in the direction of `step`; `inclusive` counts the row at the position itself. */
function beside(rows: Sorted<unknown>, position: Position, step: number, inclusive = false): number {
  const beyond = firstBeyond(rows, position);
  const isThere = beyond > 0 && comparePositions(rows.positionAt(beyond - 1), position) === 0;
  if (step > 0) return isThere && inclusive ? beyond - 1 : beyond;
  return isThere && !inclusive ? beyond - 2 : beyond - 1;
}

function anyMatch(rows: Sorted<unknown>, start: number, step: number): boolean {
  for (let index = start; index >= 0 && index < rows.length; index += step) if (rows.matches(index)) return true;
  return false;
}

/** A page of a list at hand, in the order of `keyOf`. */
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
  const at = (index: number): Item => sorted[index] as Item;
  return {
    length: sorted.length,
    at,
    positionAt: (index) => position(at(index)),
    matches: (index) => matches(at(index)),
  };
}
