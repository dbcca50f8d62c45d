// Controls of the delivery of webhooks: faults, the log of attempts, and disabling a subscription.
import { z } from 'zod';
import { uri } from '#schemas/wire.ts';
import { compareText } from '#src/http/pagination.ts';
import { faultRequest } from '#src/sandbox/webhooks/faults.ts';
import { found } from '#src/sandbox/world/service.ts';
import { disableSubscription, subscriptionRecord } from '#src/sandbox/world/subscriptions.ts';
import { control } from './control.ts';

export const webhookControls = [
  control('POST', '/faults', {
    summary: 'Replaces the faults on deliveries and answers; {} clears them',
    body: faultRequest,
    answers: 'object',
    run({ faults, body }) {
      faults.set(body);
      return faults.current;
    },
  }),
  control('GET', '/faults', {
    summary: 'The current faults',
    answers: 'object',
    run: ({ faults }) => faults.current,
  }),
  control('POST', '/subscriptions/disable', {
    summary: 'Disables a webhook subscription, as a day without an answer would',
    body: z.strictObject({ uri }),
    answers: 'resource',
    run({ service, body }) {
      const subscription = found(service.state.subscriptions.get(body.uri), 'subscription', 'uri');
      const isDisabled = subscription.state === 'disabled';
      return subscriptionRecord(isDisabled ? subscription : disableSubscription(service, subscription));
    },
  }),
  control('GET', '/deliveries', {
    summary:
      'Attempts to deliver, oldest first: the newest ten thousand of `total`; `pending` messages are still to come',
    answers: 'object',
    run: ({ dispatcher }) => ({
      collection: dispatcher.attempts.toSorted((a, b) => compareText(a.at, b.at)),
      total: dispatcher.total,
      pending: dispatcher.pending,
    }),
  }),
];
