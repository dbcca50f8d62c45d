// Isolates the items that a store refuses: a failing batch is halved until each culprit is alone, so that one bad item does not
// block the others.
import { isTransient } from '#src/base/errors.ts';

export interface BisectHandlers<Item, Report> {
  /** Handles the items together, in one transaction; throws when the store refuses any of them. */
  readonly attempt: (items: readonly Item[]) => Promise<Report>;
  /** Handles the one item that was refused by itself. */
  readonly refused: (item: Item, error: unknown) => Promise<Report>;
}

/** Returns one report per transaction. Transient errors are thrown: the whole batch can be retried later. */
export async function bisect<Item, Report>(
  items: readonly Item[],
  handlers: BisectHandlers<Item, Report>,
): Promise<Report[]> {
  try {
    return [await handlers.attempt(items)];
  } catch (error) {
    const [first] = items;
    if (isTransient(error) || first === undefined) throw error;
    if (items.length === 1) return [await handlers.refused(first, error)];
    const middle = Math.ceil(items.length / 2);
    const before = await bisect(items.slice(0, middle), handlers);
    return [...before, ...(await bisect(items.slice(middle), handlers))];
  }
}
