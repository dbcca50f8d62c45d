// An alert as the admin listener and the command line show it. Nobody is named in it.
import { z } from 'zod';
import { instant } from '#schemas/resources/values.ts';
import type { Alert } from '#src/store/alerts/alert-rows.ts';
import { channelNames } from '#workers/alerts/channels/channel-name.ts';

export const alertStates = ['pending', 'sent', 'retracted', 'failed'] as const satisfies readonly Alert['state'][];

export const alertRecord = z
  .strictObject({
    id: z.string().describe('The same for the same fact, rule and channel: it can never be said twice.'),
    rule: z.string(),
    channel: z.enum(channelNames),
    subject_uri: z.string().describe('The invitee, the subscription, the event type, the host, or `mirror`.'),
    fact: z.string().describe('What was so: the mark, the cancellation, the beginning of the trouble.'),
    follows: z.string().nullable().describe('Of a follow-up: the alert it takes back.'),
    state: z.enum(alertStates),
    attempts: z.int(),
    last_error: z.string().nullable().describe('What the other side said to the last attempt that failed.'),
    detail: z.string().nullable().describe('Of an operational alert: what was found.'),
    occurred_at: instant,
    due_at: instant.describe('When its grace ends.'),
    next_at: instant.describe('When it is looked at next, while it is pending.'),
    sent_at: instant.nullable(),
    created_at: instant,
    updated_at: instant,
  })
  .meta({ id: 'Alert' });

export const shownAlert = (alert: Alert): z.output<typeof alertRecord> => ({
  id: alert.id,
  rule: alert.rule,
  channel: alert.channel as (typeof channelNames)[number],
  subject_uri: alert.subjectUri,
  fact: alert.fact,
  follows: alert.follows,
  state: alert.state,
  attempts: alert.attempts,
  last_error: alert.lastError,
  detail: alert.detail,
  occurred_at: alert.occurredAt,
  due_at: alert.dueAt,
  next_at: alert.nextAt,
  sent_at: alert.sentAt,
  created_at: alert.createdAt,
  updated_at: alert.updatedAt,
});
