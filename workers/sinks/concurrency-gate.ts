// Who may send now: so many at a time, first come first served, and nobody while all have to wait.
import { sleepUnlessAborted } from '#src/base/time.ts';

export interface Turns {
  /** Runs `work` when it is its turn. When all is over it runs at once, and has to see that for itself. */
  take<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Nobody begins for so long. */
  hold(ms: number): void;
  isHeld(): boolean;
}

export function createTurns(most: number, over: AbortSignal): Turns {
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
