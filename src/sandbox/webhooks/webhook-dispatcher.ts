// Carries facts to the subscriptions they concern: signs, sends, retries, and gives up on a subscription in the end.
//
//   told ─▶ (held back) ─▶ lane ─▶ attempt ─▶ 2xx: delivered
//                            ▲        └─▶ anything else: waits for its retry, until the window ends or nobody subscribes
//                            └───────────────────┘
import type { Fact, Service } from '#src/sandbox/world/service.ts';
import type { StoredSubscription } from '#src/sandbox/world/state.ts';
import { endRetrying, noteFailed } from '#src/sandbox/world/subscriptions.ts';
import { createTimerQueue } from './timer-queue.ts';
import { createAttemptLog } from './attempt-log.ts';
import type { Attempt } from './attempt-log.ts';
import { drawAttemptFaults, drawMessageFaults, isSameSecond } from './delivery-faults.ts';
import type { FaultInjector } from './faults.ts';
import { createFairQueue } from './fair-queue.ts';
import { matchSubscriptions } from './match-subscriptions.ts';
import { createEnvelopes, headersFor } from './message.ts';
import type { Message } from './message.ts';
import { createPendingRetries } from './pending-retries.ts';
import { failingSince, retryOf } from './retry-schedule.ts';
import { createSender } from './sender.ts';

export interface WebhookDispatcher extends AsyncDisposable {
  /** Takes a fact for every active subscription it concerns. Never waits. */
  dispatch(fact: Fact): void;
  /** The newest attempts, in the order in which they ended. */
  readonly attempts: readonly Attempt[];
  /** All attempts there ever were. */
  readonly total: number;
  /** Messages not yet delivered, given up or dropped: those being sent and those waiting for a retry. */
  readonly pending: number;
  /** When the next message that is held back or waits for a retry is due; infinitely late when there is none. */
  readonly nextMs: number;
  /** Resolves when nothing is being sent. What is held back or waits for a retry does not count. */
  idle(): Promise<void>;
  /** Resolves when what came to be sent while `act` ran has been attempted, whatever else is being sent. */
  attempted(act: () => void): Promise<void>;
  /** Resolves when nothing is being sent or held back. Retries that wait for a later time do not count. */
  settled(): Promise<void>;
}

export interface WebhookDispatcherNeeds {
  readonly service: Service;
  readonly faults: FaultInjector;
  /** The real clock, in milliseconds: signatures stay on it. */
  realMs(): number;
}

const mostPerSubscription = 64;
const mostInAll = 256;
/** Beyond this a new message is not taken: a subscriber that never answers must not fill the memory. */
const mostPending = 100_000;
const pruneEvery = 1000;

export function createWebhookDispatcher({ service, faults, realMs }: WebhookDispatcherNeeds): WebhookDispatcher {
  const { state, clock } = service;
  const log = createAttemptLog();
  const sender = createSender();
  const waiters = createWaiters();
  const lanes = createFairQueue<Message>({
    mostPerLane: mostPerSubscription,
    mostInAll,
    run: attempt,
    onEnd: waiters.look,
  });
  const toLane = (message: Message): void => lanes.add(message.subscription, message);
  const held = createTimerQueue(clock, toLane);
  const retries = createTimerQueue(clock, toLane);
  const retrying = createPendingRetries();
  let facts = 0;
  let messages = 0;
  let isClosed = false;

  const isActive = (uri: string): boolean => state.subscriptions.get(uri)?.state === 'active';
  const pending = (): number => lanes.size + held.size + retries.size;

  /** Forgets what waits for subscriptions that are gone or disabled. */
  function prune(): void {
    lanes.clearIf((uri) => !isActive(uri));
    for (const agenda of [held, retries]) agenda.removeIf(({ subscription }) => !isActive(subscription));
    retrying.forgetIf((uri) => !isActive(uri));
    waiters.look();
  }

  function take(subscription: StoredSubscription, { event }: Fact, body: Buffer): void {
    messages += 1;
    const message: Message = { number: messages, subscription: subscription.uri, event, body, attempt: 1 };
    const { isDropped, copies, holdMs } = drawMessageFaults(faults, message.number);
    const isFull = pending() >= mostPending;
    // Looking through them all takes its time, so it is not done for each.
    if (isFull && messages % pruneEvery === 0) prune();
    const obstacle = isDropped ? 'dropped' : isFull ? 'too many deliveries wait' : undefined;
    if (obstacle !== undefined) return note(message, subscription, { status: null, error: obstacle });
    for (let copy = 0; copy < copies; copy += 1)
      if (holdMs > 0) held.add(clock.nowMs() + holdMs, message);
      else toLane(message);
  }

  function note(
    { event, attempt, body, subscription }: Message,
    { callback_url: url }: StoredSubscription,
    { at = clock.tick(), headers = {}, ...outcome }: Pick<Attempt, 'status' | 'error'> & Partial<Attempt>,
  ): void {
    log.add({ subscription, event, attempt, at, url, ...outcome, headers, body });
  }

  async function attempt(message: Message): Promise<void> {
    const subscription = state.subscriptions.get(message.subscription);
    if (isClosed || subscription?.state !== 'active') return;
    const { corrupt, stale } = drawAttemptFaults(faults, message.number, message.attempt);
    const nowSeconds = Math.floor(realMs() / 1000);
    const seconds = stale ? (message.firstSeconds ?? nowSeconds) : nowSeconds;
    const at = clock.tick();
    const { body } = message;
    const headers = headersFor(subscription, body, { seconds, corrupt });
    const outcome = await sender.post({ url: subscription.callback_url, headers, body });
    if (isClosed) return;
    note(message, subscription, { ...outcome, at, headers });
    if (outcome.status !== null && outcome.status >= 200 && outcome.status < 300) delivered(message);
    else failed(message, seconds);
  }

  function delivered(message: Message): void {
    if (message.attempt > 1) retrying.end(message.subscription);
    endRetrying(service, message.subscription);
  }

  function failed(message: Message, seconds: number): void {
    const { subscription, attempt: number } = message;
    const failedAtMs = clock.nowMs();
    const failure = { failedAtMs, failingSinceMs: failingSince(message, failedAtMs) };
    if (!noteFailed(service, subscription, failure)) return prune();
    const retry = retryOf(message, failedAtMs, seconds);
    if (retry !== undefined) {
      if (number === 1) retrying.begin(subscription);
      retries.add(retry.dueMs, retry.message);
    } else if (retrying.end(subscription)) endRetrying(service, subscription);
  }

  return {
    dispatch(fact) {
      const concerned = isClosed ? [] : matchSubscriptions(state, fact);
      if (concerned.length === 0) return;
      facts += 1;
      const bodyFor = createEnvelopes(fact, isSameSecond(faults, facts));
      for (const subscription of concerned) take(subscription, fact, bodyFor(subscription.creator));
    },
    get attempts() {
      return log.kept;
    },
    get total() {
      return log.total;
    },
    get pending() {
      prune();
      return pending();
    },
    get nextMs() {
      return Math.min(held.nextMs, retries.nextMs);
    },
    attempted(act) {
      const isDone = lanes.batch(act);
      return waiters.until(() => isClosed || isDone());
    },
    idle: () => waiters.until(() => isClosed || lanes.size === 0),
    settled: () => waiters.until(() => isClosed || lanes.size + held.size === 0),
    async [Symbol.asyncDispose]() {
      isClosed = true;
      for (const part of [held, retries, sender]) part[Symbol.dispose]();
      lanes.clearIf(() => true);
      waiters.look();
    },
  };
}

interface Waiters {
  until(holds: () => boolean): Promise<void>;
  /** Lets go of those whose condition holds now. */
  look(): void;
}

function createWaiters(): Waiters {
  const waiting = new Set<() => void>();
  return {
    until: (holds) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!holds()) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    look: () => waiting.forEach((look) => look()),
  };
}
