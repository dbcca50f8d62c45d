// Drift: when the mirror was last compared with the service, and what that found.
import { lastReconcileRuns } from '#src/app/mirror.ts';
import { openGap } from '#workers/sync/reconcile/missed-window.ts';
import { totalOf } from '#workers/sync/reconcile/drift-report.ts';
import { hasApi, type Check } from './check.ts';
import { doubtful, ill, well, type Finding } from './finding.ts';
import { openMirrorIfAny } from './mirror.ts';

const name = 'drift';
/** So many periods without a complete run are no accident. */
const patience = 3;

export const checkDrift: Check = async ({ config, log, now }) => {
  if (!hasApi(config)) return [];
  await using store = await openMirrorIfAny({ config, log });
  if (store === undefined) return [];
  const runs = await lastReconcileRuns(store);
  const gap = await openGap(store);
  const found: Finding[] = [];
  if (gap !== undefined)
    found.push(doubtful(name, `deliveries since ${gap.since} may be missing.`, 'npx slotstream reconcile --repair'));
  const periods = { recent: config.reconcileEveryMs, full: config.sweepEveryMs };
  for (const [part, everyMs] of Object.entries(periods)) {
    const run = runs[part as keyof typeof periods];
    const command = `npx slotstream reconcile ${part === 'full' ? '' : '--recent '}--repair`;
    if (run === undefined) {
      const what = part === 'full' ? 'The whole mirror was' : 'Recent changes were';
      found.push(doubtful(name, `${what} never compared with the service.`, `npx slotstream start, or: ${command}`));
      continue;
    }
    const deletes = Object.values(run.held_back).reduce((sum, count) => sum + count, 0);
    if (deletes > 0)
      found.push(
        ill(
          name,
          `at least ${deletes} rows are gone from the service; so many that none was deleted.`,
          'Look at the service first; if it is right: npx slotstream reconcile --repair --allow-deletes',
        ),
      );
    if (run.unreadable.length > 0)
      found.push(doubtful(name, `not compared: ${run.unreadable.join(', ')}.`, 'See the line about scopes.'));
    const ageMs = now().getTime() - Date.parse(run.finished_at);
    const told = `${part}: ${run.read} records compared at ${run.finished_at}, ${totalOf(run.drift)} repaired.`;
    found.push(ageMs > patience * everyMs ? doubtful(name, `${told} None since.`, command) : well(name, told));
  }
  return found;
};
