// A breath between failed fetches. When an engine refuses at once (Redis out of memory, PostgreSQL starting up), BullMQ's
// worker asks again at once, thousands of times a second, and burns the core that the recovery needs.

import { setTimeout as sleep } from 'node:timers/promises';
import type { BackendFactory, IQueueBackend } from 'bullmq';

const breathMs = 500;

export function calm<B extends IQueueBackend, C>(factory: BackendFactory<B, C>): BackendFactory<B, C> {
  return (name, options, more) => {
    const backend = factory(name, options, more);
    const fetch = backend.moveToActive.bind(backend);
    backend.moveToActive = async (...args) => {
      try {
        return await fetch(...args);
      } catch (error) {
        await sleep(breathMs);
        throw error;
      }
    };
    return backend;
  };
}
