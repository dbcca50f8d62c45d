// The quarantine on the admin listener: what is kept without being projected, and why.
import { pageQuery } from '#schemas/pagination.ts';
import { z } from 'zod';
import { plainText } from '#src/http/request.ts';
import { countReasons } from '#src/store/log/log-search.ts';
import { deliveryRecord } from './delivery-record.ts';
import { logPage } from './log-listing.ts';
import { defineOperation, type Operation, type ReaderNeeds } from './operation.ts';

const keptOutcomes = ['quarantined', 'unhandled'] as const;

const listQuery = pageQuery.extend({
  outcome: z
    .enum(keptOutcomes)
    .optional()
    .describe('`quarantined`: not understood, or refused by the store. `unhandled`: of an unknown kind.'),
  event: plainText.optional().describe('Of this kind.'),
  reason: plainText.optional().describe('With exactly this reason.'),
});

const reasons = z.strictObject({
  collection: z.array(
    z.strictObject({
      outcome: z.enum(keptOutcomes),
      reason: z.string().nullable(),
      count: z.int(),
      newest_seq: z.int().describe('The place of the newest one in the log.'),
    }),
  ),
});

const mostReasons = 100;

export const quarantineOperations = ({ store }: ReaderNeeds): readonly Operation[] => [
  defineOperation({
    id: 'listQuarantine',
    method: 'GET',
    path: '/api/quarantine',
    tag: 'Quarantine',
    summary: 'What is kept without being projected, newest first',
    description:
      'Nothing is lost: after a fix, `npx slotstream replay --quarantined` or a replay of one delivery folds it again.',
    query: listQuery,
    answers: 'collection',
    schema: deliveryRecord,
    run: ({ query: { outcome, event, reason }, pageIn }) =>
      logPage(store, { outcome, event, reason, kept: true }, pageIn('seq:desc')),
  }),
  defineOperation({
    id: 'countQuarantine',
    method: 'GET',
    path: '/api/quarantine/reasons',
    tag: 'Quarantine',
    summary: 'How many are kept for which reason',
    description: `The most frequent first; at most ${mostReasons}.`,
    answers: 'object',
    schema: reasons,
    run: async () => ({ collection: await countReasons(store, mostReasons) }),
  }),
];
