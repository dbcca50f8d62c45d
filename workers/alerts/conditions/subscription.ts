// The service has trouble delivering to us, or has given up.
import { defineCondition, type Reading, type Trouble } from './condition.ts';

export const subscription = defineCondition({
  when: 'subscription',
  title: 'A webhook subscription is in trouble',
  about: 'A webhook subscription is failing or disabled.',
  options: {},
  find: (_options, reading) => {
    // What was lost says more than what is still known of it.
    const told = reading.lost.map(lossOf);
    const others = reading.subscriptions.filter(({ uri }) => !reading.lost.some((one) => one.uri === uri));
    return [...told, ...others.flatMap(troubleOf)];
  },
});

function lossOf({ uri, how, isMended }: Reading['lost'][number]): Trouble {
  const what = how === 'disabled' ? 'The service disabled a webhook subscription' : 'A webhook subscription is gone';
  const next = isMended
    ? 'Another stands in its place; what was missed meanwhile is being repaired.'
    : 'Nothing is delivered by it. Look: npx slotstream doctor';
  return { subject: uri, message: `${what}. ${next}` };
}

function troubleOf({ uri, state, retryStartedAt }: Reading['subscriptions'][number]): readonly Trouble[] {
  if (state === 'disabled') return [lossOf({ uri, how: 'disabled', isMended: false })];
  if (retryStartedAt === null) return [];
  const message = `Deliveries of a webhook subscription fail since ${retryStartedAt}; after a day the service gives up. Look: npx slotstream doctor`;
  return [{ subject: uri, message }];
}
