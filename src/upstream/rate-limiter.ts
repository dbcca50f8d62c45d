// The rate budget: leaves part of the user's calls to the user's other tools. The service counts every call of a user and
// tells the count with each answer, so every process that watches the header and stops at the same reserve shares one
// budget with all the others, on any machine, without talking to them.
import { longestDelayMs, type RateLimitStatus } from '#src/base/retry-after.ts';
import { stopIfAsked } from './abort.ts';

export interface BudgetNeeds {
  readonly nowMs: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

export interface Budget {
  /** Waits until a call fits; call what it gives, with what the answer told (undefined: no answer), exactly once. */
  enter(signal?: AbortSignal): Promise<(told: RateLimitStatus | undefined) => void>;
}

interface Window {
  readonly limit: number;
  readonly remaining: number;
  readonly resetAtMs: number;
}

/** Answers come out of order and round their seconds: windows that end this close together are one. */
const sameWindowMs = 3_000;

/**
 *   unknown ──first answer──▶ told ──Remaining − calls in flight ≤ reserve──▶ closed ──reset──▶ full again, till told otherwise
 * While nothing is known, one call goes alone: many at once could eat the reserve before the first answer tells of it.
 */
export function createBudget(needs: BudgetNeeds, reserveShare: number): Budget {
  let window: Window | undefined;
  /** Also when the service turned out to tell nothing: then nothing is held back. */
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

  /** Having slept is what counts: a clock that was set back meanwhile must not make us sleep for ever. */
  async function sleepTillReset(closed: Window, signal: AbortSignal | undefined): Promise<void> {
    await needs.sleep(closed.resetAtMs - needs.nowMs(), signal);
    if (window === closed) window = renewed(closed);
  }

  function isOpen(): boolean {
    if (!isKnown) return inFlight === 0;
    const now = current();
    return now === undefined || now.remaining - inFlight > Math.floor(now.limit * reserveShare);
  }

  function learn({ limit, remaining, resetMs }: RateLimitStatus): void {
    // A limit of none would be waited for without end.
    if (!limit || remaining === undefined || resetMs === undefined) return;
    const resetAtMs = needs.nowMs() + Math.min(resetMs, longestDelayMs);
    const known = current();
    const isSame = known !== undefined && Math.abs(resetAtMs - known.resetAtMs) <= sameWindowMs;
    // Of two answers of one window the smaller count is the later one.
    window = isSame
      ? { limit, remaining: Math.min(remaining, known.remaining), resetAtMs: Math.max(resetAtMs, known.resetAtMs) }
      : { limit, remaining, resetAtMs };
  }

  function leave(told: RateLimitStatus | undefined): void {
    inFlight -= 1;
    if (told !== undefined) {
      isKnown = true;
      learn(told);
    }
    wake();
    changed = new Promise<void>((resolve) => (wake = resolve));
  }

  return {
    async enter(signal) {
      while (!isOpen()) {
        const closed = current();
        // What is in flight ends by itself; only when all is quiet is the reset what there is to wait for.
        if (inFlight > 0 || closed === undefined) await changed;
        else await sleepTillReset(closed, signal);
        stopIfAsked(signal);
      }
      inFlight += 1;
      return leave;
    },
  };
}
