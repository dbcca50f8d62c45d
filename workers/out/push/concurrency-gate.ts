// A semaphore with a pause: at most so many sends at a time, in order of arrival, and none while the gate is held.
import { sleepUnlessAborted } from '#src/base/time.ts';

export interface ConcurrencyGate {
  /** Runs `work` when a slot is free. After an abort it runs at once and must check for that itself. */
  take<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Starts no work for this long. */
  hold(ms: number): void;
  isHeld(): boolean;
}

export function createConcurrencyGate(most: number, over: AbortSignal): ConcurrencyGate {
  const waiting: (() => void)[] = [];
  let free = most;
  let heldUntil = 0;

  async function enter(): Promise<void> {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    for (let left = heldUntil - performance.now(); left > 0 && !over.aborted; left = heldUntil - performance.now())
      await sleepUnlessAborted(left, over);
  }
  function leave(): void {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  }
  return {
    async take(work) {
      await enter();
      try {
        return await work();
      } finally {
        leave();
      }
    },
    isHeld: () => heldUntil > performance.now(),
    hold: (ms) => void (heldUntil = Math.max(heldUntil, performance.now() + ms)),
  };
}
