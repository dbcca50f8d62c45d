// Reads lists page by page: an async generator that can begin at any page token and returns the records as they were sent.
import type { z } from 'zod';
import { readRecord } from '#schemas/odd-values.ts';
import { collection } from '#schemas/pagination.ts';
import { isObject, propertyOf, type JsonObject } from '#schemas/wire.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import type { Query } from './url-guard.ts';
import type { CallOptions, Client } from './client.ts';

export interface ListCall<Item> {
  /** A path, or a whole URI of the configured origin. */
  readonly path: string;
  readonly query?: Query;
  readonly reads: z.ZodType<Item>;
}

export interface ApiPage<Item> {
  /** The records that can be parsed. */
  readonly items: readonly Item[];
  /** The records as the service sent them, not parsed: for the log, which quarantines what cannot be parsed. */
  readonly records: readonly JsonObject[];
  readonly observed: string;
  readonly nextToken: string | null;
}

export interface PageOptions extends CallOptions {
  /** The token of the page to begin with; the first page without it. */
  readonly from?: string | undefined;
}

export async function* pagesOf<Item>(
  client: Client,
  list: ListCall<Item>,
  { from, ...options }: PageOptions = {},
): AsyncGenerator<ApiPage<Item>> {
  const seen = new Set<string | undefined>();
  for (let token = from; ;) {
    seen.add(token);
    const { value, observed } = await client.call(
      { method: 'GET', ...requestFor(list, token), reads: collection },
      options,
    );
    const nextToken = nextTokenOf(list, value.pagination, client);
    const records = value.collection.map((item) => (isObject(item) ? item : { unreadable: item }));
    yield { records, observed, nextToken, items: itemsOf(list, records) };
    if (nextToken === null) return;
    // A link back to a page that was read would be followed for ever.
    if (seen.has(nextToken)) throw wrongLink(list, 'is one that was read before');
    token = nextToken;
  }
}

/** Follows the links of a service that sends links without tokens. */
function requestFor(
  list: ListCall<unknown>,
  token: string | undefined,
): { readonly path: string; readonly query: Query } {
  if (token?.startsWith('http') === true) return { path: token, query: {} };
  return { path: list.path, query: { ...list.query, page_token: token } };
}

/**
 * The token of the next page, else a link to it; null at the end, also where the service sends no `pagination`. A link may name another
 * host: its token is sent, and only to our own origin.
 */
function nextTokenOf(list: ListCall<unknown>, pagination: unknown, { origin }: Client): string | null {
  const textOf = (key: string): string | null => {
    const value = propertyOf(pagination, key);
    return typeof value === 'string' && value !== '' ? value : null;
  };
  const link = textOf('next_page');
  const token = textOf('next_page_token');
  if (token !== null || link === null) return token;
  const url = URL.parse(link, origin);
  if (url === null || !/^https?:$/.test(url.protocol)) throw wrongLink(list, 'has no valid address');
  return url.searchParams.get('page_token') ?? origin + url.pathname + url.search;
}

function itemsOf<Item>({ reads }: ListCall<Item>, records: readonly JsonObject[]): readonly Item[] {
  return records.flatMap((record) => {
    const read = readRecord(reads, record);
    return read.ok ? [read.record] : [];
  });
}

function wrongLink({ path }: ListCall<unknown>, what: string): SlotstreamError {
  return new SlotstreamError('service_answer', `GET ${path}: the next page ${what}, so the rest was not read.`, {
    hint: 'Try again; if it happens again, report it to the service.',
  });
}
