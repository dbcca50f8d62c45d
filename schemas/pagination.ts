// The envelopes of the API: one resource, or a page of a collection with its cursor.
import { z } from 'zod';
import { limits } from './limits.ts';
import { integer, text } from './wire.ts';

/** `next_page` is a full URL: whoever follows it must send the token to the configured origin only (A6a). */
export const pagination = z.looseObject({
  count: integer.nullish(),
  next_page: text,
  previous_page: text,
  next_page_token: text,
  previous_page_token: text,
});

export type Pagination = z.output<typeof pagination>;

export function resourceOf<Item extends z.ZodType>(item: Item) {
  return z.looseObject({ resource: item });
}

export function collectionOf<Item extends z.ZodType>(item: Item) {
  return z.looseObject({ collection: z.array(item), pagination });
}

/** The query every list takes. A query holds strings only, so `count` is read from one; its maximum is A6a. */
export const pageQuery = z.strictObject({
  count: z
    .string()
    .regex(/^\d{1,3}$/)
    .transform(Number)
    .pipe(z.int().min(1).max(limits.pageSize.max))
    .default(limits.pageSize.default),
  page_token: z.string().min(1).optional(),
});
