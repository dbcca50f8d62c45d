// How the endpoints send requests: checked against the strict request schemas before anything is sent.
import type { z } from 'zod';
import { limits } from '#schemas/limits.ts';
import { resourceOf } from '#schemas/pagination.ts';
import { isObject, type JsonObject } from '#schemas/wire.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import type { Query } from './url-guard.ts';
import type { ApiCall, ApiResult, CallOptions, Client } from './client.ts';
import { pagesOf, type ApiPage, type PageOptions } from './pages.ts';

/** One record: parsed, as sent, and when. */
export interface FetchedRecord<Item> {
  readonly value: Item;
  /** As the service sent it. */
  readonly record: JsonObject;
  readonly observed: string;
}

/** The query of a list as callers pass it: `pagesOf` handles the pages, and `count` is a number. */
export type ListQuery<Schema extends z.ZodType> = Omit<z.input<Schema>, 'count' | 'page_token'> & {
  readonly count?: number;
};

/** The path of one record: its URI, or a part of it such as `/transcript`. */
export interface RecordCall<Item> extends Omit<ApiCall<Item>, 'reads'> {
  /** The schema of the record. */
  readonly reads: z.ZodType<Item>;
}

export async function callForRecord<Item>(
  client: Client,
  { reads, ...call }: RecordCall<Item>,
  options?: CallOptions,
): Promise<FetchedRecord<Item>> {
  const { value, body, observed }: ApiResult<{ readonly resource: Item }> = await client.call(
    { ...call, reads: resourceOf(reads) as z.ZodType<{ readonly resource: Item }> },
    options,
  );
  return { value: value.resource, record: recordIn(body), observed };
}

const recordIn = (body: unknown): JsonObject => (isObject(body) && isObject(body['resource']) ? body['resource'] : {});

interface ListPlan<Item, Schema extends z.ZodType> {
  readonly path: string;
  readonly asks: Schema;
  readonly query: ListQuery<Schema>;
  readonly reads: z.ZodType<Item>;
}

/** Requests the largest pages, which means the fewest calls. */
export function callForList<Item, Schema extends z.ZodType>(
  client: Client,
  { path, asks, query, reads }: ListPlan<Item, Schema>,
  options?: PageOptions,
): AsyncGenerator<ApiPage<Item>> {
  const full = { count: limits.pageSize.max, ...query };
  parseRequest(asks, { ...full, count: String(full.count) }, `GET ${path}`);
  return pagesOf(client, { path, query: full as Query, reads }, options);
}

/** Returns the parsed request; throws an error that names the invalid parameters, never their values. */
export function parseRequest<Schema extends z.ZodType>(schema: Schema, value: unknown, what: string): z.output<Schema> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const fields = read.error.issues.map(
    ({ path, message }) => `${path.map(String).join('.') || 'the request'}: ${message}`,
  );
  throw new SlotstreamError('usage', `${what} was not sent: ${fields.join('; ')}.`, {
    hint: 'Correct the fields named above.',
  });
}
