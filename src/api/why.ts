// Explains a row: the deliveries that touched it, and the entries that set and last reported each of its values.
import { z } from 'zod';
import { notFound } from '#src/http/http-error.ts';
import { plainText, wholeNumber } from '#src/http/request.ts';
import { explain } from '#src/read/explain-row.ts';
import { defineOperation } from './api-operation.ts';

const question = z.strictObject({
  uri: plainText.min(1).describe('The URI of the row, compared exactly.'),
  after: wholeNumber(0, Number.MAX_SAFE_INTEGER)
    .default(0)
    .describe('Only deliveries after this offset in the log: `next_after` of the previous answer.'),
  limit: wholeNumber(1, 10_000)
    .default(1_000)
    .describe('The maximum number of deliveries; there are fewer when their changes are large.'),
});

const time = z.string().nullable();
const explanation = z.object({
  uri: z.string(),
  table: z.string().nullable().describe('Null when no entry about it could be applied.'),
  deleted: z.boolean(),
  deliveries: z.array(
    z.object({
      seq: z.int(),
      event: z.string().nullable(),
      source: z.string().describe('webhook, backfill, reconcile or operator'),
      occurred_at: time.describe('When it happened; for a record read from the API, when it was last read unchanged.'),
      received_at: time,
      delay_seconds: z
        .number()
        .nullable()
        .describe('How long the delivery took to arrive; null for a record read from the API.'),
      outcome: z.string(),
      reason: z.string().nullable(),
      duplicates: z.int(),
      redacted: z.boolean().describe('Some or all of its content was removed.'),
      pruned: z.boolean().describe('It was older than RETENTION_DAYS and no row had a value from it.'),
      changes: z.record(z.string(), z.record(z.string(), z.array(z.unknown()))).nullable(),
    }),
  ),
  next_after: z.int().nullable().describe('Continue with this as `after`; null when there are no more deliveries.'),
  fields: z
    .array(
      z.object({
        column: z.string(),
        value: z.unknown(),
        since: z
          .object({ seq: z.int(), event: z.string().nullable(), source: z.string(), occurred_at: time })
          .nullable()
          .describe('The entry that set the current value. Null when its changes are no longer in the log.'),
        seq: z
          .int()
          .nullable()
          .describe(
            'The last entry that reported the value, which may only repeat it. Null when it is no longer in the log.',
          ),
        event: z.string().nullable(),
        source: z.string().nullable(),
        occurred_at: time,
      }),
    )
    .describe(
      'Every column that an entry has set, with the entry that set its current value and the last one that reported it.',
    ),
});

export const explainRow = defineOperation({
  id: 'explainRow',
  method: 'GET',
  path: '/api/why',
  tag: 'Why',
  summary: 'Explain a row',
  description:
    'Every delivery and every read that touched a row, in order, with its outcome and its changes; and for each column the entry that set its current value and the last one that reported it.',
  errors: { 404: 'This URI is neither in the log nor in a table.' },
  query: question,
  answers: 'object',
  schema: explanation,
  async run({ store, query }) {
    const found = await explain(store, query);
    if (found === undefined) throw notFound('This URI is neither in the log nor in a table.', 'uri');
    return found;
  },
});

export const whyOperations = [explainRow] as const;
