// Alerts in a process that works: the watcher finds out what to say and the conditions do, each in one process at a time; what is
// due leaves from all of them.
import { randomUUID } from 'node:crypto';
import { sleepUnlessAborted } from '#src/base/time.ts';
import { configuredChannels, openChannels } from '#workers/alerts/channels/channels.ts';
import { conditionsJob } from '#workers/alerts/conditions/evaluate-conditions.ts';
import { loadRules, type Ruleset } from '#workers/alerts/rules/ruleset.ts';
import { startSelfWatch, type SelfNeeds } from '#workers/alerts/conditions/process-heartbeat.ts';
import { startSending, type Sending } from '#workers/alerts/outbox/send-service.ts';
import { placeWatcher, watch } from '#workers/alerts/rules/watcher.ts';
import { startSchedules, type Job } from '#workers/scheduling/scheduler.ts';
import type { Config } from '#src/config/load.ts';
import type { Tail } from '#src/feed/tail.ts';
import type { Log } from '#src/observability/log.ts';
import type { DeliveryQueue } from '#src/queue/contract.ts';
import type { Store } from '#src/store/contract.ts';

export interface AlertNeeds {
  readonly config: Config;
  readonly rules: Ruleset;
  readonly store: Store;
  readonly queue: Pick<DeliveryQueue, 'openSends'>;
  readonly tail: Tail;
  readonly log: Log;
  readonly clock: () => number;
  /** What this process knows of itself where it receives too. */
  readonly receiver: Pick<SelfNeeds, 'spooled' | 'refusedAsStale'> | undefined;
}

export interface Alerts extends Pick<Sending, 'poke' | 'standing'> {
  close(): Promise<void>;
}

/** Before anything is opened: a mistake in the file is a mistake in the configuration. */
export function rulesOf({ alerts }: Config): Promise<Ruleset> {
  return loadRules({ file: alerts.file, graceMs: alerts.graceMs, configured: configuredChannels(alerts) });
}

/** Before the first delivery is folded: whatever comes from here on is watched. */
export async function placeAlerts(store: Store, clock: () => number): Promise<void> {
  await placeWatcher({ store, nowMs: clock });
}

/** Short: whoever dies is followed soon. */
const leaseMs = 15_000;

export async function startAlerts(needs: AlertNeeds): Promise<Alerts> {
  const { config, rules, store, queue, log, clock: nowMs } = needs;
  await using opened = new AsyncDisposableStack();
  const channels = await openChannels(config.alerts, { log, clock: nowMs });
  for (const channel of channels.values()) opened.defer(() => channel.close?.());
  const sends = await queue.openSends();
  const { dashboardUrl } = config.alerts;
  const sending = startSending({ store, sends, rules, channels, dashboardUrl, nowMs, random: Math.random, log });
  opened.defer(() => sending.close());
  const { maxAgeMs } = config.alerts;
  const jobs = [
    watchJob(needs, () => sending.poke()),
    conditionsJob(
      { store, nowMs, onSettled: () => sending.poke() },
      { rules: rules.conditions, maxAgeMs, watchEveryMs: config.watchEveryMs },
    ),
  ];
  // Leases are kept by the real clock, whatever the rules are told.
  const lease = { store, nowMs: Date.now, holder: randomUUID(), leaseMs };
  const schedules = startSchedules({ ...lease, log, sleep: sleepUnlessAborted, random: Math.random }, jobs);
  opened.defer(() => schedules.close());
  const self = needs.receiver && startSelfWatch({ ...needs.receiver, store, nowMs, holder: lease.holder });
  opened.defer(() => self?.close());
  const resources = opened.move();
  return {
    poke: () => sending.poke(),
    standing: () => sending.standing(),
    close: () => resources.disposeAsync(),
  };
}

/** A job that goes on for as long as its lease is kept. */
function watchJob({ config, rules, store, tail, clock }: AlertNeeds, onSettled: () => void): Job {
  return {
    name: 'alerts',
    everyMs: 1_000,
    async run(signal) {
      const input = { rules: rules.bookings, maxAgeMs: config.alerts.maxAgeMs };
      await watch({ store, tail, nowMs: clock, onSettled }, input, signal);
      return undefined;
    },
  };
}
