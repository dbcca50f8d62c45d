// How many rows are held at once where a query gives any number of them: few enough, and little enough text, for any process.

export type RowPage = readonly (readonly unknown[])[];

export const mostRows = 1_000;
/** In characters. A row may be longer by itself; it then is a page of its own. */
const mostText = 1_000_000;

/** Gathers rows into pages. */
export function* inPages(rows: Iterable<readonly unknown[]>): Generator<RowPage> {
  let page: (readonly unknown[])[] = [];
  let text = 0;
  for (const row of rows) {
    page.push(row);
    text += textIn(row);
    if (page.length < mostRows && text < mostText) continue;
    yield page;
    page = [];
    text = 0;
  }
  if (page.length > 0) yield page;
}

/** How many rows to ask for next, after a page of this one's weight: at most twice as many, fewer when they were long. */
export function nextSize(page: RowPage): number {
  const text = page.reduce((sum, row) => sum + textIn(row), 0);
  const fitting = Math.floor((mostText / Math.max(text, 1)) * page.length);
  return Math.max(1, Math.min(mostRows, 2 * page.length, fitting));
}

function textIn(row: readonly unknown[]): number {
  let length = 0;
  for (const value of row) if (typeof value === 'string') length += value.length;
  return length;
}
