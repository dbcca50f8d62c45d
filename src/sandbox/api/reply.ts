// Putting an answer into its envelope, with the links to the pages on either side.
import { collectionEnvelope, resourceEnvelope } from '#schemas/resources/envelope.ts';
import type { PaginationEnvelope } from '#schemas/resources/envelope.ts';
import type { z } from 'zod';
import type { AskedList, Cursors } from './cursor.ts';
import type { Listing, Operation } from './operation.ts';

export const statusOf = (operation: Operation): 200 | 201 | 204 =>
  operation.answers === 'nothing' ? 204 : operation.answers === 'resource' ? (operation.status ?? 200) : 200;

/** The schema of the whole answer; none for 204. */
export function answerSchema(operation: Operation): z.ZodType | undefined {
  if (operation.answers === 'nothing') return undefined;
  return operation.answers === 'resource' ? resourceEnvelope(operation.schema) : collectionEnvelope(operation.schema);
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
