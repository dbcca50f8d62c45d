// The timers of a process that works: recent changes compared, the whole compared in slices, subscriptions looked after, and
// what was missed while one was lost repaired.
import { randomUUID } from 'node:crypto';
import { sleepUnlessAborted } from '#src/base/time.ts';
import { recordClockSkew, recordLostSubscriptions } from '#workers/alerts/conditions/condition-inputs.ts';
import { startSchedules, type Job, type Schedules } from '#workers/scheduling/scheduler.ts';
import { totalOf } from '#workers/sync/reconcile/drift-report.ts';
import { closeGap, gapRepair, openGap } from '#workers/sync/reconcile/missed-window.ts';
import { sweepSlice } from '#workers/sync/reconcile/sweep.ts';
import { reconcile, type ReconcileNeeds, type ReconcileReport, type Scope } from '#workers/sync/reconcile/reconcile.ts';
import { openSources } from '#workers/sync/sources.ts';
import { privacyScreen } from '#workers/privacy/screen.ts';
import type { WatchReport } from '#src/subscriptions/watch.ts';
import type { Config } from '#src/config/load.ts';
import type { Log } from '#src/observability/log.ts';
import type { Metrics } from '#src/observability/metrics/registry.ts';
import type { Store } from '#src/store/contract.ts';
import { readSubscriptions } from '#src/store/subscription-rows.ts';
import type { UpstreamNeeds } from '#src/upstream/clients.ts';
import { retryBudgets } from '#src/upstream/retry-budgets.ts';
import { holdsKey, lookAfterSubscriptions } from './subscription-watch.ts';

export interface ScheduledNeeds {
  readonly config: Config;
  readonly store: Store;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'subscriptions'>;
}

export function startTimers(needs: ScheduledNeeds): Schedules {
  const { config, log, store } = needs;
  const isWatching = config.publicUrl !== undefined && holdsKey(config);
  if (!isWatching)
    log.info(
      'subscriptions are not looked after from here: that takes PUBLIC_URL and the signing key of the receivers',
    );
  const jobs = [reconcileJob(needs), sweepJob(needs), gapJob(needs), ...(isWatching ? [watchJob(needs)] : [])];
  return startSchedules(
    { store, log, sleep: sleepUnlessAborted, nowMs: Date.now, random: Math.random, holder: randomUUID() },
    jobs,
  );
}

function reconcileJob(needs: ScheduledNeeds): Job {
  const run = (signal: AbortSignal) => repair(needs, { kind: 'recent' }, signal);
  return { name: 'reconcile', everyMs: needs.config.reconcileEveryMs, run };
}

const slices = 200;
const longestSliceMs = 300_000;

function sweepJob(needs: ScheduledNeeds): Job {
  const { sweepEveryMs, events } = needs.config;
  return {
    name: 'sweep',
    everyMs: Math.min(longestSliceMs, Math.ceil(sweepEveryMs / slices)),
    async run(signal) {
      const outcome = await sweepSlice(await comparing(needs, signal), { everyMs: sweepEveryMs, events });
      if (outcome.kind !== 'done') return undefined;
      const { read, drift, held_back } = outcome.last;
      if (Object.keys(held_back).length > 0) needs.log.warn({ deletes: held_back }, manyDeletes);
      return { read, repaired: totalOf(drift) };
    },
  };
}

const manyDeletes =
  'so many rows are gone from the service that none was deleted: npx slotstream reconcile --repair --allow-deletes';

function watchJob(needs: ScheduledNeeds): Job {
  const { config, store, log, metrics } = needs;
  return {
    name: 'watch',
    everyMs: config.watchEveryMs,
    async run(signal) {
      const look = { config, store, now: () => new Date(), signal, upstream: { retryBudget: retryBudgets.ordinary } };
      const report = await hearingClock(store, (world) => lookAfterSubscriptions({ ...look, world }));
      await noteLosses(store, report);
      const told = summaryOf(report);
      metrics.subscriptions(told);
      for (const { uri, retry_started_at: since } of report.retrying)
        log.warn({ subscription: uri, since }, 'deliveries fail and are retried: npx slotstream doctor');
      for (const { uri } of [...report.disabled, ...report.missing])
        log.warn({ subscription: uri }, 'a subscription was disabled or is gone');
      if (report.failure) throw report.failure.error;
      return Object.values(told).some((count) => count > 0) ? told : undefined;
    },
  };
}

/** By whatever is remembered of one still, nothing stands in its place. */
async function noteLosses(store: Store, { disabled, missing }: WatchReport): Promise<void> {
  const known = new Set((await readSubscriptions(store)).map(({ uri }) => uri));
  const lost = Object.entries({ disabled, missing }).flatMap(([how, ones]) =>
    ones.map(({ uri }) => ({ uri, how: how as 'disabled' | 'missing', isReplaced: !known.has(uri) })),
  );
  await recordLostSubscriptions(store, lost, Date.now());
}

/** How far the clocks are apart is noted for the alerts, however the run ends. */
async function hearingClock<Result>(store: Store, run: (world: UpstreamNeeds) => Promise<Result>): Promise<Result> {
  let aheadMs: number | undefined;
  try {
    return await run({ onClock: (ms) => void (aheadMs = ms) });
  } finally {
    // Not worth a failure: the next run tells it again.
    if (aheadMs !== undefined) await recordClockSkew(store, aheadMs / 1000, Date.now()).catch(() => undefined);
  }
}

function summaryOf({ retrying, disabled, missing, recreated, refused }: WatchReport) {
  const counts = { retrying, disabled, missing, recreated, refused };
  return Object.fromEntries(Object.entries(counts).map(([name, list]) => [name, list.length])) as Record<
    keyof typeof counts,
    number
  >;
}

const gapEveryMs = 15_000;

/** By itself: it can take long, and the subscriptions must be looked after meanwhile. */
function gapJob(needs: ScheduledNeeds): Job {
  const { config, store } = needs;
  return {
    name: gapRepair,
    everyMs: Math.min(gapEveryMs, config.watchEveryMs),
    async run(signal) {
      const gap = await openGap(store);
      if (gap === undefined) return undefined;
      const { since } = gap;
      const told = await repair(needs, { kind: 'gap', since }, signal);
      await closeGap(store, gap);
      return { since, ...told };
    },
  };
}

async function repair(needs: ScheduledNeeds, scope: Scope, signal: AbortSignal): Promise<object> {
  const { events } = needs.config;
  const input = { scope, events, repair: true, allowDeletes: false };
  const report = await hearingClock(needs.store, async (world) =>
    reconcile(await comparing(needs, signal, world), input),
  );
  if (report.heldBack.length > 0) needs.log.warn({ deletes: report.heldBack }, manyDeletes);
  return toldOf(report);
}

async function comparing(
  { config, store }: ScheduledNeeds,
  signal: AbortSignal,
  world: UpstreamNeeds = {},
): Promise<ReconcileNeeds> {
  const sources = await openSources(config, world, { retryBudget: retryBudgets.long, signal });
  return { store, sources, screen: privacyScreen(config), now: () => new Date(), signal };
}

const toldOf = ({ read, drift, quarantined, unreadable }: ReconcileReport): object => ({
  read,
  repaired: totalOf(drift),
  quarantined,
  unreadable: unreadable.map(({ what }) => what),
});
