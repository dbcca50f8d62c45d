// When a failed delivery is tried again: pauses that double, for a day (A3, A19).
import { deliveryPolicy } from '#schemas/limits.ts';
import { hourMs, secondMs } from '#src/sandbox/clock.ts';
import type { Message } from './message.ts';

const firstPauseMs = 5 * secondMs;
const longestPauseMs = hourMs;

const retryWindowMs = deliveryPolicy.retryHours * hourMs;

/** The pause after the attempt of this number. */
const pauseAfterMs = (attempt: number): number => Math.min(firstPauseMs * 2 ** (attempt - 1), longestPauseMs);

/** When this message first failed, if it failed now. */
export const failingSince = ({ failingSinceMs }: Message, failedAtMs: number): number => failingSinceMs ?? failedAtMs;

export interface Retry {
  readonly dueMs: number;
  readonly message: Message;
}

/**
 * The next attempt of a message that just failed; none once it has been failing for the whole window. The last one falls on
 * the end of the window, so that a subscription nobody answers for is disabled then and not up to an hour later.
 */
export function retryOf(message: Message, failedAtMs: number, seconds: number): Retry | undefined {
  const { attempt, firstSeconds = seconds } = message;
  const failingSinceMs = failingSince(message, failedAtMs);
  const endMs = failingSinceMs + retryWindowMs;
  if (failedAtMs >= endMs) return undefined;
  const dueMs = Math.min(failedAtMs + pauseAfterMs(attempt), endMs);
  return { dueMs, message: { ...message, attempt: attempt + 1, failingSinceMs, firstSeconds } };
}
