// The quarantined deliveries, and how many there are for each reason.
import { z } from 'zod';
import { pageQuery } from '#schemas/pagination.ts';
import { plainText } from '#src/http/request.ts';
import { countReasons } from '#src/store/log/log-search.ts';
import { defineOperation } from './api-operation.ts';
import { deliveryRecord, listDeliveries } from './deliveries.ts';

const quarantineOutcomes = ['quarantined', 'unhandled'] as const;

const listQuery = pageQuery.extend({
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
      'They are in the log but not in the tables. Nothing is lost: after a fix, `npx slotstream replay --quarantined` or the replay of one delivery folds them again.',
    query: listQuery,
    answers: 'collection',
    schema: deliveryRecord,
    run: ({ store, query: { outcome, event, reason }, pageIn }) =>
      listDeliveries(store, { outcome, event, reason, unprojected: true }, pageIn('seq:desc')),
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
