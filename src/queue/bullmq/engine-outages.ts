// What BullMQ lacks when its engine is down: a connection that is made anew until it succeeds.
import { sleepUnlessAborted } from '#src/base/time.ts';

interface Connectable {
  on(event: 'error', listener: (error: unknown) => void): unknown;
  waitUntilReady(): Promise<unknown>;
  close(): Promise<void>;
}

const reconnectMs = 1000;

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
