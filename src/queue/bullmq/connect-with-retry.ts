// BullMQ remembers a failed first connection for ever, so one that fails is thrown away and made again.

import { sleepUnlessAborted } from '#src/base/time.ts';

interface Connectable {
  on(event: 'error', listener: (error: unknown) => void): unknown;
  waitUntilReady(): Promise<unknown>;
  close(): Promise<void>;
}

const againMs = 1000;

/** Resolves with one that is connected, or with undefined once `signal` is aborted. */
export async function untilReady<T extends Connectable>(needs: {
  readonly make: () => T;
  readonly tell: (error: unknown) => void;
  readonly signal: AbortSignal;
}): Promise<T | undefined> {
  const { make, tell, signal } = needs;
  const aborted = new Promise<'aborted'>((resolve) => signal.addEventListener('abort', () => resolve('aborted')));
  while (!signal.aborted) {
    const made = make();
    made.on('error', tell);
    try {
      if ((await Promise.race([made.waitUntilReady(), aborted])) !== 'aborted') return made;
      await made.close();
    } catch (error) {
      tell(error);
      made.close().catch(tell);
      await sleepUnlessAborted(againMs, signal);
    }
  }
  return undefined;
}
