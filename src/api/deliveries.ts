// The deliveries in the log: a list, one with its body and changes, folding one again, and those in quarantine.
import { z } from 'zod';
import { pageQuery } from '#schemas/pagination.ts';
import { instant } from '#schemas/resources/values.ts';
import { notFound } from '#src/http/http-error.ts';
import { listing, type Listing, type Page, type PageRequest } from '#src/http/pagination.ts';
import { plainText } from '#src/http/request.ts';
import type { Store } from '#src/store/contract.ts';
import {
  countReasons,
  readDelivery,
  readDeliveries,
  type DeliveryFilter,
  type DeliveryLine,
} from '#src/store/log/log-search.ts';
import type { LogEntry } from '#src/store/log/read.ts';
import { completeChanges } from '#workers/pipeline/stored-changes.ts';
import { replay } from '#workers/sync/replay.ts';
import { defineOperation, type ApiContext } from './api-operation.ts';
import { replayScript } from './curl-replay.ts';
import { isIdentifier } from './row-record.ts';

const outcomes = ['applied', 'unchanged', 'superseded', 'tombstoned', 'quarantined', 'unhandled'] as const;
const sources = ['webhook', 'backfill', 'reconcile', 'operator'] as const;

const text = z.string().nullable();

/** One delivery of a list. */
const deliveryRecord = z
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
  })
  .meta({ id: 'Delivery' });

const wholeDeliveryRecord = deliveryRecord
  .extend({
    changes: z
      .record(z.string(), z.record(z.string(), z.tuple([z.unknown(), z.unknown()])))
      .nullable()
      .describe('By table and column: the value before and after.'),
    body: text.describe('As it was sent, without erased people; null once it was pruned.'),
    encoding: z.literal('base64').nullable().describe('The encoding of `body` when it is not text.'),
    resend: text.describe(
      'Shell commands that send it again with a new signature: set `SIGNING_KEY` and `WEBHOOK_URL` first. A receiver that already has it counts one more copy.',
    ),
  })
  .meta({ id: 'WholeDelivery' });

const replayedRecord = wholeDeliveryRecord
  .extend({
    replay: z.strictObject({
      changed: z.boolean().describe('Whether its outcome or a row changed.'),
      outcome_before: z.enum(outcomes),
      outcome_after: z.enum(outcomes),
    }),
  })
  .meta({ id: 'ReplayedDelivery' });

const listQuery = pageQuery.extend({
  event: plainText.optional().describe('Of this kind: `contact.updated`.'),
  outcome: z.enum(outcomes).optional().describe('With this outcome.'),
  source: z.enum(sources).optional().describe('From this source.'),
  subject: plainText.optional().describe('About this URI, compared exactly.'),
});

const one = {
  tag: 'Deliveries',
  params: z.object({ id: z.string().describe('Its `delivery_id`, or its `seq`.') }),
  errors: { 404: 'No such delivery.' },
} as const;

export const listDeliveries = defineOperation({
  id: 'listDeliveries',
  method: 'GET',
  path: '/api/deliveries',
  tag: 'Deliveries',
  summary: 'Deliveries, newest first',
  description: 'Every entry of the log: deliveries, records read from the API, and the acts of operators.',
  query: listQuery,
  answers: 'collection',
  schema: deliveryRecord,
  run: ({ store, query: { subject: subjectUri, event, outcome, source }, pageIn }) =>
    pageOfLog(store, { event, outcome, source, subjectUri }, pageIn('seq:desc')),
});

export const deliveryOperations = [
  listDeliveries,
  defineOperation({
    ...one,
    id: 'getDelivery',
    method: 'GET',
    path: '/api/deliveries/{id}',
    summary: 'One delivery, with its body and what it changed',
    answers: 'resource',
    schema: wholeDeliveryRecord,
    run: async ({ store, signing, params }) => wholeDelivery(await findDelivery(store, params.id), signing),
  }),
  defineOperation({
    ...one,
    id: 'replayDelivery',
    method: 'POST',
    path: '/api/deliveries/{id}/replay',
    summary: 'Fold one delivery again',
    description:
      'After a fix or an upgrade: a quarantined delivery is parsed again; one that was already applied changes nothing. If its outcome changes, it moves to the end of the log, where every consumer of the feed sees it.',
    audited: true,
    answers: 'resource',
    schema: replayedRecord,
    async run({ store, screen, tail, signing, params }) {
      const before = await findDelivery(store, params.id);
      const deliveryId = before.delivery_id;
      const { changed } = await replay({ store, screen }, { deliveryId });
      tail.poke();
      const after = await findDelivery(store, deliveryId);
      return {
        ...wholeDelivery(after, signing),
        replay: { changed: changed > 0, outcome_before: before.outcome, outcome_after: after.outcome },
      };
    },
  }),
] as const;

const quarantineOutcomes = ['quarantined', 'unhandled'] as const;

const quarantineQuery = pageQuery.extend({
  outcome: z
    .enum(quarantineOutcomes)
    .optional()
    .describe('`quarantined`: it could not be parsed, or the store refused it. `unhandled`: its kind is unknown.'),
  event: plainText.optional().describe('Of this kind.'),
  reason: plainText.optional().describe('With exactly this reason.'),
});

const reasons = z.strictObject({
  collection: z.array(
    z.strictObject({
      outcome: z.enum(quarantineOutcomes),
      reason: z.string().nullable(),
      count: z.int(),
      newest_seq: z.int().describe('The offset of the newest one in the log.'),
    }),
  ),
});

const maxReasons = 100;

export const quarantineOperations = [
  defineOperation({
    id: 'listQuarantine',
    method: 'GET',
    path: '/api/quarantine',
    tag: 'Quarantine',
    summary: 'Quarantined deliveries, newest first',
    description:
      'They are in the log but not in the tables. Nothing is lost: after a fix, `./bin/slotstream replay --quarantined` or the replay of one delivery applies them.',
    query: quarantineQuery,
    answers: 'collection',
    schema: deliveryRecord,
    run: ({ store, query: { outcome, event, reason }, pageIn }) =>
      pageOfLog(store, { outcome, event, reason, unprojected: true }, pageIn('seq:desc')),
  }),
  defineOperation({
    id: 'countQuarantine',
    method: 'GET',
    path: '/api/quarantine/reasons',
    tag: 'Quarantine',
    summary: 'Counts of quarantined deliveries by reason',
    description: `The most frequent first; at most ${maxReasons}.`,
    answers: 'object',
    schema: reasons,
    run: async ({ store }) => ({ collection: await countReasons(store, maxReasons) }),
  }),
] as const;

/** A page of the log, newest first. */
async function pageOfLog(store: Store, filter: DeliveryFilter, request: PageRequest): Promise<Listing> {
  const { count, from, backwards } = request;
  const found = await readDeliveries(store, filter, {
    from: from && Number(from.key),
    newer: backwards,
    // One more than requested shows whether there is another page.
    limit: count + 1,
  });
  const isMore = found.length > count;
  const items = found.slice(0, count);
  const page: Page<DeliveryLine> = {
    items: backwards ? items.toReversed() : items,
    hasPrevious: backwards ? isMore : from !== undefined,
    hasNext: backwards || isMore,
    positionOf: ({ seq }) => ({ key: String(seq), uri: '' }),
  };
  return listing(page, (line) => line);
}

async function findDelivery(store: Store, id: string): Promise<LogEntry> {
  const name = /^\d{1,15}$/.test(id) ? { seq: Number(id) } : { deliveryId: id };
  const entry = isIdentifier(id) ? await readDelivery(store, name) : undefined;
  if (entry === undefined) throw notFound('No such delivery.', 'id');
  return entry;
}

/** The scheme of the service, unless another is configured (A2). */
const serviceSigning = { scheme: 'timestamped', header: 'Calendly-Webhook-Signature' } as const;

function wholeDelivery(
  { tie: _internal, ...entry }: LogEntry,
  signing: ApiContext['signing'] = serviceSigning,
): object {
  const { body, encoding, redacted, source } = entry;
  const isWhole = source === 'webhook' && !redacted && body !== null;
  const resend = isWhole ? replayScript({ body, encoding }, signing) : null;
  return { ...entry, changes: completeChanges(entry), resend };
}
