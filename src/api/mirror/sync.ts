// How the mirror is kept equal to the service: the backfill, the comparisons, what they found, and when the next one is due.
import type { ApiContext } from '#src/api/api-operation.ts';
import { instantOf } from '#src/base/time.ts';
import { countPendingLinks } from '#src/store/follow-up-rows.ts';
import { readLease } from '#src/store/jobs/lease.ts';
import { readBackfillState } from '#workers/sync/backfill/backfill.ts';
import { filledAt, isFilled } from '#src/store/jobs/filled.ts';
import { openGap } from '#src/store/jobs/missed-window.ts';
import { readDriftHistory, readReconcileState, type LastRun } from '#src/store/jobs/reconcile-state.ts';
import { totalOf } from '#src/store/jobs/drift-counts.ts';
import { readSweep } from '#workers/sync/reconcile/sweep.ts';
import { backfillOf } from './backfill-progress.ts';
import { processOf, type Schedule } from './mirror-process.ts';

type SyncContext = Pick<ApiContext, 'store' | 'clock' | 'process'>;
export type Sync = Awaited<ReturnType<typeof readSync>>;

export async function readSync(context: SyncContext) {
  const { store } = context;
  const { schedule } = processOf(context);
  const filled = await isFilled(store);
  const waitsFor: JobInput['waitsFor'] = !schedule.canCompare ? 'settings' : filled ? null : 'backfill';
  const { recent, full } = await readReconcileState(store);
  const gap = await openGap(store);
  const { days, runs } = await readDriftHistory(store);
  const jobs = { waitsFor, schedule };
  return {
    waitsFor,
    backfill: backfillOf(await readBackfillState(store), {
      filledAt: await filledAt(store),
      isFilled: filled,
      nowMs: context.clock(),
    }),
    /** The comparison of recent changes (`RECONCILE_EVERY`). */
    recent: { ...(await jobOf(context, 'reconcile', jobs)), last: recent ? runOf(recent) : null },
    /** The comparison of everything, in slices (`SWEEP_EVERY`). */
    full: {
      ...(await jobOf(context, 'sweep', jobs)),
      dueAt: waitsFor === null ? fullDue(full, schedule) : null,
      progress: await sweepOf(context, schedule),
      last: full ? runOf(full) : null,
    },
    /** Deliveries since then may be missing, because a subscription was disabled; it is being repaired. */
    gap: gap ? { since: instantOf(Date.parse(gap.since)) } : null,
    followUp: await followUpOf(context),
    drift: { days, runs: runs.map(({ scope, ...each }) => ({ ...runOf(each), scope })) },
  };
}

function runOf({ started_at, finished_at, ...found }: LastRun) {
  const times = { started_at: instantOf(Date.parse(started_at)), finished_at: instantOf(Date.parse(finished_at)) };
  return { ...times, ...found, drifted: totalOf(found.drift) };
}

interface JobInput {
  readonly waitsFor: 'settings' | 'backfill' | null;
  readonly schedule: Schedule;
}

async function jobOf({ store, clock }: SyncContext, job: 'reconcile' | 'sweep', { waitsFor, schedule }: JobInput) {
  const everyMs = job === 'reconcile' ? schedule.reconcileEveryMs : schedule.sweepEveryMs;
  const lease = await readLease(store, { job, everyMs }, clock());
  // Before its first run has ended, it is due now.
  const dueMs = Math.max(lease?.dueMs ?? 0, lease?.ranMs === undefined ? clock() : 0);
  return {
    everyMs,
    isRunning: lease?.isRunning ?? false,
    failures: lease?.failures ?? 0,
    dueAt: waitsFor === null ? instantOf(dueMs) : null,
  };
}

async function followUpOf({ store, clock }: SyncContext) {
  const lease = await readLease(store, { job: 'follow_up', everyMs: 0 }, clock());
  return {
    isRunning: lease?.isRunning ?? false,
    failures: lease?.failures ?? 0,
    lastAt: lease?.ranMs === undefined ? null : instantOf(lease.ranMs),
    linksPending: await countPendingLinks(store, instantOf(clock())),
  };
}

/** The job of the sweep runs a slice every few minutes; a new sweep begins when the last one is old enough. */
const fullDue = (full: LastRun | undefined, { sweepEveryMs }: Schedule): string | null =>
  full === undefined ? null : instantOf(Date.parse(full.started_at) + sweepEveryMs);

async function sweepOf({ store }: SyncContext, { sweepEveryMs }: Schedule) {
  const here = await readSweep(store, sweepEveryMs);
  if (here === undefined) return null;
  const { started_at, endsMs, pages, expected, done } = here;
  return {
    startedAt: instantOf(Date.parse(started_at)),
    endsAt: instantOf(endsMs),
    pages,
    expectedPages: expected === undefined ? null : Math.max(pages, expected),
    done,
  };
}
