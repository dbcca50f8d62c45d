// Webhook subscriptions: the record of the service, and the request that creates one.
import { z } from 'zod';
import { subscriptionScopes, type SubscriptionScope } from './event.ts';
import { allEventKinds, contractOf, requestEventKinds, type EventKind } from './events.ts';
import { moment, omittable, text, uri } from './wire.ts';

export const subscriptionStates = ['active', 'disabled'] as const;

export const webhookSubscription = z.looseObject({
  uri,
  callback_url: text,
  created_at: moment,
  updated_at: moment,
  /** Set while deliveries fail: the only warning before the subscription is disabled (A3). */
  retry_started_at: moment,
  state: text,
  events: z.array(z.string()).nullish(),
  scope: text,
  organization: text,
  user: text,
  group: text,
  creator: text,
});

export type WebhookSubscription = z.output<typeof webhookSubscription>;

/** The events that are not allowed in a subscription of this scope; they need a separate one. */
export function eventsRefusedBy(scope: SubscriptionScope, events: readonly EventKind[]): readonly EventKind[] {
  return events.filter((event) => !contractOf(event).allowedScopes.includes(scope));
}

/** The events that allow other scopes than the first one does; they need a separate subscription. */
function eventsApartFromFirst(events: readonly EventKind[]): readonly EventKind[] {
  const scopesOf = (event: EventKind): string => contractOf(event).allowedScopes.join();
  return events.filter((event) => events[0] !== undefined && scopesOf(event) !== scopesOf(events[0]));
}

/** `user` and `group` are required with their scopes, as in every documented example (A10). */
function requestOf<Kind extends EventKind>(kinds: readonly Kind[], { mixed = false } = {}) {
  return z
    .strictObject({
      url: z.url({ protocol: /^https?$/ }),
      events: z.array(z.enum(kinds)).min(1),
      organization: uri,
      scope: z.enum(subscriptionScopes),
      user: omittable(uri),
      group: omittable(uri),
      signing_key: omittable(z.string().min(1)),
    })
    .check(({ value, issues }) => {
      const addIssue = (parameter: string, message: string) =>
        issues.push({ code: 'custom', path: [parameter], message, input: value });
      const refused = eventsRefusedBy(value.scope, value.events);
      const apart = mixed ? [] : eventsApartFromFirst(value.events);
      if (refused.length > 0)
        addIssue('events', `not for scope ${value.scope}, subscribe to them apart: ${refused.join(', ')}`);
      else if (apart.length > 0)
        addIssue('events', `other scopes than for ${value.events[0]}, subscribe to them apart: ${apart.join(', ')}`);
      if (value.scope === 'user' && value.user === undefined) addIssue('user', 'required for scope user');
      if (value.scope === 'group' && value.group === undefined) addIssue('group', 'required for scope group');
    });
}

/** The specification's request: `event_type.*` is in its scope table but not in this enum. */
export const subscriptionRequest = requestOf(requestEventKinds);

/** The request as the public service accepts it today (A6c): `event_type.*` too. */
export const subscriptionRequestWithEventTypes = requestOf(allEventKinds);

/** The public service asks only that all events allow the scope. */
export const publicSubscriptionRequest = requestOf(allEventKinds, { mixed: true });

export type SubscriptionRequest = z.output<typeof subscriptionRequestWithEventTypes>;
