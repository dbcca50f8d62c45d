// Deliveries on the admin listener: what came, what became of it, and folding one again.
import { pageQuery } from '#schemas/pagination.ts';
import { z } from 'zod';
import { notFound } from '#src/http/http-error.ts';
import { plainText } from '#src/http/request.ts';
import type { Store } from '#src/store/contract.ts';
import { readDelivery } from '#src/store/log/log-search.ts';
import type { LogEntry } from '#src/store/log/log.ts';
import { replay } from '#workers/sync/replay.ts';
import { deliveryRecord, outcomes, replayedRecord, sources, wholeDeliveryRecord } from './delivery-record.ts';
import { logPage } from './log-listing.ts';
import { defineOperation, type Operation, type ReaderNeeds } from './operation.ts';
import { resendCommands } from './curl-replay.ts';
import { isIdentifier } from './row-position.ts';

const listQuery = pageQuery.extend({
  event: plainText.optional().describe('Of this kind: `contact.updated`.'),
  outcome: z.enum(outcomes).optional().describe('What became of it.'),
  source: z.enum(sources).optional().describe('Where it came from.'),
  subject: plainText.optional().describe('About this URI, compared letter by letter.'),
});

const one = {
  tag: 'Deliveries',
  placeholders: { id: 'Its `delivery_id`, or its `seq`.' },
  refusals: { 404: 'No such delivery.' },
} as const;

export const deliveryOperations = (needs: ReaderNeeds): readonly Operation[] => [
  defineOperation({
    id: 'listDeliveries',
    method: 'GET',
    path: '/api/deliveries',
    tag: 'Deliveries',
    summary: 'What came, newest first',
    description: 'Every entry of the log: deliveries, what was read from the API, and what an operator did.',
    query: listQuery,
    answers: 'collection',
    schema: deliveryRecord,
    run: ({ query: { subject: subjectUri, event, outcome, source }, pageIn }) =>
      logPage(needs.store, { event, outcome, source, subjectUri }, pageIn('seq:desc')),
  }),
  defineOperation({
    ...one,
    id: 'getDelivery',
    method: 'GET',
    path: '/api/deliveries/{id}',
    summary: 'One delivery, with its body and what it changed',
    answers: 'resource',
    schema: wholeDeliveryRecord,
    run: async ({ params }) => whole(needs, await foundIn(needs.store, params['id'])),
  }),
  defineOperation({
    ...one,
    id: 'replayDelivery',
    method: 'POST',
    path: '/api/deliveries/{id}/replay',
    summary: 'Fold one delivery again',
    description:
      'After a fix or an upgrade: a delivery in quarantine is read again; one that was folded already changes nothing. If its outcome changes it moves to the end of the log, where every reader of the feed sees it.',
    audited: true,
    answers: 'resource',
    schema: replayedRecord,
    async run({ params }) {
      const { store, screen, tail } = needs;
      const before = await foundIn(store, params['id']);
      const deliveryId = before.delivery_id as string;
      const { changed } = await replay({ store, screen }, { deliveryId });
      tail.poke();
      const after = await foundIn(store, deliveryId);
      return {
        ...whole(needs, after),
        replay: { changed: changed > 0, outcome_before: before.outcome, outcome_after: after.outcome },
      };
    },
  }),
];

async function foundIn(store: Store, id = ''): Promise<LogEntry> {
  const name = /^\d{1,15}$/.test(id) ? { seq: Number(id) } : { deliveryId: id };
  const entry = isIdentifier(id) ? await readDelivery(store, name) : undefined;
  if (entry === undefined) throw notFound('No such delivery.', 'id');
  return entry;
}

/** The service's own scheme, unless another is configured (A2). */
const usualSigning = { scheme: 'timestamped', header: 'Calendly-Webhook-Signature' } as const;

function whole({ signing = usualSigning }: ReaderNeeds, { tie: _internal, ...entry }: LogEntry): object {
  const { body, encoding, redacted, source } = entry;
  const isWhole = source === 'webhook' && !redacted && body !== null;
  return { ...entry, resend: isWhole ? resendCommands({ body, encoding }, signing) : null };
}
