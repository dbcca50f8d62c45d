// Who came to the admin listener and who was turned away, for whoever looks at the log and the metrics later.
import { throttled, type Log } from '#src/observability/log.ts';
import type { Metrics } from '#src/observability/metrics/registry.ts';
import type { GuardNeeds } from './auth.ts';

export interface WatchmanNeeds {
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'adminRefused'>;
}

/** Guessers get a line a minute, however fast they are. */
const quietMs = 60_000;

export function createWatchman({ log, metrics }: WatchmanNeeds): Pick<GuardNeeds, 'refused' | 'loggedIn'> {
  const say = throttled(log, quietMs);
  return {
    refused(cause) {
      metrics.adminRefused(cause);
      if (cause !== 'unauthenticated') say('warn', 'the admin listener turned somebody away', { cause });
    },
    loggedIn: () => log.info('a browser logged in to the admin listener'),
  };
}
