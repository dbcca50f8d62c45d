// What the faults make of answers: late, 429, or a server error.
import { setTimeout as wait } from 'node:timers/promises';
import { serverError } from '#src/http/http-error.ts';
import type { FaultInjector } from '#src/sandbox/webhooks/faults.ts';
import type { Meter } from './router.ts';
import type { Operation } from './operation.ts';

/** As of a limit that is used up: callers that heed the headers are to wait as long as the message says. */
const usedUp: Meter = { headers: { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '1' }, retryInSeconds: 1 };

export function createDisturbance(faults: FaultInjector): (operation: Operation) => Promise<Meter | undefined> {
  return async ({ unavailable = 500 }) => {
    const { latency_ms, rate_limit, status } = faults.current;
    // Unreferenced: a slow answer must not keep a closed sandbox alive.
    if (latency_ms !== undefined) await wait(latency_ms, undefined, { ref: false });
    if (faults.occurs(rate_limit)) return usedUp;
    if (status !== undefined && (status > 1 || faults.occurs(status)))
      throw serverError(status > 1 ? status : unavailable);
    return undefined;
  };
}
