// One page of a list in its envelope, with the links to the pages on either side.
import type { PaginationEnvelope } from '#schemas/resources/envelope.ts';
import type { AskedList, Cursors } from './cursor.ts';
import type { Page, Position } from './page-link.ts';

/** One page, shown: what an operation that lists returns. */
export interface Listing {
  readonly records: readonly object[];
  readonly first: Position | undefined;
  readonly last: Position | undefined;
  readonly hasNext: boolean;
  readonly hasPrevious: boolean;
}

export function listing<Item>(page: Page<Item>, show: (item: Item) => object): Listing {
  const { items, hasNext, hasPrevious } = page;
  const ends = [items[0], items.at(-1)].map((item) => (item === undefined ? undefined : page.positionOf(item)));
  return { records: items.map(show), first: ends[0], last: ends[1], hasNext, hasPrevious };
}

export function paginationOf(
  { records, first, last, hasNext, hasPrevious }: Listing,
  { cursors, list, url }: { readonly cursors: Cursors; readonly list: AskedList; readonly url: URL },
): PaginationEnvelope {
  const next = hasNext && last ? cursors.write(list, { from: last, backwards: false }) : null;
  const previous = hasPrevious && first ? cursors.write(list, { from: first, backwards: true }) : null;
  const pageUrl = (token: string | null): string | null => (token === null ? null : addressOf(url, list, token));
  return {
    count: records.length,
    next_page: pageUrl(next),
    previous_page: pageUrl(previous),
    next_page_token: next,
    previous_page_token: previous,
  };
}

/** Many servers, ours too, refuse a request line beyond this. */
const longestAddress = 8000;

function addressOf(url: URL, { filters }: AskedList, token: string): string {
  const page = new URL(url);
  for (const [name, value] of Object.entries(filters)) page.searchParams.set(name, value);
  page.searchParams.set('page_token', token);
  if (page.href.length <= longestAddress) return page.href;
  // The token says it all by itself.
  for (const name of Object.keys(filters)) page.searchParams.delete(name);
  return page.href;
}
