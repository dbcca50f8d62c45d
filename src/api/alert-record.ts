// An alert as the API and the command line show it. It holds no personal data.
import { z } from 'zod';
import { instant } from '#schemas/resources/values.ts';
import { alertStates, type Alert } from '#src/store/alerts/alert-rows.ts';
import { channelNameOf, channelNames } from '#workers/alerts/channels/channel.ts';

export const alertRecord = z
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
    follows: z.string().nullable().describe('For a retraction: the alert it retracts.'),
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
  const { episode: _episode, digest: _digest, claimed_at: _claimed, ...shown } = alert;
  return { ...shown, channel: channelNameOf(alert.channel) };
};
