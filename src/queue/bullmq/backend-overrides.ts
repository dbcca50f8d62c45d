// What BullMQ's backends lack, put into those that its factories make: all that goes past BullMQ's published interface.
// Tested with bullmq 6.7.0.
// - The script that adds a job to Redis cannot be extended: https://github.com/taskforcesh/bullmq/issues/2980
// - A worker whose fetch failed fetches again at once, unless the connection failed. https://github.com/OptimalBits/bull/issues/1304
//   says so of BullMQ's predecessor; no upstream issue of BullMQ yet. It would ask for `runRetryDelay` after every failed fetch.
// - On PostgreSQL, locks are judged by the clocks of workers. No upstream issue yet; it would ask for the clock of the server.
import type { BackendFactory, IQueueBackend } from 'bullmq';
import { addStandardJob } from 'bullmq/dist/esm/scripts/addStandardJob-9.js';
import { sleepUnlessAborted } from '#src/base/time.ts';

/** BullMQ's script that adds a job. */
export const addJobScript: { readonly content: string; readonly keys: number } = addStandardJob;

const afterFailedFetchMs = 500;

/** A factory whose backends have these operations instead of their own. */
export function withOverrides<B extends IQueueBackend, C>(
  factory: BackendFactory<B, C>,
  overridesOf: (backend: B, queue: string) => Partial<IQueueBackend>,
): BackendFactory<B, C> {
  return (name, options, more) => {
    const backend = factory(name, options, more);
    for (const [operation, override] of Object.entries(overridesOf(backend, name)))
      Reflect.set(backend, operation, override);
    return backend;
  };
}

/**
 * Backs off after a failed fetch. When an engine fails at once (Redis out of memory, PostgreSQL starting up), BullMQ's worker
 * fetches again at once, thousands of times per second, and takes the CPU time that the recovery needs.
 */
export function withFetchBackoff<B extends IQueueBackend, C>(factory: BackendFactory<B, C>): BackendFactory<B, C> {
  return withOverrides(factory, (backend) => {
    const fetch = backend.moveToActive.bind(backend);
    return {
      moveToActive: async (...args) => {
        try {
          return await fetch(...args);
        } catch (error) {
          await sleepUnlessAborted(afterFailedFetchMs);
          throw error;
        }
      },
    };
  });
}
