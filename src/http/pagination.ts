// Pages of a list. A page begins at a value, not after a number of rows, so rows may be added and removed between two pages.

/** Where a page begins or ends: the sort value of a row, and its URI as the tiebreaker. */
export interface Position {
  readonly key: string;
  readonly uri: string;
}

export interface PageRequest {
  readonly count: number;
  readonly descending: boolean;
  /** The page lies strictly beyond this row; when absent, it is the first page. */
  readonly from?: Position;
  /** Towards the beginning of the list instead of towards its end. */
  readonly backwards: boolean;
}

export interface Page<Item> {
  /** In the order of the list, in whichever direction the page was reached. */
  readonly items: readonly Item[];
  readonly hasPrevious: boolean;
  readonly hasNext: boolean;
  positionOf(item: Item): Position;
}

export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export const comparePositions = (a: Position, b: Position): number =>
  compareText(a.key, b.key) || compareText(a.uri, b.uri);

/** One page as records: what an operation that answers with a collection returns. */
export interface Listing {
  readonly records: readonly object[];
  readonly first: Position | undefined;
  readonly last: Position | undefined;
  readonly hasNext: boolean;
  readonly hasPrevious: boolean;
  /** Fields of the answer besides `collection` and `pagination`. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

export function listing<Item extends object>(
  page: Page<Item>,
  recordOf: (item: Item) => object = (item) => item,
): Listing {
  const { items, hasNext, hasPrevious } = page;
  const ends = [items[0], items.at(-1)].map((item) => (item === undefined ? undefined : page.positionOf(item)));
  return { records: items.map(recordOf), first: ends[0], last: ends[1], hasNext, hasPrevious };
}
