// A page out of a sorted list in memory.
import { comparePositions, type Page, type PageRequest, type Position } from '#src/http/pagination.ts';

/** The index of the first record beyond `position`, or at it if `inclusive`. */
export function firstBeyond<Item>(
  sorted: readonly Item[],
  position: Position,
  { positionOf, inclusive = false }: { readonly positionOf: (item: Item) => Position; readonly inclusive?: boolean },
): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = sorted[middle];
    const order = item === undefined ? 1 : comparePositions(positionOf(item), position);
    if (order > 0 || (inclusive && order === 0)) high = middle;
    else low = middle + 1;
  }
  return low;
}

export function pageOf<Item>(
  sorted: readonly Item[],
  { count, descending, from, backwards }: PageRequest,
  { positionOf, matches = () => true }: Pick<Page<Item>, 'positionOf'> & { readonly matches?: (item: Item) => boolean },
): Page<Item> {
  const step = descending === backwards ? 1 : -1;
  // The page lies on one side of this boundary between two records, what was read before on the other.
  const start = step > 0 ? 0 : sorted.length;
  const boundary = from === undefined ? start : firstBeyond(sorted, from, { positionOf, inclusive: step < 0 });
  const [ahead, before] = step > 0 ? [boundary, boundary - 1] : [boundary - 1, boundary];
  const found = matchesFrom(sorted, { start: ahead, step, matches })
    .take(count + 1)
    .toArray();
  const more = found.length > count;
  const items = found.slice(0, count);
  // A page that starts at a record has one behind it, unless that record was deleted since.
  const behind =
    from !== undefined && matchesFrom(sorted, { start: before, step: -step, matches }).next().done !== true;
  return {
    items: backwards ? items.toReversed() : items,
    hasNext: backwards ? behind : more,
    hasPrevious: backwards ? more : behind,
    positionOf,
  };
}

function* matchesFrom<Item>(
  sorted: readonly Item[],
  {
    start,
    step,
    matches,
  }: { readonly start: number; readonly step: number; readonly matches: (item: Item) => boolean },
): Generator<Item, undefined> {
  for (let index = start; ; index += step) {
    const item = sorted[index];
    if (item === undefined) return;
    if (matches(item)) yield item;
  }
}

export function pageOfList<Item extends { readonly uri: string }>(
  list: readonly Item[],
  request: PageRequest,
  keyOf: (item: Item) => string,
): Page<Item> {
  const positionOf = (item: Item): Position => ({ key: keyOf(item), uri: item.uri });
  const sorted = list.toSorted((a, b) => comparePositions(positionOf(a), positionOf(b)));
  return pageOf(sorted, request, { positionOf });
}
