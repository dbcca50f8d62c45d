// `/api/why`: the deliveries that touched a row, and where each of its values came from.
import { z } from 'zod';
import { notFound } from '#src/http/http-error.ts';
import { plainText } from '#src/http/request.ts';
import { explain } from '#workers/sync/explain-row.ts';
import { defineOperation, type Operation, type ReaderNeeds } from './operation.ts';

const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'a whole number')
    .transform(Number)
    .pipe(z.number().min(least).max(most));

const question = z.strictObject({
  uri: plainText.min(1).describe('The URI of the row, compared letter by letter.'),
  after: wholeNumber(0, Number.MAX_SAFE_INTEGER)
    .default(0)
    .describe('Only deliveries after this place in the log: `next_after` of the answer before.'),
  limit: wholeNumber(1, 10_000)
    .default(1_000)
    .describe('How many deliveries at most; fewer where what they changed is large.'),
});

const time = z.string().nullable();
const explanation = z.object({
  uri: z.string(),
  table: z.string().nullable().describe('Null when nothing about it could be projected.'),
  deleted: z.boolean(),
  deliveries: z.array(
    z.object({
      seq: z.int(),
      event: z.string().nullable(),
      source: z.string().describe('webhook, backfill, reconcile or operator'),
      occurred_at: time.describe('When the service told it; for what was read, when it was last seen so.'),
      received_at: time,
      delay_seconds: z.number().nullable().describe('How long a delivery took to come; null for what was read.'),
      outcome: z.string(),
      reason: z.string().nullable(),
      duplicates: z.int(),
      redacted: z.boolean().describe('Its content is not, or not all, here any more.'),
      pruned: z.boolean().describe('It was older than RETENTION_DAYS and no row drew a value from it.'),
      changes: z.record(z.string(), z.record(z.string(), z.array(z.unknown()))).nullable(),
    }),
  ),
  next_after: z.int().nullable().describe('Where to go on when there are more deliveries.'),
  fields: z
    .array(
      z.object({
        column: z.string(),
        value: z.unknown(),
        seq: z.int().nullable().describe('Null when the log no longer shows the entry that supplied it.'),
        event: z.string().nullable(),
        source: z.string().nullable(),
        occurred_at: time,
      }),
    )
    .describe('Every column anybody spoke about, with the entry its present value came from.'),
});

export const whyOperations = ({ store }: ReaderNeeds): readonly Operation[] => [
  defineOperation({
    id: 'explainRow',
    method: 'GET',
    path: '/api/why',
    tag: 'Why',
    summary: 'Explain a row',
    description:
      'Every delivery and every read that touched a row, in order, with what became of it and what it changed; and for each column the entry its present value came from.',
    refusals: { 404: 'Neither the log nor a table knows this URI.' },
    query: question,
    answers: 'object',
    schema: explanation,
    async run({ query }) {
      const found = await explain(store, query);
      if (found === undefined) throw notFound('Neither the log nor a table knows this URI.', 'uri');
      return found;
    },
  }),
];
