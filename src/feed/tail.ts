// The growing end of the log: whoever has read to it waits here. A process that commits pokes it; other processes commit too,
// so it looks by itself as well, as long as somebody waits.
import { sleepUnlessAborted } from '#src/base/time.ts';

export interface Tail {
  /** Resolves when the log has grown beyond this place, or when either the wait or the tail is over. */
  beyond(seq: number, signal: AbortSignal): Promise<void>;
  /** This process has committed. */
  poke(): void;
  /** Aborted when the tail closes: streams end with it. */
  readonly closing: AbortSignal;
  close(): void;
}

export interface TailNeeds {
  lastSeq(): Promise<number>;
  /** How often to look for what other processes have committed. */
  readonly everyMs?: number;
}

interface Waiter {
  readonly beyond: number;
  resolve(): void;
}

export function openTail({ lastSeq, everyMs = 50 }: TailNeeds): Tail {
  const closed = new AbortController();
  const waiters = new Set<Waiter>();
  let poked = new AbortController();
  let looking: Promise<void> | undefined;

  async function look(): Promise<void> {
    while (waiters.size > 0 && !closed.signal.aborted) {
      poked = new AbortController();
      // A store that does not answer is asked again; whoever reads from it hears of it there.
      const last = await lastSeq().catch(() => -1);
      for (const waiter of waiters) if (last > waiter.beyond) waiter.resolve();
      if (waiters.size > 0) await sleepUnlessAborted(everyMs, poked.signal);
    }
    looking = undefined;
  }

  return {
    closing: closed.signal,
    beyond(seq, signal) {
      if (signal.aborted || closed.signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const waiter: Waiter = {
          beyond: seq,
          resolve() {
            waiters.delete(waiter);
            signal.removeEventListener('abort', waiter.resolve);
            closed.signal.removeEventListener('abort', waiter.resolve);
            resolve();
          },
        };
        signal.addEventListener('abort', waiter.resolve, { once: true });
        closed.signal.addEventListener('abort', waiter.resolve, { once: true });
        waiters.add(waiter);
        looking ??= look();
      });
    },
    poke: () => poked.abort(),
    close: () => {
      closed.abort();
      poked.abort();
    },
  };
}
