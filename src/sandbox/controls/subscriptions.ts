// What the service does to a subscription by itself.
import { z } from 'zod';
import { uri } from '#schemas/wire.ts';
import { notFound } from '#src/http/http-error.ts';
import { disableSubscription, subscriptionRecord } from '#src/sandbox/world/subscriptions.ts';
import { defineControl } from './control.ts';

export const subscriptionControls = [
  defineControl({
    method: 'POST',
    path: '/subscriptions/disable',
    summary: 'Disables a webhook subscription, as a day without an answer would',
    body: z.strictObject({ uri }),
    run({ service }, body) {
      const subscription = service.state.subscriptions.get(body.uri);
      if (subscription === undefined) throw notFound('No such subscription.', 'uri');
      const isOver = subscription.state === 'disabled';
      return { resource: subscriptionRecord(isOver ? subscription : disableSubscription(service, subscription)) };
    },
  }),
] as const;
