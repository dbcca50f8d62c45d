// The background jobs of a worker process. Each part is imported only where the configuration asks for it, so that a process
// does not load the API client, the sinks or the alerts for nothing.
import type { DiskSpace } from '#src/base/disk-space.ts';
import type { Config } from '#src/config/load.ts';
import type { Tail } from '#src/feed/tail.ts';
import type { Metrics } from '#src/observability/metrics/registry.ts';
import { countAlerts } from '#src/store/alerts/alert-queries.ts';
import type { Store } from '#src/store/contract.ts';
import type { AlertNeeds, Alerts } from './alerting.ts';
import { startJobs, type JobNeeds } from './jobs.ts';
import type { Sinks } from './sink-pumps.ts';

export interface BackgroundNeeds extends JobNeeds {
  readonly config: Config;
  readonly metrics: Metrics;
  readonly tail: Tail;
  readonly disks: DiskSpace;
  readonly opened: AsyncDisposableStack;
}

/** Prunes old content from the log; needs the store alone, so it also runs where the service cannot be called. */
export async function openRetention({ opened, ...needs }: BackgroundNeeds): Promise<void> {
  const { retentionJob } = await import('#workers/fold/retention/retention-job.ts');
  const { sleepUnlessAborted } = await import('#src/base/time.ts');
  const timing = { store: needs.store, sleep: sleepUnlessAborted, nowMs: needs.nowMs };
  const schedules = startJobs(needs, [retentionJob(timing)]);
  opened.defer(() => schedules.close());
}

export const canCallService = ({ api: { token, oauth } }: Pick<Config, 'api'>): boolean =>
  token !== undefined || oauth !== undefined;

/** Compares the mirror with the service and watches the webhook subscriptions. */
export async function openSyncJobs({ opened, ...needs }: BackgroundNeeds): Promise<void> {
  if (!canCallService(needs.config)) {
    needs.log.info('API_TOKEN is not set: missed webhooks cannot be repaired');
    return;
  }
  const { startSyncJobs } = await import('./sync-jobs.ts');
  const schedules = startSyncJobs(needs);
  opened.defer(() => schedules.close());
}

/** Loads what takes time before the process answers: a client for Kafka alone takes more than half a second. */
export async function prepareBackground(config: Config) {
  return { alerts: await prepareAlerts(config), openSinks: await prepareSinks(config) };
}

/** Returns the function that begins to push the feed to the configured sinks; undefined when there are none. */
async function prepareSinks(config: Config) {
  const { pushUrl, streamUrl, nats, kafka } = config.feed;
  if ([pushUrl, streamUrl, nats, kafka].every((sink) => sink === undefined)) return undefined;
  const { startSinks } = await import('./sink-pumps.ts');
  const { loadClients } = await import('./sinks.ts');
  await loadClients(config.feed);
  return ({ metrics, opened, ...needs }: BackgroundNeeds): Sinks => {
    const sinks = startSinks({ ...needs, settings: config.feed });
    opened.defer(() => sinks.close());
    metrics.watch({ sinks: () => sinks.status() });
    return sinks;
  };
}

export interface RunningAlerts extends Pick<Alerts, 'channelStates'> {
  /** Reads the rules again; those of before stay where they have a mistake. */
  restart(): Promise<void>;
}

/** Loads the alert rules now, so that a mistake in them stops the process before it opens anything. */
async function prepareAlerts(config: Config) {
  const { registerAlerts, rulesOf, startAlerts } = await import('./alerting.ts');
  await rulesOf(config, 'UTC');
  const rulesFor = ({ settings }: Store) => rulesOf(config, settings.reportTimezone);
  const open = async (parts: BackgroundNeeds & Pick<AlertNeeds, 'clock' | 'installation'>): Promise<RunningAlerts> => {
    const { opened, metrics, store } = parts;
    let alerts = await startAlerts({ ...parts, rules: await rulesFor(store) });
    opened.defer(() => alerts.close());
    metrics.watch({ alerts: () => countAlerts(store), alertChannels: async () => alerts.channelStates() });
    return {
      channelStates: () => alerts.channelStates(),
      async restart() {
        const rules = await rulesFor(store);
        await alerts.close();
        alerts = await startAlerts({ ...parts, rules });
      },
    };
  };
  const register = async (store: Store, clock: () => number): Promise<void> =>
    registerAlerts(await rulesFor(store), store, clock);
  return { register, open };
}
