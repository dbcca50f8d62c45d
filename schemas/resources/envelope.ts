// The envelopes as they are sent: one resource, or one page of a collection.
import { z } from 'zod';
import { nullableText } from './values.ts';

export const paginationEnvelope = z.strictObject({
  count: z.int().min(0),
  next_page: nullableText,
  previous_page: nullableText,
  next_page_token: nullableText,
  previous_page_token: nullableText,
});

export const resourceEnvelope = (item: z.ZodType) => z.strictObject({ resource: item });

export const collectionEnvelope = (item: z.ZodType) =>
  z.strictObject({ collection: z.array(item), pagination: paginationEnvelope });

export type PaginationEnvelope = z.output<typeof paginationEnvelope>;
