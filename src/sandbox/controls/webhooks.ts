// Controls of the delivery of webhooks: faults, the log of attempts, and disabling a subscription.
import { z } from 'zod';
import { uri } from '#schemas/wire.ts';
import { notFound } from '#src/http/http-error.ts';
import { compareText } from '#src/http/pagination.ts';
import { faultRequest } from '#src/sandbox/webhooks/faults.ts';
import { disableSubscription, subscriptionRecord } from '#src/sandbox/world/subscriptions.ts';
import { defineControl } from './control.ts';

export const webhookControls = [
  defineControl({
    id: 'postFaults',
    method: 'POST',
    path: '/faults',
    summary: 'Replaces the faults on deliveries and answers; {} clears them',
    body: faultRequest,
    answers: 'object',
    run({ faults, body }) {
      faults.set(body);
      return faults.current;
    },
  }),
  defineControl({
    id: 'getFaults',
    method: 'GET',
    path: '/faults',
    summary: 'The current faults',
    answers: 'object',
    run: ({ faults }) => faults.current,
  }),
  defineControl({
    id: 'postSubscriptionsDisable',
    method: 'POST',
    path: '/subscriptions/disable',
    summary: 'Disables a webhook subscription, as a day without an answer would',
    body: z.strictObject({ uri }),
    answers: 'resource',
    run({ service, body }) {
      const subscription = service.state.subscriptions.get(body.uri);
      if (subscription === undefined) throw notFound('No such subscription.', 'uri');
      const isDisabled = subscription.state === 'disabled';
      return subscriptionRecord(isDisabled ? subscription : disableSubscription(service, subscription));
    },
  }),
  defineControl({
    id: 'getDeliveries',
    method: 'GET',
    path: '/deliveries',
    summary:
      'Attempts to deliver, oldest first: the newest ten thousand of `total`; `pending` messages are still to come',
    answers: 'object',
    run: ({ dispatcher }) => ({
      collection: dispatcher.attempts.toSorted((a, b) => compareText(a.at, b.at)),
      total: dispatcher.total,
      pending: dispatcher.pending,
    }),
  }),
] as const;
