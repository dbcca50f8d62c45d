// The life of a webhook subscription: made, failing, disabled, removed.
//
//   active ──a delivery fails──▶ active, retry_started_at set ──one fails a day, none arrives──▶ disabled (for good, A3)
//      ▲                                    │
//      └─any arrives, or the last is given up┘
import { alreadyExists } from '#schemas/errors.ts';
import { deliveryPolicy } from '#schemas/limits.ts';
import type { WebhookSubscriptionResource } from '#schemas/resources/webhook-subscription.ts';
import type { SubscriptionRequest } from '#schemas/subscription.ts';
import { hourMs, instantOf } from '#src/sandbox/clock.ts';
import { conflict } from '#src/http/http-error.ts';
import { newUri } from './service.ts';
import type { Service } from './service.ts';
import type { StoredSubscription } from './state.ts';

/** The record as the service shows it: the key can never be read back. */
export function subscriptionRecord(subscription: StoredSubscription): WebhookSubscriptionResource {
  const { signingKey: _key, ...record } = subscription;
  return record;
}

export function createSubscription(
  service: Service,
  request: SubscriptionRequest & { readonly creator: string },
): StoredSubscription {
  const { url, events, organization, scope, user, group, signing_key, creator } = request;
  if (isTaken(service, organization, url))
    throw conflict({ message: alreadyExists.message, parameter: 'url', code: 'already_exists' });
  const made = service.clock.tick();
  const subscription: StoredSubscription = {
    uri: newUri(service, 'webhook_subscriptions'),
    callback_url: url,
    created_at: made,
    updated_at: made,
    retry_started_at: null,
    state: 'active',
    events: [...new Set(events)],
    scope,
    organization,
    user: scope === 'user' ? (user ?? null) : null,
    group: scope === 'group' ? (group ?? null) : null,
    creator,
    signingKey: signing_key ?? null,
  };
  service.state.subscriptions.put(subscription);
  return subscription;
}

/** A disabled one still stands in the way: it has to be deleted first (A3). */
function isTaken({ state }: Service, organization: string, url: string): boolean {
  const { href } = new URL(url);
  return state.subscriptions
    .of('organization', organization)
    .some(({ callback_url }) => new URL(callback_url).href === href);
}

export function disableSubscription({ state, clock }: Service, subscription: StoredSubscription): StoredSubscription {
  const disabled: StoredSubscription = { ...subscription, state: 'disabled', updated_at: clock.tick() };
  state.subscriptions.put(disabled);
  return disabled;
}

/** A delivery arrived, so the subscriber is back; or nothing is left to be tried again. */
export function endRetrying({ state, clock }: Service, uri: string): void {
  const subscription = state.subscriptions.get(uri);
  if (subscription?.state !== 'active' || subscription.retry_started_at === null) return;
  state.subscriptions.put({ ...subscription, retry_started_at: null, updated_at: clock.tick() });
}

/** When a delivery failed, for the first time and now. */
export interface Failure {
  readonly failingSinceMs: number;
  readonly failedAtMs: number;
}

/** A delivery failed. Answers whether the subscription is still active. */
export function noteFailed(service: Service, uri: string, { failingSinceMs, failedAtMs }: Failure): boolean {
  const { state, clock } = service;
  const subscription = state.subscriptions.get(uri);
  if (subscription?.state !== 'active') return false;
  const { retry_started_at: startedAt } = subscription;
  if (startedAt === null)
    state.subscriptions.put({ ...subscription, retry_started_at: instantOf(failedAtMs), updated_at: clock.tick() });
  // PendingRetries that began after this delivery first failed began anew: something arrived in between.
  else if (
    failedAtMs - failingSinceMs >= deliveryPolicy.retryHours * hourMs &&
    Date.parse(startedAt) <= failingSinceMs
  ) {
    disableSubscription(service, subscription);
    return false;
  }
  return true;
}
