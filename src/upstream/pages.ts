// Reads lists page by page: an async generator that can begin at any page token and returns the records as they were sent.
import { z } from 'zod';
import { collectionOf, type Pagination } from '#schemas/pagination.ts';
import { isObject, type JsonObject } from '#schemas/wire.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { guardUrls, type Query } from './url-guard.ts';
import { invalidResponse, type CallOptions, type Client } from './client.ts';

export interface ListCall<Item> {
  /** A path, or a whole URI of the configured origin. */
  readonly path: string;
  readonly query?: Query;
  /** The schema of one record. */
  readonly reads: z.ZodType<Item>;
}

export interface ApiPage<Item> {
  /** Parsed at the first access; throws `service_answer` when a record is invalid. */
  readonly items: readonly Item[];
  /** The records as the service sent them, not parsed: for the log, which quarantines an invalid record instead of stopping. */
  readonly records: readonly JsonObject[];
  readonly observed: string;
  /** The token of the next page; null at the end. */
  readonly nextToken: string | null;
}

export interface PageOptions extends CallOptions {
  /** The token of the page to begin with; the first page without it. */
  readonly from?: string | undefined;
}

const envelope = collectionOf(z.custom<JsonObject>(isObject, 'expected an object'));

export async function* pagesOf<Item>(
  client: Client,
  list: ListCall<Item>,
  { from, signal }: PageOptions = {},
): AsyncGenerator<ApiPage<Item>> {
  const seen = new Set<string | undefined>();
  for (let token = from; ;) {
    seen.add(token);
    const { value, observed } = await client.call(
      { method: 'GET', ...requestFor(list, token), reads: envelope },
      { signal },
    );
    const nextToken = nextTokenOf(value.pagination, client);
    // A link back to a page that was read would be followed for ever.
    if (nextToken !== null && seen.has(nextToken)) throw circular(list);
    yield pageOf(list, { records: value.collection, observed, nextToken });
    if (nextToken === null) return;
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

function nextTokenOf({ next_page, next_page_token }: Pagination, { origin }: Client): string | null {
  if (next_page == null) return next_page_token ?? null;
  // Rejects another origin even when the token alone would be enough: such a response is not trustworthy.
  const url = guardUrls(origin).resolve(URL.parse(next_page, origin)?.href ?? '');
  return next_page_token ?? url.searchParams.get('page_token') ?? url.href;
}

function pageOf<Item>(list: ListCall<Item>, page: Omit<ApiPage<Item>, 'items'>): ApiPage<Item> {
  let items: readonly Item[] | undefined;
  return {
    ...page,
    get items() {
      return (items ??= parseAll(list, page.records));
    },
  };
}

function parseAll<Item>({ path, reads }: ListCall<Item>, records: readonly JsonObject[]): readonly Item[] {
  const read = z.array(reads).safeParse(records);
  if (read.success) return read.data;
  throw invalidResponse(`GET ${path}`, read.error);
}

function circular({ path }: ListCall<unknown>): SlotstreamError {
  return new SlotstreamError('service_answer', `GET ${path}: the next page is one that was read before.`, {
    hint: 'Try again; if it happens again, report it to the service.',
  });
}
