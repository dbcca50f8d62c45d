// The service has trouble delivering to us, or has given up.
import { defineCondition } from '../condition.ts';

export const subscription = defineCondition({
  when: 'subscription',
  title: 'A webhook subscription is in trouble',
  about: 'A webhook subscription is failing or disabled.',
  options: {},
  find: (_options, { subscriptions }) =>
    subscriptions.flatMap(({ uri, state, retryStartedAt }) => {
      if (state === 'disabled')
        return [{ subject: uri, message: 'A webhook subscription is disabled: nothing is delivered by it.' }];
      if (retryStartedAt === null) return [];
      return [
        { subject: uri, message: `Deliveries of a webhook subscription have been failing since ${retryStartedAt}.` },
      ];
    }),
});
