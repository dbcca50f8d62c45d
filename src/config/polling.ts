// Whether the mirror is updated by reading the service, because the service cannot call it (D63).
import { minuteMs } from '#src/base/time.ts';
import type { Config } from './load.ts';

const defaultEveryMs = 5 * minuteMs;

/**
 * How often the service is read for changes; undefined where webhooks are received. Processes that share a queue may have receivers
 * elsewhere: there, and where a signing key is set for subscriptions that others register, only POLL_EVERY starts it.
 */
export function pollPeriodMs(
  config: Pick<Config, 'api' | 'publicUrl' | 'signing' | 'queueUrl' | 'pollEveryMs'>,
): number | undefined {
  const { api, publicUrl, signing, queueUrl, pollEveryMs } = config;
  if (publicUrl !== undefined || (api.token ?? api.oauth) === undefined) return undefined;
  const canReceive = signing.keys !== undefined || signing.allowUnsigned || !queueUrl.startsWith('embedded:');
  return pollEveryMs ?? (canReceive ? undefined : defaultEveryMs);
}
