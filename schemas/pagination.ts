// The envelopes of the API: one resource, or a page of a collection with its cursor.
import { z } from 'zod';
import { limits } from './limits.ts';
import { integer, text } from './wire.ts';

/** `next_page` is a full URL: a client that follows it must send the token only to the configured origin (A6a). */
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

const directions = ['asc', 'desc'] as const;

/** `start_time:asc`, of the fields a list can be sorted by. */
export function sortKeyOf<Field extends string>(fields: readonly Field[]) {
  const keys = fields.flatMap((field) => directions.map((direction) => `${field}:${direction}`));
  return z.templateLiteral([z.enum(fields), ':', z.enum(directions)], { error: `expected ${keys.join(' or ')}` });
}

/** The query every list takes. A query holds strings only, so `count` is read from one; its maximum is A6a. */
export const pageQuery = z.strictObject({
  count: z
    .string()
    .refine(isCount, `expected a whole number from 1 to ${limits.pageSize.max}`)
    .transform(Number)
    .default(limits.pageSize.default),
  page_token: z.string().min(1).optional(),
});

function isCount(text: string): boolean {
  return /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= limits.pageSize.max;
}
