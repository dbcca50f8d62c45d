// Checks when the mirror was last compared with the service, and what that found.
import { canCallService } from '#src/app/background.ts';
import { slotstream } from '#src/base/command.ts';
import { maxMissedPeriods } from '#src/read/health/drift-health.ts';
import { lateFix, lateText, readLateJobs } from '#src/read/health/late-jobs.ts';
import { jobPeriods } from '#src/app/jobs.ts';
import { counted } from '#src/base/number-text.ts';
import { timeText } from '#src/base/time.ts';
import { lastReconcileRuns } from '#src/app/mirror.ts';
import { listProcesses } from '#src/store/processes.ts';
import { filledAt, isFilled } from '#workers/sync/mirror-identity.ts';
import { openGap } from '#workers/sync/reconcile/missed-window.ts';
import { totalOf } from '#workers/sync/reconcile/drift-report.ts';
import { openMirrorIfAny, type Check } from './check.ts';

const name = 'drift';

export const checkDrift: Check = async ({ config, log, now }, report) => {
  if (!canCallService(config)) return;
  await using store = await openMirrorIfAny({ config, log });
  if (store === undefined) return;
  const nowMs = now().getTime() + (await store.engine.clockAheadMs());
  const processes = await listProcesses(store, nowMs);
  const late = await readLateJobs(store, { periods: jobPeriods(config), processes, nowMs });
  for (const each of late) report.problem('jobs', lateText(each), lateFix);
  const runs = await lastReconcileRuns(store);
  const gap = await openGap(store);
  if (gap !== undefined)
    report.warning(name, `deliveries since ${timeText(gap.since)} may be missing.`, `${slotstream} reconcile --repair`);
  if (!(await isFilled(store)))
    return report.warning(
      name,
      'the first backfill has not completed, so the mirror is not compared with the service yet.',
      `${slotstream} backfill`,
    );
  const copiedAt = await filledAt(store);
  const periods = { recent: config.reconcileEveryMs, full: config.sweepEveryMs };
  for (const part of ['recent', 'full'] as const) {
    const everyMs = periods[part];
    const run = runs[part];
    const command = `${slotstream} reconcile ${part === 'full' ? '' : '--recent '}--repair`;
    // A full comparison covers recent changes too.
    if (run === undefined && part === 'recent' && runs.full !== undefined) continue;
    if (
      run === undefined &&
      copiedAt !== undefined &&
      now().getTime() - Date.parse(copiedAt) < maxMissedPeriods * everyMs
    ) {
      if (part === 'recent') report.ok(name, `everything was copied at ${timeText(copiedAt)}; comparisons follow.`);
      continue;
    }
    if (run === undefined) {
      const what = part === 'full' ? 'The whole mirror was' : 'Recent changes were';
      report.warning(name, `${what} never compared with the service.`, `A running worker does it; at once: ${command}`);
      continue;
    }
    const deletes = Object.values(run.held_back).reduce((sum, count) => sum + count, 0);
    if (deletes > 0)
      report.problem(
        name,
        `the service no longer has at least ${deletes} rows; so many that none was deleted here.`,
        `Check the service first; if the rows were really deleted: ${slotstream} reconcile --repair --allow-deletes`,
      );
    if (run.unreadable.length > 0)
      report.warning(name, `not compared: ${run.unreadable.join(', ')}.`, 'Fix what the line about scopes says.');
    const ageMs = now().getTime() - Date.parse(run.finished_at);
    const what = part === 'full' ? `all ${run.read} records` : `${run.read} recent records`;
    const message = `${what} were compared at ${timeText(run.finished_at)}; ${counted(totalOf(run.drift), 'row was', 'rows were')} repaired.`;
    if (ageMs > maxMissedPeriods * everyMs) report.warning(name, `${message} None since.`, command);
    else report.ok(name, message);
  }
};
