// Putting an answer into its envelope, with the links to the pages on either side.
import { collectionEnvelope, resourceEnvelope } from '#schemas/resources/envelope.ts';
import type { PaginationEnvelope } from '#schemas/resources/envelope.ts';
import type { z } from 'zod';
import type { Cursors } from './cursor.ts';
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
  { cursors, list, url }: { readonly cursors: Cursors; readonly list: string; readonly url: URL },
): PaginationEnvelope {
  const next = hasNext && last ? cursors.write(list, { from: last, backwards: false }) : null;
  const previous = hasPrevious && first ? cursors.write(list, { from: first, backwards: true }) : null;
  return {
    count: records.length,
    next_page: pageUrl(url, next),
    previous_page: pageUrl(url, previous),
    next_page_token: next,
    previous_page_token: previous,
  };
}

function pageUrl(url: URL, token: string | null): string | null {
  if (token === null) return null;
  const page = new URL(url);
  page.searchParams.set('page_token', token);
  return page.href;
}
