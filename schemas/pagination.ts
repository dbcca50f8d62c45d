// The envelopes of the API: one resource, or a page of a collection with its cursor.
import { z } from 'zod';
import { limits } from './limits.ts';

export const resource = z.looseObject({ resource: z.unknown().optional() });

/** Without `pagination` it is the last page. One odd record, or an odd page count, does not cost the others. */
export const collection = z.looseObject({ collection: z.array(z.unknown()), pagination: z.unknown().optional() });

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
