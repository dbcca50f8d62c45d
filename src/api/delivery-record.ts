// A log entry as the admin listener shows it.
import { z } from 'zod';
import { instant } from '#schemas/resources/values.ts';

export const outcomes = ['applied', 'unchanged', 'superseded', 'tombstoned', 'quarantined', 'unhandled'] as const;
export const sources = ['webhook', 'backfill', 'reconcile', 'operator'] as const;

const text = z.string().nullable();

/** `/api/deliveries`, one of many. */
export const deliveryRecord = z
  .strictObject({
    seq: z.int().describe('Its place in the log. It gets a new one when its outcome changes.'),
    delivery_id: z.string().describe('What it is known by for good: a hash of what was sent.'),
    source: z.enum(sources),
    event: text.describe('Null when it could not be read.'),
    subject_uri: text.describe('Whom it is about.'),
    occurred_at: instant.nullable(),
    received_at: instant,
    outcome: z.enum(outcomes),
    reason: text.describe('Why it is kept, or what was noted.'),
    duplicates: z.int().describe('How many more copies came.'),
    redacted: z.boolean().describe('Its content is not, or not all, here any more.'),
  })
  .meta({ id: 'Delivery' });

export const wholeDeliveryRecord = deliveryRecord
  .extend({
    changes: z
      .record(z.string(), z.record(z.string(), z.tuple([z.unknown(), z.unknown()])))
      .nullable()
      .describe('By table and column: the value before and after.'),
    body: text.describe('As it was sent; without people who were forgotten, null once it was pruned.'),
    encoding: z.literal('base64').nullable().describe('How `body` is written when it is not text.'),
    resend: text.describe(
      'Shell commands that send it once more, signed anew: set `SIGNING_KEY` and `WEBHOOK_URL` first. A receiver that has it already counts one more copy.',
    ),
  })
  .meta({ id: 'WholeDelivery' });

export const replayedRecord = wholeDeliveryRecord
  .extend({
    replay: z.strictObject({
      changed: z.boolean().describe('Whether its outcome or a row is another now.'),
      outcome_before: z.enum(outcomes),
      outcome_after: z.enum(outcomes),
    }),
  })
  .meta({ id: 'ReplayedDelivery' });
