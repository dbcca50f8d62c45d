// How long the client goes on retrying one call, depending on who waits for the result.
import { httpRetryDelayMs, requestedDelayMs } from '#src/base/retry-after.ts';
import type { Attempt } from './send-once.ts';

/**
 * How long one kind of failure may last, from the first attempt in a row that met it, before the call fails. When both kinds
 * alternate, their sum limits the call.
 */
export interface RetryBudget {
  /** While the service fails or cannot be reached. */
  readonly failuresMs: number;
  /** While the service limits the rate of calls. */
  readonly limitsMs: number;
}

export const retryBudgets = {
  /** A person waits for the result. */
  short: { failuresMs: 5_000, limitsMs: 5_000 },
  ordinary: { failuresMs: 60_000, limitsMs: 300_000 },
  /** Part of long work that can go on without this part: a rate limit never ends it. */
  oneOfMany: { failuresMs: 30_000, limitsMs: Infinity },
  /** Long work: it tolerates outages of several minutes, and a rate limit never ends it. */
  long: { failuresMs: 1_800_000, limitsMs: Infinity },
} as const satisfies Record<string, RetryBudget>;

export interface FailedAttempt {
  readonly attempt: Attempt;
  /** When it was sent: time spent waiting for the rate limiter is not charged to the budget. */
  readonly sentMs: number;
  readonly kind: keyof RetryBudget;
}

export interface Retries {
  /** Returns the delay before the next attempt; undefined when the budget is used up. */
  delayAfter(failed: FailedAttempt): number | undefined;
}

export function startRetries(
  needs: { readonly nowMs: () => number; readonly random: () => number },
  budget: RetryBudget,
): Retries {
  const startedMs = needs.nowMs();
  let failures = 0;
  let since: { readonly kind: keyof RetryBudget; readonly sentMs: number } | undefined;
  return {
    delayAfter({ attempt, sentMs, kind }) {
      failures += 1;
      const requestedMs = attempt.kind === 'response' ? requestedDelayMs(attempt, needs.nowMs()) : undefined;
      const delayMs = httpRetryDelayMs({ failures, requestedMs, random: needs.random() });
      if (since?.kind !== kind) since = { kind, sentMs };
      const endMs = Math.min(since.sentMs + budget[kind], startedMs + budget.failuresMs + budget.limitsMs);
      // A delay that would end after the budget is not begun: the caller would get the same error, later.
      return Math.max(delayMs, requestedMs ?? 0) < endMs - needs.nowMs() ? delayMs : undefined;
    },
  };
}
