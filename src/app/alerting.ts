// Alerts in a worker process: one process at a time watches the log and one evaluates the conditions; every process sends.
import { instantOf } from '#src/base/time.ts';
import type { Config } from '#src/config/load.ts';
import type { Tail } from '#src/feed/tail.ts';
import type { Store } from '#src/store/contract.ts';
import { configuredChannels, openChannels } from '#workers/out/alerts/channels/channels.ts';
import { conditionsJob, type EvaluationNeeds } from '#workers/out/alerts/conditions/evaluate-conditions.ts';
import { startOutboxPoller, type OutboxPoller } from '#workers/out/alerts/outbox/poll.ts';
import { unknownContactFields } from '#workers/out/alerts/rules/custom-fields.ts';
import { registerRules } from '#workers/out/alerts/rules/first-loaded.ts';
import { loadRules, type Ruleset } from '#workers/out/alerts/rules/ruleset.ts';
import { registerWatcher, watch } from '#workers/out/alerts/rules/watcher.ts';
import { summaryJob } from '#workers/out/alerts/summary/summary-job.ts';
import { unknownFormNames } from '#workers/out/alerts/submissions/form-without-booking.ts';
import type { Job } from '#workers/sync/scheduling/scheduler.ts';
import { answerLinks } from './answers.ts';
import { startJobs, takeoverLeaseMs, type JobNeeds } from './jobs.ts';
import { openSlackApp } from './slack.ts';

export interface AlertNeeds extends JobNeeds {
  readonly config: Config;
  readonly rules: Ruleset;
  readonly tail: Tail;
  readonly clock: () => number;
  readonly installation: EvaluationNeeds['installation'];
}

export type Alerts = OutboxPoller;

/** Runs first before anything is opened: a mistake in the rules file is a mistake in the configuration. */
export function rulesOf({ alerts }: Config, reportZone: string): Promise<Ruleset> {
  return loadRules({ ...alerts, configured: configuredChannels(alerts), reportZone });
}

/** Runs before the first delivery is folded, so that the watcher sees everything that follows. */
export async function registerAlerts(
  rules: Pick<Ruleset, 'bookings' | 'submissions' | 'summaries'>,
  store: Store,
  clock: () => number,
): Promise<void> {
  await registerRules(store, [...rules.bookings, ...rules.submissions, ...rules.summaries], instantOf(clock()));
  await registerWatcher({ store, nowMs: clock });
}

export async function startAlerts(needs: AlertNeeds): Promise<Alerts> {
  const { config, rules, store, log, clock: nowMs } = needs;
  await using opened = new AsyncDisposableStack();
  const unknown = [
    ...(await unknownContactFields(store, rules.bookings)),
    ...(await unknownFormNames(store, rules.submissions)),
  ];
  for (const warning of unknown) log.warn({ hint: 'Correct ALERTS_FILE; doctor checks it again.' }, warning);
  const { adminUrl, maxAgeMs, slackApp } = config.alerts;
  const reportZone = store.settings.reportTimezone;
  const answerLink = await answerLinks({ config, store });
  const messages = { store, rules: rules.byName, adminUrl, answerLink, reportZone };
  const slack = slackApp && (await openSlackApp(needs, messages, slackApp));
  if (slack) opened.defer(() => slack.close());
  const parts = { log, clock: nowMs, slackBot: slack?.bot };
  const channels = await openChannels(config.alerts, parts, rules.byName.values());
  for (const channel of channels.values()) opened.defer(() => channel.close?.());
  const outbox = { ...messages, channels, nowMs, random: Math.random, log };
  const poller = startOutboxPoller(outbox);
  opened.defer(() => poller.close());
  const onOutboxChanged = (): void => poller.wake();
  const jobs = [
    watchJob(needs, onOutboxChanged),
    conditionsJob(
      { store, nowMs, installation: needs.installation, onOutboxChanged },
      { rules: rules.conditions, maxAgeMs, watchEveryMs: config.watchEveryMs },
    ),
    ...(rules.summaries.length > 0
      ? [summaryJob({ store, nowMs, onOutboxChanged }, { rules: rules.summaries, maxAgeMs })]
      : []),
  ];
  // Leases do not use the clock of the rules, which tests move.
  const schedules = startJobs(needs, jobs, { leaseMs: takeoverLeaseMs });
  opened.defer(() => schedules.close());
  const resources = opened.move();
  return {
    wake: () => poller.wake(),
    channelStates: () => poller.channelStates(),
    close: () => resources.disposeAsync(),
  };
}

/** A job that runs for as long as its lease is held. */
function watchJob({ config, rules, store, tail, clock }: AlertNeeds, onOutboxChanged: () => void): Job {
  return {
    name: 'alerts',
    everyMs: 1_000,
    async run(signal) {
      const watched = [...rules.bookings, ...rules.submissions];
      const firstLoaded = await registerRules(store, watched, instantOf(clock()));
      const input = { rules: watched, maxAgeMs: config.alerts.maxAgeMs, firstLoaded };
      await watch({ store, tail, nowMs: clock, onOutboxChanged }, input, signal);
      return undefined;
    },
  };
}
