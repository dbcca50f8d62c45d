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
