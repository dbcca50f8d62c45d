// Webhook subscriptions: created, retrying, disabled, and matched with facts.
//
//   active ──a delivery fails──▶ active, retry_started_at set ──all fail for a day──▶ disabled (permanently, A3)
//      ▲                                    │
//      └─one is delivered, or the last is given up─┘
import { alreadyExists, alreadyExistsCode } from '#schemas/errors.ts';
import { deliveryPolicy } from '#schemas/limits.ts';
import type { WebhookSubscriptionResource } from '#schemas/resources/webhook-subscription.ts';
import type { SubscriptionRequest } from '#schemas/subscription.ts';
import { hourMs, instantOf } from '#src/sandbox/clock.ts';
import { conflict } from '#src/http/http-error.ts';
import { logActivity } from './activity-log.ts';
import { newUri, type Fact, type Service, type State, type StoredSubscription } from './service.ts';

/** The record as the API returns it: the signing key can never be read back. */
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
    throw conflict({ message: alreadyExists.message, parameter: 'url', code: alreadyExistsCode });
  const now = service.clock.tick();
  const subscription: StoredSubscription = {
    uri: newUri(service, 'webhook_subscriptions'),
    callback_url: url,
    created_at: now,
    updated_at: now,
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
  logSubscription(service, 'Create', { subscription, at: now, actor: creator });
  return subscription;
}

/** What waits for it is dropped. */
export function deleteSubscription(service: Service, subscription: StoredSubscription, actor: string): void {
  service.state.subscriptions.delete(subscription.uri);
  logSubscription(service, 'Delete', { subscription, at: service.clock.tick(), actor });
}

function logSubscription(
  service: Service,
  action: 'Create' | 'Delete',
  { subscription, ...activity }: { subscription: StoredSubscription; at: string; actor: string },
): void {
  const { organization, callback_url } = subscription;
  logActivity(service, {
    namespace: 'WebhookSubscription',
    action,
    organization,
    ...activity,
    details: { callback_url },
  });
}

/** A disabled subscription still occupies its URL: it has to be deleted first (A3). */
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

/** A delivery succeeded, or no retry is left. */
export function endRetrying({ state, clock }: Service, uri: string): void {
  const subscription = state.subscriptions.get(uri);
  if (subscription?.state !== 'active' || subscription.retry_started_at === null) return;
  state.subscriptions.put({ ...subscription, retry_started_at: null, updated_at: clock.tick() });
}

/** When a delivery failed first, and when it failed last. */
export interface Failure {
  readonly failingSinceMs: number;
  readonly failedAtMs: number;
}

/** Records a failed delivery. Returns whether the subscription is still active. */
export function recordFailure(service: Service, uri: string, { failingSinceMs, failedAtMs }: Failure): boolean {
  const { state, clock } = service;
  const subscription = state.subscriptions.get(uri);
  if (subscription?.state !== 'active') return false;
  const { retry_started_at: startedAt } = subscription;
  if (startedAt === null)
    state.subscriptions.put({ ...subscription, retry_started_at: instantOf(failedAtMs), updated_at: clock.tick() });
  // If retrying began after this delivery failed first, another delivery succeeded in between.
  else if (
    failedAtMs - failingSinceMs >= deliveryPolicy.retryHours * hourMs &&
    Date.parse(startedAt) <= failingSinceMs
  ) {
    disableSubscription(service, subscription);
    return false;
  }
  return true;
}

/** The subscriptions a fact is sent to: active ones of its organization that ask for its event and whose scope includes it. */
export function matchSubscriptions(state: State, fact: Fact): readonly StoredSubscription[] {
  return state.subscriptions
    .of('organization', fact.organization)
    .filter(
      (subscription) =>
        subscription.state === 'active' &&
        subscription.events.includes(fact.event) &&
        isInScope(state, subscription, fact),
    );
}

function isInScope({ groups }: State, { scope, user, group }: StoredSubscription, { users }: Fact): boolean {
  switch (scope) {
    case 'organization':
      return true;
    case 'user':
      return user !== null && users.includes(user);
    case 'group': {
      const members = group === null ? undefined : groups.get(group)?.members;
      return members !== undefined && users.some((one) => members.includes(one));
    }
  }
}
