// Deliveries as the API shows and filters them, and replays of many of them.
import { z } from 'zod';
import { instant } from '#schemas/resources/values.ts';
import { boundary, plainText, wholeNumber } from '#src/http/request.ts';
import type { DeliveryFilter } from '#src/store/log/log-candidates.ts';
import { outcomes, sources } from '#src/store/schema/log.ts';

export { outcomes, sources };

const text = z.string().nullable();

export const deliveryRecord = z
  .strictObject({
    seq: z.int().describe('Its offset in the log. It gets a new one when its outcome changes.'),
    delivery_id: z.string().describe('Its permanent id: a hash of the body.'),
    source: z.enum(sources),
    event: text.describe('Null when the body could not be parsed.'),
    subject_uri: text.describe('The URI of the resource it is about.'),
    occurred_at: instant.nullable(),
    received_at: instant,
    outcome: z.enum(outcomes),
    reason: text.describe('Why it was quarantined, or a note on the outcome.'),
    duplicates: z.int().describe('How many more copies were received.'),
    redacted: z.boolean().describe('Some or all of its content was removed.'),
    dismissed_at: instant
      .nullable()
      .describe('When an operator dismissed it: it could not be applied, and no longer waits for a replay.'),
    sentence: z.string().optional().describe('Who did what, from the body. Only with `include=sentence`.'),
  })
  .meta({ id: 'Delivery' });

/** By table and column: the value before and after. */
const changesRecord = z.record(z.string(), z.record(z.string(), z.tuple([z.unknown(), z.unknown()])));

export const wholeDeliveryRecord = deliveryRecord
  .extend({
    sentence: z.string().describe('Who did what, from the body.'),
    changes: changesRecord.nullable().describe('By table and column: the value before and after.'),
    body: text.describe('As it was sent, without erased people; null once it was pruned.'),
    encoding: z.literal('base64').nullable().describe('The encoding of `body` when it is not text.'),
    problems: z
      .array(z.strictObject({ path: z.array(z.union([z.string(), z.int()])), message: z.string() }))
      .describe('What keeps a quarantined delivery from being read now, each with its path in the body; at most 50.'),
    resend: text.describe(
      'Shell commands that send it again with a new signature: set `SIGNING_KEY` and `WEBHOOK_URL` first. A receiver that already has it counts one more copy.',
    ),
  })
  .meta({ id: 'WholeDelivery' });

export const replayedRecord = wholeDeliveryRecord
  .extend({
    replay: z.strictObject({
      changed: z.boolean().describe('Whether its outcome or a row changed.'),
      outcome_before: z.enum(outcomes),
      outcome_after: z.enum(outcomes),
    }),
  })
  .meta({ id: 'ReplayedDelivery' });

const eventPattern = plainText
  .min(1)
  .max(200)
  .refine(
    (name) => !name.slice(0, -1).includes('*'),
    'a name such as contact.updated, or a beginning such as contact.*',
  )
  .describe('Of this kind: `contact.updated`; or of every kind with this beginning: `contact.*`.');

const outcomeFilter = z
  .enum([...outcomes, 'unprojected', 'dismissed'])
  .describe(
    'With this outcome. `unprojected`: quarantined or unhandled. Those that were dismissed are only found by `dismissed`.',
  );

/** The filters of deliveries, with the offsets as the caller writes them. */
const filtersWith = <Seq extends z.ZodType<number>>(seq: Seq) => ({
  event: eventPattern.optional(),
  outcome: outcomeFilter.optional(),
  source: z.enum(sources).optional().describe('From this source.'),
  subject: plainText.optional().describe('About this URI, compared exactly.'),
  address: plainText
    .min(1)
    .max(320)
    .optional()
    .describe('About a contact or a booking that has this e-mail address now.'),
  reason: plainText.optional().describe('With exactly this reason.'),
  min_received_at: boundary(false).optional().describe('Received from this day (UTC) or time on.'),
  max_received_at: boundary(true)
    .optional()
    .describe(
      'Received up to this day (UTC), or before this time. Without a subject, an address or a quarantined outcome, entries that were stored more than an hour after they were received are left out, such as those that a replay has moved.',
    ),
  min_seq: seq.optional().describe('From this offset of the log.'),
  max_seq: seq.optional().describe('Up to this offset of the log.'),
  q: plainText
    .min(1)
    .max(200)
    .optional()
    .describe(
      'With this text in the body, the reason or the subject, as it is written there; the letters A to Z in any case.',
    ),
});

/** As query parameters, and as fields of a JSON body. */
export const deliveryFilters = filtersWith(wholeNumber(1, Number.MAX_SAFE_INTEGER));
export const deliveryFilterFields = z.strictObject(filtersWith(z.int().min(1)));
export type DeliveryFilterFields = z.output<typeof deliveryFilterFields>;

export function filterOf(given: DeliveryFilterFields): DeliveryFilter {
  const { outcome, subject, min_received_at, max_received_at, min_seq, max_seq, q, ...same } = given;
  return {
    ...same,
    ...(outcome === 'unprojected' || outcome === 'dismissed' ? { [outcome]: true } : { outcome }),
    subjectUri: subject,
    minReceivedAt: min_received_at,
    maxReceivedAt: max_received_at,
    minSeq: min_seq,
    maxSeq: max_seq,
    text: q,
  };
}

export const mostReplayed = 5_000;
export const mostExamples = 5;

const counts = z.array(z.strictObject({ outcome: z.string(), count: z.int() }));

export const replayRecord = z
  .strictObject({
    dry_run: z.boolean(),
    complete: z
      .boolean()
      .describe(
        `False when not every matching delivery was folded: a dry run ends after a few seconds, a replay after ${mostReplayed} deliveries, and both end when their process does. What was done stays; the same replay again covers the rest.`,
      ),
    up_to_seq: z.int().describe('The end of the log when it began: later deliveries are left out.'),
    matched: z
      .int()
      .describe(`How many deliveries match the filter and still have their body; counted up to ${mostReplayed + 1}.`),
    matched_complete: z
      .boolean()
      .describe('False when there are too many to count, or counting took too long: more may match.'),
    matched_by_outcome: counts,
    read: z.int().describe('How many were folded again.'),
    changed: z.int().describe('How many changed their outcome or a row; in a dry run: would change.'),
    still_quarantined: z.int().describe('How many still cannot be applied.'),
    transitions: z
      .array(z.strictObject({ before: z.string(), after: z.string(), count: z.int() }))
      .describe('The outcomes of those that changed, before and after.'),
    tables: z
      .array(z.strictObject({ table: z.string(), count: z.int() }))
      .describe('By table: how many deliveries changed a row of it.'),
    examples: z
      .array(
        z.strictObject({
          seq: z.int(),
          event: z.string().nullable(),
          subject_uri: z.string().nullable(),
          before: z.string(),
          after: z.string(),
          changes: changesRecord.nullable(),
        }),
      )
      .describe(
        `Of a dry run: the first that would change, at most ${mostExamples}. The log has those that a replay changed.`,
      ),
    first_seq: z
      .int()
      .nullable()
      .describe('Deliveries that changed were moved to the end of the log: from this offset …'),
    last_seq: z.int().nullable().describe('… to this one. Deliveries received meanwhile may be between them.'),
  })
  .meta({ id: 'Replay' });

export type ReplayRecord = z.output<typeof replayRecord>;
