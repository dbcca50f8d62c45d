// A subscriber that hears the sandbox's deliveries: a callback, and a subscription to it that is simply there.
import type { EventKind } from '#schemas/events.ts';
import type { SubscriptionScope } from '#schemas/event.ts';
import type { StoredSubscription } from '#src/sandbox/world/service.ts';
import { openCallback } from './callback-server.ts';
import type { TestSandbox } from '../sandbox.ts';

export type Subscriber = Awaited<ReturnType<typeof openSubscriber>>;

interface Hearing {
  readonly events: readonly EventKind[];
  readonly scope: SubscriptionScope;
  /** Whose; the owner's when absent. */
  readonly user?: string;
}

export async function openSubscriber(sandbox: TestSandbox, { events, scope, user }: Hearing) {
  const { service, dispatcher, handles } = sandbox;
  const { state, clock } = service;
  const callback = await openCallback();
  const at = clock.tick();
  const subscription: StoredSubscription = {
    uri: `${handles.base_url}/webhook_subscriptions/${service.random.uuid()}`,
    callback_url: callback.url,
    created_at: at,
    updated_at: at,
    retry_started_at: null,
    state: 'active',
    events: [...events],
    scope,
    organization: handles.organization,
    user: scope === 'user' ? (user ?? handles.users.owner) : null,
    group: scope === 'group' ? handles.group : null,
    creator: handles.users.owner,
    signingKey: null,
  };
  state.subscriptions.put(subscription);
  return {
    /** Every body so far, once nothing is under way. */
    async heard() {
      await dispatcher.settled();
      return callback.received.map(({ body }) => body);
    },
    async [Symbol.asyncDispose]() {
      state.subscriptions.delete(subscription.uri);
      await callback[Symbol.asyncDispose]();
    },
  };
}
