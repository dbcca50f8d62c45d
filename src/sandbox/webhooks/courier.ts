// Carries facts to the subscriptions they concern: signs, sends, retries, and gives up on a subscription in the end.
import type { Fact, Service } from '../world/service.ts';
import type { StoredSubscription } from '../world/state.ts';
import type { FaultBox } from './faults.ts';

/** One attempt to deliver, as it went. */
export interface Attempt {
  readonly subscription: string;
  readonly event: string;
  /** Counts from 1 for each message. */
  readonly attempt: number;
  readonly at: string;
  readonly url: string;
  /** The answer's status; null when there was none. */
  readonly status: number | null;
  readonly error?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Courier extends AsyncDisposable {
  /** Takes a fact for every active subscription it concerns. Never waits. */
  carry(fact: Fact): void;
  readonly attempts: readonly Attempt[];
  /** Messages not yet delivered, given up or dropped: those being sent and those waiting for a retry. */
  readonly pending: number;
  /** Resolves when nothing is being sent or held back. Retries that wait for a later time do not count. */
  settled(): Promise<void>;
}

export interface CourierNeeds {
  readonly service: Service;
  readonly faults: FaultBox;
  /** The real clock, in milliseconds: signatures stay on it. */
  realMs(): number;
}

export function createCourier({ service }: CourierNeeds): Courier {
  const attempts: Attempt[] = [];
  const sending = new Set<Promise<void>>();
  async function send(subscription: StoredSubscription, fact: Fact): Promise<void> {
    const { event, at: created_at, payload } = fact;
    const body = JSON.stringify({ event, created_at, created_by: subscription.creator, payload });
    const url = subscription.callback_url;
    const status = await fetch(url, { method: 'POST', body }).then(
      (answer) => answer.status,
      () => null,
    );
    attempts.push({
      subscription: subscription.uri,
      event,
      attempt: 1,
      at: service.clock.tick(),
      url,
      status,
      headers: {},
      body,
    });
  }
  return {
    carry(fact) {
      for (const subscription of service.state.subscriptions.of('organization', fact.organization)) {
        if (!subscription.events.includes(fact.event)) continue;
        const sent = send(subscription, fact).finally(() => sending.delete(sent));
        sending.add(sent);
      }
    },
    attempts,
    get pending() {
      return sending.size;
    },
    settled: async () => void (await Promise.all(sending)),
    [Symbol.asyncDispose]: async () => void (await Promise.all(sending)),
  };
}
