// The size of pages in which the rows of a query are streamed: bounded in rows and in text, for any number of rows.
import type { RowPage } from '#src/store/contract.ts';

const mostRows = 1_000;
/** In characters. A longer row is a page of its own. */
const mostText = 1_000_000;

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

/** How many rows to fetch after this page: at most twice as many, fewer when its rows were long. */
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
