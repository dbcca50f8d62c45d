// Alerts on the admin listener: what was said to which channel, what waits, what failed and why, and sending a failed one again.
import { z } from 'zod';
import { pageQuery } from '#schemas/pagination.ts';
import { listing } from '#src/http/pagination.ts';
import { conflict, notFound } from '#src/http/http-error.ts';
import { instantOf } from '#src/base/time.ts';
import { plainText } from '#src/http/request.ts';
import { resend } from '#src/store/alerts/send-results.ts';
import { findAlerts } from '#src/store/alerts/alert-queries.ts';
import { readAlerts, type Alert } from '#src/store/alerts/alert-rows.ts';
import type { Store, Unit } from '#src/store/contract.ts';
import { channelNames } from '#workers/alerts/channels/channel-name.ts';
import { alertRecord, alertStates, shownAlert } from './alert-record.ts';
import { defineOperation } from './api-operation.ts';
import { isIdentifier } from './row-record.ts';

const listQuery = pageQuery.extend({
  state: z.enum(alertStates).optional().describe('In this state.'),
  rule: plainText.optional().describe('Of the rule of this name.'),
  channel: z.enum(channelNames).optional().describe('To this channel.'),
  subject: plainText.optional().describe('About this URI, or about `mirror`; compared letter by letter.'),
});

const one = {
  tag: 'Alerts',
  params: z.object({ id: z.string().describe('Its `id`.') }),
  answers: 'resource',
  schema: alertRecord,
} as const;

export const alertOperations = [
  defineOperation({
    id: 'listAlerts',
    method: 'GET',
    path: '/api/alerts',
    tag: 'Alerts',
    summary: 'What was said, waits or failed, newest first',
    description:
      'One record is one message to one channel. `pending`: waits for its grace, quiet hours or another attempt. `sent`. `retracted`: over before it was said, or taken back by the follow-up that names it in `follows`. `failed`: tried too often; it can be sent again.',
    query: listQuery,
    answers: 'collection',
    schema: alertRecord,
    async run({ store, query: { state, rule, channel, subject }, pageIn }) {
      const page = await findAlerts(store, { state, rule, channel, subject }, pageIn('created_at:desc'));
      return listing({ ...page, positionOf: ({ createdAt, id }) => ({ key: createdAt, uri: id }) }, shownAlert);
    },
  }),
  defineOperation({
    ...one,
    id: 'getAlert',
    method: 'GET',
    path: '/api/alerts/{id}',
    summary: 'One alert',
    errors: { 404: 'No such alert.' },
    run: async ({ store, params }) => shownAlert(await foundIn(store, params.id)),
  }),
  defineOperation({
    ...one,
    id: 'resendAlert',
    method: 'POST',
    path: '/api/alerts/{id}/resend',
    summary: 'Send a failed alert again',
    description: 'It leaves within seconds, under the key it had, and is tried as often as a new one.',
    errors: { 404: 'No such alert.', 409: 'It has not failed.' },
    audited: true,
    run: ({ store, clock, params }) =>
      store.transaction(async (unit) => {
        const { id } = await foundIn(unit, params.id);
        const renewed = await resend(unit, [id], instantOf(clock()));
        if (renewed.length === 0) throw conflict({ message: 'Only what has failed can be sent again.' });
        return shownAlert(await foundIn(unit, id));
      }),
  }),
] as const;

async function foundIn(from: Store | Unit, id: string): Promise<Alert> {
  const [found] = isIdentifier(id) ? await readAlerts(from, [id]) : [];
  if (found === undefined) throw notFound('No such alert.');
  return found;
}
