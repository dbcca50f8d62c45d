// Webhook subscriptions: the record the service keeps, and the request that makes one.
import { z } from 'zod';
import { subscriptionScopes, type SubscriptionScope } from './event.ts';
import { contractOf, eventKinds, requestEventKinds, type EventKind } from './events.ts';
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

/** Which of `events` a subscription of this scope may not carry; those need a subscription of their own. */
export function eventsRefusedBy(scope: SubscriptionScope, events: readonly EventKind[]): readonly EventKind[] {
  return events.filter((event) => !contractOf(event).allowedScopes.includes(scope));
}

/** `user` and `group` are demanded with their scopes, as every shown use sends them (A10). */
function requestOf<Kind extends EventKind>(kinds: readonly Kind[]) {
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
      const complain = (parameter: string, message: string) =>
        issues.push({ code: 'custom', path: [parameter], message, input: value });
      const refused = eventsRefusedBy(value.scope, value.events);
      if (refused.length > 0)
        complain('events', `not for scope ${value.scope}, subscribe to them apart: ${refused.join(', ')}`);
      if (value.scope === 'user' && value.user === undefined) complain('user', 'required for scope user');
      if (value.scope === 'group' && value.group === undefined) complain('group', 'required for scope group');
    });
}

/** The specification's request: `event_type.*` is in its scope table but not in this enum. */
export const subscriptionRequest = requestOf(requestEventKinds);

/** The request as the public service takes it today (A6c): `event_type.*` too. */
export const subscriptionRequestWithEventTypes = requestOf(Object.keys(eventKinds) as EventKind[]);

export type SubscriptionRequest = z.output<typeof subscriptionRequestWithEventTypes>;
