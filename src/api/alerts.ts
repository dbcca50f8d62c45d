// The alert operations of the API: list alerts, show one, and resend one that failed.
import { z } from 'zod';
import { pageQuery } from '#schemas/pagination.ts';
import { instant } from '#schemas/resources/values.ts';
import { listing } from '#src/http/pagination.ts';
import { conflict, notFound } from '#src/http/http-error.ts';
import { instantOf } from '#src/base/time.ts';
import { plainText } from '#src/http/request.ts';
import { resend } from '#src/store/alerts/send-results.ts';
import { countAlerts, findAlerts } from '#src/store/alerts/alert-queries.ts';
import { subjectNames } from '#src/store/alerts/alert-subjects.ts';
import { readAlerts, type Alert } from '#src/store/alerts/alert-rows.ts';
import { alertStates } from '#src/store/schema/own-state.ts';
import type { Unit } from '#src/store/contract.ts';
import { channelNameOf, channelNames } from '#src/store/alerts/channel-names.ts';
import { defineOperation, type ApiContext } from './api-operation.ts';
import { isIdentifier } from './row-record.ts';

/** An alert as the API and the command line show it. It holds no personal data. */
const alertRecord = z
  .strictObject({
    id: z
      .string()
      .describe('A hash of rule, channel, subject and fact: one fact is never reported twice to a channel.'),
    rule: z.string(),
    channel: z.enum(channelNames),
    subject_uri: z.string().describe('The invitee, the subscription, the event type, the host, or `mirror`.'),
    fact: z
      .string()
      .describe('What was found: the no-show mark, the cancellation, the booking, or when a problem began.'),
    state: z.enum(alertStates),
    attempts: z.int(),
    last_error: z.string().nullable().describe('What the recipient answered to the last failed attempt.'),
    detail: z.string().nullable().describe('For an operational alert: what was found.'),
    occurred_at: instant,
    due_at: instant.describe('When its grace ends.'),
    next_at: instant.describe('While it is pending: when it is sent or checked next.'),
    sent_at: instant.nullable(),
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'Alert' });

export const shownAlert = (alert: Alert): z.output<typeof alertRecord> => {
  const { episode: _episode, digest: _digest, claimed_at: _claimed, posted: _posted, ...shown } = alert;
  return { ...shown, channel: channelNameOf(alert.channel) };
};

const listQuery = pageQuery.extend({
  state: z.enum(alertStates).optional().describe('Only alerts in this state.'),
  rule: plainText.optional().describe('Only alerts of the rule with this name.'),
  channel: z.enum(channelNames).optional().describe('Only alerts to this channel.'),
  subject: plainText.optional().describe('Only alerts about this URI, or about `mirror`; case-sensitive.'),
});

export const listAlerts = defineOperation({
  id: 'listAlerts',
  method: 'GET',
  path: '/api/alerts',
  tag: 'Alerts',
  summary: 'List alerts, newest first',
  description:
    'One record is one alert to one channel. `pending`: waits for its grace period, the end of quiet hours, its digest or another attempt. `sent`: delivered. `retracting`: over after it was sent; its retraction waits in the same way. `retracted`: over before it was sent, or its retraction was delivered. `failed`: its last message was given up; it can be resent.',
  query: listQuery,
  answers: 'collection',
  schema: alertRecord,
  fields: {
    names: z
      .record(z.string(), z.string())
      .describe('The names of the invitees, hosts and event types that these alerts are about, by URI.'),
  },
  async run({ store, query: { state, rule, channel, subject }, pageIn }) {
    const page = await findAlerts(store, { state, rule, channel, subject }, pageIn('created_at:desc'));
    const listed = listing({ ...page, positionOf: ({ created_at, id }) => ({ key: created_at, uri: id }) }, shownAlert);
    const names = await subjectNames(
      store,
      page.items.map(({ subject_uri }) => subject_uri),
    );
    return { ...listed, fields: { names: Object.fromEntries(names) } };
  },
});

/** By channel and state. */
export const readAlertCounts = ({ store }: Pick<ApiContext, 'store'>) => countAlerts(store);

export const resendAlert = defineOperation({
  id: 'resendAlert',
  method: 'POST',
  path: '/api/alerts/{id}/resend',
  tag: 'Alerts',
  summary: 'Resend a failed alert',
  description: 'It is sent within seconds with the same idempotency key, and is retried as often as a new one.',
  params: z.object({ id: z.string().describe('Its `id`.') }),
  errors: { 404: 'No such alert.', 409: 'The alert has not failed.' },
  answers: 'resource',
  schema: alertRecord,
  audited: true,
  run: ({ store, clock, params }) =>
    store.transaction(async (unit) => {
      const { id } = await foundIn(unit, params.id);
      const renewed = await resend(unit, [id], instantOf(clock()));
      if (renewed.length === 0) throw conflict({ message: 'Only an alert that has failed can be resent.' });
      return shownAlert(await foundIn(unit, id));
    }),
});

export const alertOperations = [listAlerts, resendAlert] as const;

async function foundIn(unit: Unit, id: string): Promise<Alert> {
  const [found] = isIdentifier(id) ? await readAlerts(unit, [id]) : [];
  if (found === undefined) throw notFound('No such alert.');
  return found;
}
