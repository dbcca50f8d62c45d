// The periodic jobs that keep the mirror equal to the service: compare recent changes, compare everything in slices, read what
// changes without a webhook, restore lost webhook subscriptions, and repair what was missed while one was lost.
import { hostname } from 'node:os';
import { slotstream } from '#src/base/command.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import type { Config } from '#src/config/load.ts';
import type { Metrics } from '#src/observability/metrics/registry.ts';
import { readSubscriptions } from '#src/store/subscription-rows.ts';
import type { WatchReport } from '#src/subscriptions/watch.ts';
import type { UpstreamNeeds } from '#src/upstream/clients.ts';
import { retryBudgets } from '#src/upstream/retry-budgets.ts';
import { recordClockSkew, recordLostSubscriptions } from '#src/read/health/recorded-inputs.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import type { Job, Schedules } from '#workers/sync/scheduling/scheduler.ts';
import { readDefinitions } from '#workers/sync/definitions.ts';
import { readFollowUps } from '#workers/sync/follow-up.ts';
import { totalOf } from '#src/store/jobs/drift-counts.ts';
import { closeGap, gapRepair, openGap } from '#src/store/jobs/missed-window.ts';
import { reconcile, type ReconcileNeeds, type ReconcileReport, type Scope } from '#workers/sync/reconcile/reconcile.ts';
import { sweepSlice } from '#workers/sync/reconcile/sweep.ts';
import { openSources } from '#workers/sync/sources.ts';
import { duration } from '#src/base/number-text.ts';
import { jobPeriods, startJobs, type JobNeeds } from './jobs.ts';
import { afterFirstBackfill, pollJob } from './poll-job.ts';
import { hasSigningKey, restoreSubscriptions } from './subscription-watch.ts';

export interface SyncJobNeeds extends JobNeeds {
  readonly config: Config;
  readonly metrics: Pick<Metrics, 'subscriptions' | 'upstream'>;
}

export function startSyncJobs(needs: SyncJobNeeds): Schedules {
  const { config, log } = needs;
  const isWatching = config.publicUrl !== undefined && hasSigningKey(config);
  const { poll } = jobPeriods(config);
  if (poll !== undefined)
    log.info(`PUBLIC_URL is not set: the service is read every ${duration(poll)}, without webhooks`);
  else if (!isWatching)
    log.info('this process does not watch the subscriptions: set PUBLIC_URL and the signing key of the receivers');
  const compared = [
    compareRecentJob(needs),
    compareEverythingJob(needs),
    readDefinitionsJob(needs),
    followUpJob(needs),
    repairMissedWindowJob(needs),
  ];
  return startJobs(needs, [
    ...afterFirstBackfill(needs, compared),
    ...(poll === undefined ? [] : [changesJob(needs, poll)]),
    ...(isWatching ? [watchSubscriptionsJob(needs)] : []),
  ]);
}

function changesJob(needs: SyncJobNeeds, everyMs: number): Job {
  const { config, log } = needs;
  const readChanges = async (signal: AbortSignal) => summaryOf(await repair(needs, { kind: 'poll' }, signal));
  return pollJob({
    config,
    log,
    everyMs,
    open: (signal) => openComparison(needs, signal, { isUrgent: true }),
    readChanges,
  });
}

function compareRecentJob(needs: SyncJobNeeds): Job {
  const run = async (signal: AbortSignal) => summaryOf(await repair(needs, { kind: 'recent' }, signal));
  return { name: 'reconcile', everyMs: jobPeriods(needs.config).reconcile, run };
}

const nowOf =
  ({ nowMs }: SyncJobNeeds) =>
  (): Date =>
    new Date(nowMs());

function compareEverythingJob(needs: SyncJobNeeds): Job {
  const { sweepEveryMs } = needs.config;
  return {
    name: 'sweep',
    everyMs: jobPeriods(needs.config).sweep,
    async run(signal) {
      const { events } = needs.store.settings;
      const outcome = await sweepSlice(await openComparison(needs, signal), { everyMs: sweepEveryMs, events });
      if (outcome.kind !== 'done') return undefined;
      const { read, drift, held_back } = outcome.last;
      if (Object.keys(held_back).length > 0) needs.log.warn({ deletes: held_back }, tooManyDeletes);
      return { read, repaired: totalOf(drift) };
    },
  };
}

function readDefinitionsJob(needs: SyncJobNeeds): Job {
  return {
    name: 'definitions',
    everyMs: jobPeriods(needs.config).definitions,
    async run(signal) {
      const report = await readDefinitions(await openComparison(needs, signal), needs.store.settings.events);
      return report.changed + report.unreadable.length > 0 ? report : undefined;
    },
  };
}

/** More than others leave: comparisons and backfills come first. */
const followUpOptions = { retryBudget: retryBudgets.ordinary, reserveShare: 0.6 };

function followUpJob(needs: SyncJobNeeds): Job {
  const { config, store } = needs;
  const screen = privacyScreen(store.settings);
  return {
    name: 'follow_up',
    everyMs: jobPeriods(config).follow_up,
    run(signal) {
      const open = () => openSources(config, needs.metrics.upstream, { ...followUpOptions, signal });
      return readFollowUps({ store, screen, now: nowOf(needs), signal, openSources: open });
    },
  };
}

const tooManyDeletes = `the service no longer has so many rows that none was deleted here: ${slotstream} reconcile --repair --allow-deletes`;

function watchSubscriptionsJob(needs: SyncJobNeeds): Job {
  const { config, store, log, metrics } = needs;
  return {
    name: 'watch',
    everyMs: config.watchEveryMs,
    async run(signal) {
      const input = { config, store, now: nowOf(needs), signal, upstream: { retryBudget: retryBudgets.ordinary } };
      const onFound = async (found: WatchReport): Promise<void> => {
        metrics.subscriptions(countsOf(found));
        await recordLosses(needs, found, () => false);
      };
      const report = await recordClockOffset(needs, (world) => restoreSubscriptions({ ...input, world, onFound }));
      // A lost subscription that is still remembered has no replacement yet.
      const remembered = new Set((await readSubscriptions(store)).map(({ uri }) => uri));
      await recordLosses(needs, report, (uri) => !remembered.has(uri));
      const counts = countsOf(report);
      metrics.subscriptions(counts);
      for (const { uri, retry_started_at: since } of report.retrying)
        log.warn({ subscription: uri, since }, `deliveries fail and are retried: ${slotstream} doctor`);
      for (const { uri } of [...report.disabled, ...report.missing])
        log.warn({ subscription: uri }, 'a subscription was disabled or deleted');
      if (report.failure) throw report.failure.error;
      return Object.values(counts).some((count) => count > 0) ? counts : undefined;
    },
  };
}

function recordLosses(
  { store, nowMs }: SyncJobNeeds,
  { disabled, missing }: WatchReport,
  isReplaced: (uri: string) => boolean,
): Promise<void> {
  return recordLostSubscriptions(
    store,
    [
      ...disabled.map(({ uri }) => ({ uri, how: 'disabled' as const, isReplaced: isReplaced(uri) })),
      ...missing.map(({ uri }) => ({ uri, how: 'missing' as const, isReplaced: isReplaced(uri) })),
    ],
    nowMs(),
  );
}

/** Records for the alerts how far the service's clock is ahead of ours, also when `run` fails. */
async function recordClockOffset<Result>(
  { store, nowMs, metrics }: SyncJobNeeds,
  run: (world: UpstreamNeeds) => Promise<Result>,
): Promise<Result> {
  let aheadMs: number | undefined;
  try {
    return await run({ ...metrics.upstream, onClock: (ms) => void (aheadMs = ms) });
  } finally {
    // Not worth failing the job: the next run records it again.
    const by = `${hostname()} (pid ${process.pid})`;
    if (aheadMs !== undefined)
      await recordClockSkew(store, { aheadSeconds: aheadMs / 1000, by }, nowMs()).catch(() => undefined);
  }
}

const countsOf = ({ retrying, disabled, missing, recreated, refused }: WatchReport) => ({
  retrying: retrying.length,
  disabled: disabled.length,
  missing: missing.length,
  recreated: recreated.length,
  refused: refused.length,
});

/** A job of its own: a repair can take long, and the subscriptions must be watched meanwhile. */
function repairMissedWindowJob(needs: SyncJobNeeds): Job {
  const { config, store } = needs;
  return {
    name: gapRepair,
    everyMs: jobPeriods(config).gap,
    async run(signal) {
      const gap = await openGap(store);
      if (gap === undefined) return undefined;
      const { since } = gap;
      const report = await repair(needs, { kind: 'gap', since }, signal);
      const missed = report.unreadable.find(({ isLasting }) => !isLasting);
      // The next run repairs it, after a pause.
      if (missed !== undefined)
        throw new SlotstreamError('service_unavailable', `${missed.what} could not be read. ${missed.error.message}`);
      await closeGap(store, gap);
      return { since, ...summaryOf(report) };
    },
  };
}

async function repair(needs: SyncJobNeeds, scope: Scope, signal: AbortSignal): Promise<ReconcileReport> {
  const { events } = needs.store.settings;
  const input = { scope, events, repair: true, allowDeletes: false };
  const report = await recordClockOffset(needs, async (world) =>
    reconcile(await openComparison(needs, signal, { world, isUrgent: scope.kind === 'poll' }), input),
  );
  if (report.heldBack.length > 0) needs.log.warn({ deletes: report.heldBack }, tooManyDeletes);
  return report;
}

const summaryOf = ({ read, drift, quarantined, unreadable }: ReconcileReport): object => ({
  read,
  repaired: totalOf(drift),
  quarantined,
  unreadable: unreadable.map(({ what }) => what),
});

async function openComparison(
  needs: SyncJobNeeds,
  signal: AbortSignal,
  {
    world = needs.metrics.upstream,
    isUrgent = false,
  }: { readonly world?: UpstreamNeeds; readonly isUrgent?: boolean } = {},
): Promise<ReconcileNeeds> {
  const { config, store } = needs;
  const isPolled = jobPeriods(config).poll !== undefined;
  const share = isPolled && !isUrgent ? { reserveShare: followUpOptions.reserveShare } : {};
  const sources = await openSources(config, world, { retryBudget: retryBudgets.long, signal, ...share });
  return { store, sources, screen: privacyScreen(store.settings), now: nowOf(needs), signal, isPolled };
}
