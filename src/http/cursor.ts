// Page tokens and the links made of them: a position in a list with the filters of the list, signed against forgery, valid for a day.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { PaginationEnvelope } from '#schemas/resources/envelope.ts';
import { dayMs } from '#src/base/time.ts';
import type { Listing, Position } from './pagination.ts';

/** A list by its path and filters. A token carries both, so it is enough to read the next page. */
export interface ListRequest {
  readonly path: string;
  /** As they were written in the query. */
  readonly filters: Readonly<Record<string, string>>;
}

export interface CursorPosition {
  readonly from: Position;
  readonly backwards: boolean;
}

export interface Cursor {
  readonly position: CursorPosition;
  readonly filters: ListRequest['filters'];
}

export interface Cursors {
  write(list: ListRequest, position: CursorPosition): string;
  /** Undefined when the token is forged, belongs to another list, or is older than a day (A13). */
  read(path: string, token: string): Cursor | undefined;
}

const content = z.tuple([
  z.string(),
  z.string(),
  z.boolean(),
  z.string(),
  z.record(z.string(), z.string()),
  z.number(),
]);
const macBytes = 16;
/** No request line is longer. */
const maxTokenLength = 16_384;

export function createCursors(secret: string, clock: { nowMs(): number }): Cursors {
  const macOf = (text: string): Buffer => createHmac('sha256', secret).update(text).digest().subarray(0, macBytes);
  return {
    write({ path, filters }, { from, backwards }) {
      const text = JSON.stringify([from.key, from.uri, backwards, path, filters, clock.nowMs()]);
      return Buffer.concat([macOf(text), Buffer.from(text)]).toString('base64url');
    },
    read(path, token) {
      if (token.length > maxTokenLength || !/^[\w-]+$/.test(token)) return undefined;
      const bytes = Buffer.from(token, 'base64url');
      // Base64 has several spellings of the same bytes; only the one we write is valid.
      if (bytes.length <= macBytes || bytes.toString('base64url') !== token) return undefined;
      const text = bytes.subarray(macBytes).toString();
      if (!timingSafeEqual(bytes.subarray(0, macBytes), macOf(text))) return undefined;
      const [key, uri, backwards, listPath, filters, madeMs] = content.parse(JSON.parse(text));
      if (listPath !== path || clock.nowMs() - madeMs > dayMs) return undefined;
      return { position: { from: { key, uri }, backwards }, filters };
    },
  };
}

export function paginationOf(
  { records, first, last, hasNext, hasPrevious }: Listing,
  { cursors, list, url }: { readonly cursors: Cursors; readonly list: ListRequest; readonly url: URL },
): PaginationEnvelope {
  const next = hasNext && last ? cursors.write(list, { from: last, backwards: false }) : null;
  const previous = hasPrevious && first ? cursors.write(list, { from: first, backwards: true }) : null;
  const pageUrl = (token: string | null): string | null => (token === null ? null : urlOfPage(url, list, token));
  return {
    count: records.length,
    next_page: pageUrl(next),
    previous_page: pageUrl(previous),
    next_page_token: next,
    previous_page_token: previous,
  };
}

/** Many servers, ours included, reject a longer request line. */
const maxUrlLength = 8000;

function urlOfPage(url: URL, { filters }: ListRequest, token: string): string {
  const page = new URL(url);
  for (const [name, value] of Object.entries(filters)) page.searchParams.set(name, value);
  page.searchParams.set('page_token', token);
  if (page.href.length <= maxUrlLength) return page.href;
  // The token carries the filters as well.
  for (const name of Object.keys(filters)) page.searchParams.delete(name);
  return page.href;
}
