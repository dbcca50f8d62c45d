// Writes rejected requests and new sessions to the log and the metrics, with the address of the socket: behind a proxy, the proxy's.
import { throttled, type Log } from '#src/observability/log.ts';
import type { Metrics } from '#src/observability/metrics/registry.ts';
import type { AuthNeeds } from './auth.ts';

/** One log line per minute, however many tokens an attacker guesses. */
const logIntervalMs = 60_000;

/** `/api/deliveries` of `/api/deliveries/7/replay`: the rest is what the caller likes, and may be about a person. */
export const startOf = (path: string): string => /^(?:\/[a-z_]{1,30}(?=\/|$)){0,2}/.exec(path)?.[0] ?? '';

export function createAccessLog(
  log: Log,
  metrics: Pick<Metrics, 'adminRefused'>,
): Pick<AuthNeeds, 'refused' | 'loggedIn'> {
  const write = throttled(log, logIntervalMs);
  return {
    refused(cause, { method, path, address }) {
      metrics.adminRefused(cause);
      // Its caller has a token, so these are not guesses: each one is logged.
      if (cause === 'read_only')
        log.warn({ method, path: startOf(path), address }, 'a change with the read-only token was refused');
      else if (cause !== 'unauthenticated') write('warn', 'the admin listener rejected a request', { cause, address });
    },
    loggedIn: ({ address }) => log.info({ address }, 'a browser logged in to the admin listener'),
  };
}
