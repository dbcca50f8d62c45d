// What a process that works does besides folding deliveries. Each part is loaded where it is wanted: most processes are spared most.
import type { Config } from '#src/config/load.ts';
import type { Tail } from '#src/feed/tail.ts';
import type { Log } from '#src/observability/log.ts';
import type { Metrics } from '#src/observability/metrics/registry.ts';
import type { Spool } from '#src/receiver/spool/spool.ts';
import { countAlerts } from '#src/store/alerts/alert-queries.ts';
import type { Store } from '#src/store/contract.ts';
import type { Alerts } from './alerting.ts';
import type { Sinks } from './sink-pumps.ts';

export interface BackgroundNeeds {
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly tail: Tail;
  readonly opened: AsyncDisposableStack;
}

/** Loaded where they run: a process that cannot call the service is spared the client and all that stands on it. */
export async function openSchedules({ config, log, metrics, opened }: BackgroundNeeds, store: Store): Promise<void> {
  if (config.retentionDays !== undefined) {
    const { startRetention } = await import('./retention-schedule.ts');
    const retention = startRetention({ store, log }, { days: config.retentionDays });
    opened.defer(() => retention.close());
  }
  if (config.api.baseUrl === undefined || (config.api.token === undefined && config.api.oauth === undefined)) {
    log.info('no API settings: what the service does not deliver is not found (see `slotstream doctor`)');
    return;
  }
  const { startTimers } = await import('./sync-schedules.ts');
  const schedules = startTimers({ config, store, log, metrics });
  opened.defer(() => schedules.close());
}

export async function openSinks(
  { config, log, metrics, tail, opened }: BackgroundNeeds,
  store: Store,
): Promise<Sinks | undefined> {
  if (config.feed.pushUrl === undefined && config.feed.streamUrl === undefined) return undefined;
  const { startSinks } = await import('./sink-pumps.ts');
  const sinks = startSinks({ settings: config.feed, store, tail, log });
  opened.defer(() => sinks.close());
  metrics.watch({ sinks: () => sinks.standing() });
  return sinks;
}

/** Loads the rules now, so that mistakes in them are reported before anything starts; alerts start when everything else runs. */
export async function prepareAlerts(config: Config) {
  const { registerAlerts, rulesOf, startAlerts } = await import('./alerting.ts');
  const rules = await rulesOf(config);
  const open = async (parts: BackgroundNeeds & AlertParts, store: Store): Promise<Alerts> => {
    const { log, tail, opened, clock, metrics, spool } = parts;
    const receiver = spool && {
      spooled: () => spool.depth().deliveries,
      rejectedAsStale: () => metrics.refusals('stale_signed'),
    };
    const alerts = await startAlerts({ config, rules, store, tail, log, clock, receiver });
    opened.defer(() => alerts.close());
    metrics.watch({ alerts: () => countAlerts(store), alertChannels: async () => alerts.channelStates() });
    return alerts;
  };
  return { register: registerAlerts, open };
}

interface AlertParts {
  readonly clock: () => number;
  /** Set where this process also receives deliveries. */
  readonly spool: Pick<Spool, 'depth'> | undefined;
}
