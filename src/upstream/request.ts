// Requests as the endpoints make them: held against the strict request schemas before anything is sent.
import type { z } from 'zod';
import { limits } from '#schemas/limits.ts';
import { resourceOf } from '#schemas/pagination.ts';
import { isObject, type JsonObject } from '#schemas/wire.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import type { Query } from './url-guard.ts';
import type { ApiCall, Answered, CallOptions, Client } from './client.ts';
import { pagesOf, type ApiPage, type PageOptions } from './pages.ts';

/** One record: read, as sent, and when. */
export interface Found<Item> {
  readonly value: Item;
  /** As the service sent it. */
  readonly record: JsonObject;
  readonly observed: string;
}

/** The query of a list as callers give it: pages are `pagesOf`'s business, and a count is a number. */
export type ListQuery<Schema extends z.ZodType> = Omit<z.input<Schema>, 'count' | 'page_token'> & {
  readonly count?: number;
};

/** The path of one record: its URI, or a part of it such as `/transcript`. */
export interface RecordCall<Item> extends Omit<ApiCall<Item>, 'reads'> {
  /** Of the record. */
  readonly reads: z.ZodType<Item>;
}

export async function callForRecord<Item>(
  client: Client,
  { reads, ...call }: RecordCall<Item>,
  options?: CallOptions,
): Promise<Found<Item>> {
  const { value, body, observed }: Answered<{ readonly resource: Item }> = await client.call(
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

/** The largest pages the service gives: the fewest calls. */
export function callForList<Item, Schema extends z.ZodType>(
  client: Client,
  { path, asks, query, reads }: ListPlan<Item, Schema>,
  options?: PageOptions,
): AsyncGenerator<ApiPage<Item>> {
  const whole = { count: limits.pageSize.max, ...query };
  checked(asks, { ...whole, count: String(whole.count) }, `GET ${path}`);
  return pagesOf(client, { path, query: whole as Query, reads }, options);
}

/** What is sent, or a complaint that names the parameters and never their values. */
export function checked<Schema extends z.ZodType>(schema: Schema, value: unknown, what: string): z.output<Schema> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const places = read.error.issues.map(
    ({ path, message }) => `${path.map(String).join('.') || 'the request'}: ${message}`,
  );
  throw new SlotstreamError('usage', `${what} was not sent: ${places.join('; ')}.`, {
    hint: 'Correct what is named above.',
  });
}
