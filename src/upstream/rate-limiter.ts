// The rate limiter: leaves part of the user's rate limit to the user's other tools. The service counts every call of a user and
// returns the count with each response, so all processes that stop at the same reserve share one limit, on any machine, without
// communicating.
import { longestDelayMs, type RateLimitStatus } from '#src/base/retry-after.ts';
import { throwIfAborted } from './send-once.ts';

export interface RateLimiterNeeds {
  readonly nowMs: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Called when a call has to wait; calls that wait at the same time report it each. */
  readonly onPause?: ((pause: Pause) => void) | undefined;
}

/** `rate_limit`: the limit, or our share of it, is used up. `unavailable`: the service failed or did not answer. */
export type Pause = { readonly ms: number } & (
  | { readonly why: 'rate_limit' }
  /** `problem` is a sentence. */
  | { readonly why: 'unavailable'; readonly problem: string }
);

export interface RateLimiter {
  /** Waits until a call fits. Call the returned function exactly once, with the status from the response (undefined: no response). */
  acquire(signal?: AbortSignal): Promise<(status: RateLimitStatus | undefined) => void>;
}

interface Window {
  readonly limit: number;
  readonly remaining: number;
  readonly resetAtMs: number;
}

/** Responses arrive out of order and round their seconds: windows that end this close together are the same. */
const sameWindowMs = 3_000;

/**
 *   unknown ──first response──▶ open ──Remaining − calls in flight ≤ reserve──▶ closed ──reset──▶ open, with the full limit
 *
 * In the unknown state calls are sent one at a time: many at once could use up the reserve before the first response.
 */
export function createRateLimiter(needs: RateLimiterNeeds, reserveShare: number): RateLimiter {
  let window: Window | undefined;
  /** Also true when the service sends no rate limit headers: then no call is held back. */
  let isKnown = false;
  let inFlight = 0;
  let wake: () => void = () => undefined;
  let changed = new Promise<void>((resolve) => (wake = resolve));

  const isOver = ({ resetAtMs }: Window): boolean => needs.nowMs() >= resetAtMs;
  const renewed = (over: Window): Window => ({ ...over, remaining: over.limit, resetAtMs: Infinity });

  function current(): Window | undefined {
    if (window !== undefined && isOver(window)) window = renewed(window);
    return window;
  }

  /** Renews the window after the sleep, whatever the clock says: a clock that was set back must not make it sleep for ever. */
  async function sleepUntilReset(closed: Window, signal: AbortSignal | undefined): Promise<void> {
    const ms = Math.min(closed.resetAtMs - needs.nowMs(), longestDelayMs);
    needs.onPause?.({ ms, why: 'rate_limit' });
    await needs.sleep(ms, signal);
    if (window === closed) window = renewed(closed);
  }

  function isOpen(): boolean {
    if (!isKnown) return inFlight === 0;
    const now = current();
    return now === undefined || now.remaining - inFlight > Math.floor(now.limit * reserveShare);
  }

  function update({ limit, remaining, resetMs }: RateLimitStatus): void {
    // A limit of 0 would block for ever.
    if (!limit || remaining === undefined || resetMs === undefined) return;
    const resetAtMs = needs.nowMs() + Math.min(resetMs, longestDelayMs);
    const before = current();
    const isSame = before !== undefined && Math.abs(resetAtMs - before.resetAtMs) <= sameWindowMs;
    // Of two responses in one window, the one with the smaller count is later.
    window = isSame
      ? { limit, remaining: Math.min(remaining, before.remaining), resetAtMs: Math.max(resetAtMs, before.resetAtMs) }
      : { limit, remaining, resetAtMs };
  }

  function release(status: RateLimitStatus | undefined): void {
    inFlight -= 1;
    if (status !== undefined) {
      isKnown = true;
      update(status);
    }
    wake();
    changed = new Promise<void>((resolve) => (wake = resolve));
  }

  return {
    async acquire(signal) {
      while (!isOpen()) {
        const closed = current();
        // Calls in flight end by themselves and change the state; without any, only the reset can.
        if (inFlight > 0 || closed === undefined) await changed;
        else await sleepUntilReset(closed, signal);
        throwIfAborted(signal);
      }
      inFlight += 1;
      return release;
    },
  };
}
