// Lets readers wait at the end of the log. A commit of this process wakes them at once, or under a steady load with the next poll: each
// reader then reads several commits together. For commits of other processes the tail polls the store, as long as a reader waits.
import { sleepUnlessAborted, sleepUntilNext } from '#src/base/time.ts';

export interface Tail {
  /** Resolves when the log has grown beyond this position, or when `signal` aborts or the tail closes. */
  beyond(seq: number, signal: AbortSignal): Promise<void>;
  /** Announces a commit of this process. */
  poke(): void;
  /** Aborts when the tail closes, which ends the streams. */
  readonly closing: AbortSignal;
  close(): void;
}

export interface TailNeeds {
  lastSeq(): Promise<number>;
  /** How often to poll for commits of other processes; less often while the log does not grow. */
  readonly everyMs?: number;
}

const idleAfterMs = 2_000;
const idleFactor = 10;

interface Waiter {
  readonly beyond: number;
  resolve(): void;
}

export function openTail({ lastSeq, everyMs = 50 }: TailNeeds): Tail {
  const closed = new AbortController();
  const waiters = new Set<Waiter>();
  let poked = new AbortController();
  let polling: Promise<void> | undefined;
  let polledMs = Number.NEGATIVE_INFINITY;
  let grown = { seq: 0, atMs: 0 };

  async function poll(): Promise<void> {
    while (waiters.size > 0 && !closed.signal.aborted) {
      const pauseMs = polledMs + everyMs - performance.now();
      if (pauseMs > 0) await sleepUnlessAborted(pauseMs, closed.signal);
      poked = new AbortController();
      polledMs = performance.now();
      // A store that does not answer is asked again; the reader gets the error from its own query.
      const last = await lastSeq().catch(() => -1);
      if (last > grown.seq) grown = { seq: last, atMs: performance.now() };
      for (const waiter of waiters) if (last > waiter.beyond) waiter.resolve();
      const isIdle = performance.now() - grown.atMs > idleAfterMs;
      if (waiters.size > 0)
        await (isIdle ? sleepUntilNext(everyMs * idleFactor, poked.signal) : sleepUnlessAborted(everyMs, poked.signal));
    }
    polling = undefined;
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
        polling ??= poll();
      });
    },
    poke: () => poked.abort(),
    close: () => {
      closed.abort();
      poked.abort();
    },
  };
}
