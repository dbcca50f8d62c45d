// What BullMQ lacks when its engine is down: a connection that is made anew until it succeeds, and a pause after a failed fetch.
import type { BackendFactory, IQueueBackend } from 'bullmq';
import { sleepUnlessAborted } from '#src/base/time.ts';

interface Connectable {
  on(event: 'error', listener: (error: unknown) => void): unknown;
  waitUntilReady(): Promise<unknown>;
  close(): Promise<void>;
}

const reconnectMs = 1000;
const afterFailedFetchMs = 500;

/**
 * Resolves with a connected instance, or with undefined once `signal` aborts. BullMQ caches a failed first connection for ever, so
 * an instance that fails is closed and a new one is made.
 */
export async function connectWithRetry<T extends Connectable>(needs: {
  readonly make: () => T;
  readonly report: (error: unknown) => void;
  readonly signal: AbortSignal;
}): Promise<T | undefined> {
  const { make, report, signal } = needs;
  const aborted = new Promise<'aborted'>((resolve) => signal.addEventListener('abort', () => resolve('aborted')));
  while (!signal.aborted) {
    const made = make();
    made.on('error', report);
    try {
      if ((await Promise.race([made.waitUntilReady(), aborted])) !== 'aborted') return made;
      await made.close();
    } catch (error) {
      report(error);
      made.close().catch(report);
      await sleepUnlessAborted(reconnectMs, signal);
    }
  }
  return undefined;
}

/**
 * Backs off after a failed fetch. When an engine fails at once (Redis out of memory, PostgreSQL starting up), BullMQ's worker
 * fetches again at once, thousands of times per second, and takes the CPU time that the recovery needs.
 */
export function withFetchBackoff<B extends IQueueBackend, C>(factory: BackendFactory<B, C>): BackendFactory<B, C> {
  return (name, options, more) => {
    const backend = factory(name, options, more);
    const fetch = backend.moveToActive.bind(backend);
    backend.moveToActive = async (...args) => {
      try {
        return await fetch(...args);
      } catch (error) {
        await sleepUnlessAborted(afterFailedFetchMs);
        throw error;
      }
    };
    return backend;
  };
}
