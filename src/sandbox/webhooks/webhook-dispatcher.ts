// Delivers facts to the subscriptions they concern: signs, sends, retries, and disables a subscription that keeps failing.
//
//   dispatch ─▶ (delayed) ─▶ queue ─▶ attempt ─▶ 2xx: delivered
//                              ▲         └─▶ otherwise: retried later, until the window ends or the subscription is inactive
//                              └───────────────────┘
import type { Fact, Service, StoredSubscription } from '#src/sandbox/world/service.ts';
import { endRetrying, matchSubscriptions, recordFailure } from '#src/sandbox/world/subscriptions.ts';
import { createAttemptLog, type Attempt } from './attempt-log.ts';
import { createFairQueue } from './fair-queue.ts';
import { drawAttemptFaults, drawMessageFaults, isSameSecond, type FaultInjector } from './faults.ts';
import { createEnvelopes, headersFor, createPendingRetries, failingSince, retryOf, type Message } from './message.ts';
import { createSender } from './sender.ts';
import { createTimerQueue } from './timer-queue.ts';

export type WebhookDispatcher = ReturnType<typeof createWebhookDispatcher>;

export interface WebhookDispatcherNeeds {
  readonly service: Service;
  readonly faults: FaultInjector;
  /** The real clock, in milliseconds: signatures use it. */
  realMs(): number;
}

const mostPerSubscription = 64;
const mostInAll = 256;
/** Further messages are refused: a subscriber that never responds must not exhaust the memory. */
const mostPending = 100_000;
/** Pruning looks at all messages, so it is not done for each new one. */
const pruneEvery = 1000;

export function createWebhookDispatcher({ service, faults, realMs }: WebhookDispatcherNeeds) {
  const { state, clock } = service;
  const log = createAttemptLog();
  const sender = createSender();
  const waiters = createWaiters();
  const queue = createFairQueue<Message>({
    mostPerKey: mostPerSubscription,
    mostInAll,
    run: attempt,
    onEnd: waiters.check,
  });
  const enqueue = (message: Message): void => queue.add(message.subscription, message);
  const delayed = createTimerQueue(clock, enqueue);
  const retries = createTimerQueue(clock, enqueue);
  const pendingRetries = createPendingRetries();
  let facts = 0;
  let messages = 0;
  let isClosed = false;

  const isActive = (uri: string): boolean => state.subscriptions.get(uri)?.state === 'active';
  const pending = (): number => queue.size + delayed.size + retries.size;

  function prune(): void {
    queue.dropIf((uri) => !isActive(uri));
    for (const timers of [delayed, retries]) timers.removeIf(({ subscription }) => !isActive(subscription));
    pendingRetries.dropIf((uri) => !isActive(uri));
    waiters.check();
  }

  function accept(subscription: StoredSubscription, { event }: Fact, body: Buffer): void {
    messages += 1;
    const message: Message = { number: messages, subscription: subscription.uri, event, body, attempt: 1 };
    const { isDropped, copies, delayMs } = drawMessageFaults(faults, message.number);
    const isFull = pending() >= mostPending;
    if (isFull && messages % pruneEvery === 0) prune();
    const error = isDropped ? 'dropped' : isFull ? 'too many deliveries are pending' : undefined;
    if (error !== undefined)
      return record(message, { url: subscription.callback_url, at: clock.tick(), headers: {}, status: null, error });
    for (let copy = 0; copy < copies; copy += 1)
      if (delayMs > 0) delayed.add(clock.nowMs() + delayMs, message);
      else enqueue(message);
  }

  function record(message: Message, result: Pick<Attempt, 'url' | 'at' | 'headers' | 'status' | 'error'>): void {
    const { event, attempt: number, body, subscription } = message;
    log.add({ subscription, event, attempt: number, body, ...result });
  }

  async function attempt(message: Message): Promise<void> {
    const subscription = state.subscriptions.get(message.subscription);
    if (isClosed || subscription?.state !== 'active') return;
    const { corrupt, stale } = drawAttemptFaults(faults, message.number, message.attempt);
    const nowSeconds = Math.floor(realMs() / 1000);
    const seconds = stale ? (message.firstSeconds ?? nowSeconds) : nowSeconds;
    const at = clock.tick();
    const { callback_url: url } = subscription;
    const headers = headersFor(subscription, message.body, { seconds, corrupt });
    const result = await sender.post({ url, headers, body: message.body });
    if (isClosed) return;
    record(message, { url, at, headers, ...result });
    if (result.status !== null && result.status >= 200 && result.status < 300) onDelivered(message);
    else onFailed(message, seconds);
  }

  function onDelivered(message: Message): void {
    if (message.attempt > 1) pendingRetries.end(message.subscription);
    endRetrying(service, message.subscription);
  }

  function onFailed(message: Message, seconds: number): void {
    const { subscription, attempt: number } = message;
    const failedAtMs = clock.nowMs();
    const failure = { failedAtMs, failingSinceMs: failingSince(message, failedAtMs) };
    if (!recordFailure(service, subscription, failure)) return prune();
    const retry = retryOf(message, failedAtMs, seconds);
    if (retry !== undefined) {
      if (number === 1) pendingRetries.begin(subscription);
      retries.add(retry.dueMs, retry.message);
    } else if (pendingRetries.end(subscription)) endRetrying(service, subscription);
  }

  return {
    /** Queues a message for every active subscription the fact concerns. Never waits. */
    dispatch(fact: Fact): void {
      const subscriptions = isClosed ? [] : matchSubscriptions(state, fact);
      if (subscriptions.length === 0) return;
      facts += 1;
      const bodyFor = createEnvelopes(fact, isSameSecond(faults, facts));
      for (const subscription of subscriptions) accept(subscription, fact, bodyFor(subscription.creator));
    },
    get attempts(): readonly Attempt[] {
      return log.newest;
    },
    get total(): number {
      return log.total;
    },
    /** Messages not yet delivered, given up or dropped: those being sent and those waiting for a retry. */
    get pending(): number {
      prune();
      return pending();
    },
    /** When the next delayed message or retry is due; Infinity when there is none. */
    get nextMs(): number {
      return Math.min(delayed.nextMs, retries.nextMs);
    },
    /** Resolves when the messages queued while `act` ran have been attempted, whatever else is being sent. */
    attempted(act: () => void): Promise<void> {
      const isDone = queue.track(act);
      return waiters.until(() => isClosed || isDone());
    },
    /** Resolves when nothing is being sent. Delayed messages and retries do not count. */
    idle: (): Promise<void> => waiters.until(() => isClosed || queue.size === 0),
    /** Resolves when nothing is being sent or delayed. Retries that are due later do not count. */
    settled: (): Promise<void> => waiters.until(() => isClosed || queue.size + delayed.size === 0),
    async [Symbol.asyncDispose](): Promise<void> {
      isClosed = true;
      for (const part of [delayed, retries, sender]) part[Symbol.dispose]();
      queue.dropIf(() => true);
      waiters.check();
    },
  };
}

function createWaiters() {
  const waiting = new Set<() => void>();
  return {
    until: (holds: () => boolean) =>
      new Promise<void>((resolve) => {
        const check = (): void => {
          if (!holds()) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    /** Resolves the waiters whose condition holds now. */
    check: () => waiting.forEach((check) => check()),
  };
}
