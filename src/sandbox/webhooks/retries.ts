// When a failed delivery is retried, with exponential back-off for a day (A3, A19), and which subscriptions have retries pending.
import { deliveryPolicy } from '#schemas/limits.ts';
import { hourMs, secondMs } from '#src/sandbox/clock.ts';
import type { Message } from './message.ts';

const firstDelayMs = 5 * secondMs;
const longestDelayMs = hourMs;
const retryWindowMs = deliveryPolicy.retryHours * hourMs;

const delayAfterMs = (attempt: number): number => Math.min(firstDelayMs * 2 ** (attempt - 1), longestDelayMs);

/** When this message failed first, given that it failed now. */
export const failingSince = ({ failingSinceMs }: Message, failedAtMs: number): number => failingSinceMs ?? failedAtMs;

/**
 * The next attempt of a message that just failed; none once it has failed for the whole window. The last attempt falls on the
 * end of the window, so that a subscription that never responds is disabled then and not up to an hour later.
 */
export function retryOf(
  message: Message,
  failedAtMs: number,
  seconds: number,
): { dueMs: number; message: Message } | undefined {
  const { attempt, firstSeconds = seconds } = message;
  const failingSinceMs = failingSince(message, failedAtMs);
  const endMs = failingSinceMs + retryWindowMs;
  if (failedAtMs >= endMs) return undefined;
  const dueMs = Math.min(failedAtMs + delayAfterMs(attempt), endMs);
  return { dueMs, message: { ...message, attempt: attempt + 1, failingSinceMs, firstSeconds } };
}

/** Counts the messages of each subscription that are being retried. */
export function createPendingRetries() {
  const messages = new Map<string, number>();
  return {
    /** A message of this subscription failed for the first time. */
    begin: (subscription: string) => void messages.set(subscription, (messages.get(subscription) ?? 0) + 1),
    /** A message was delivered or given up. Returns whether it was the last. */
    end(subscription: string): boolean {
      const left = (messages.get(subscription) ?? 0) - 1;
      if (left > 0) messages.set(subscription, left);
      else messages.delete(subscription);
      return left <= 0;
    },
    dropIf(test: (subscription: string) => boolean): void {
      for (const subscription of messages.keys()) if (test(subscription)) messages.delete(subscription);
    },
  };
}
