// The check of the comparisons with the service: when they were made, and what they found.
import { slotstream } from '#src/base/command.ts';
import { counted } from '#src/base/number-text.ts';
import { timeText } from '#src/base/time.ts';
import { totalOf } from '#src/store/jobs/drift-counts.ts';
import type { LastRun } from '#src/store/jobs/reconcile-state.ts';
import type { Finding, HealthCheck } from './health-check.ts';

/** This many periods without a complete run are reported. */
const maxMissedPeriods = 3;
const manyRepaired = 10;

export interface ComparisonState {
  /** Since when deliveries may be missing. */
  readonly missedSince: string | undefined;
  readonly isFilled: boolean;
  readonly filledAt: string | undefined;
  readonly recent: LastRun | undefined;
  readonly full: LastRun | undefined;
  readonly recentEveryMs: number;
  readonly fullEveryMs: number;
}

export function driftHealth({
  hasApi,
  nowMs,
  comparison,
  polling,
}: {
  readonly hasApi: boolean;
  readonly nowMs: number;
  readonly comparison: ComparisonState;
  readonly polling?: unknown;
}): HealthCheck {
  const item = { id: 'drift', page: '/mirror/sync' };
  // A process without these settings, such as `mcp`, can read a mirror that others compare.
  if (!hasApi && !comparison.isFilled)
    return { ...item, state: 'ok', sentence: 'The mirror is not compared with the service: its API is not set up.' };
  if (polling !== undefined && !comparison.isFilled)
    return { ...item, state: 'ok', sentence: 'What the service has is being copied.' };
  const findings = [...findingsOf(comparison, nowMs)];
  const worst = findings.find(({ state }) => state === 'problem') ?? findings[0];
  return { ...item, ...(worst ?? wellState(comparison)) };
}

function* findingsOf(comparison: ComparisonState, nowMs: number): Generator<Finding> {
  const { missedSince, isFilled, filledAt } = comparison;
  if (missedSince !== undefined)
    yield {
      state: 'warning',
      sentence: `Deliveries since ${timeText(missedSince)} may be missing.`,
      fix: `A running worker repairs it; at once: ${slotstream} reconcile --repair`,
    };
  if (!isFilled)
    return yield {
      state: 'warning',
      sentence: 'The first backfill has not completed, so the mirror is not compared with the service yet.',
      fix: `${slotstream} backfill`,
    };
  for (const part of ['recent', 'full'] as const) {
    const [run, everyMs] =
      part === 'full' ? [comparison.full, comparison.fullEveryMs] : [comparison.recent, comparison.recentEveryMs];
    const command = `${slotstream} reconcile ${part === 'full' ? '' : '--recent '}--repair`;
    const since = run?.finished_at ?? filledAt;
    const isLate = since === undefined || nowMs - Date.parse(since) > maxMissedPeriods * everyMs;
    // A full comparison covers recent changes too.
    const isCovered = part === 'recent' && run === undefined && comparison.full !== undefined;
    if (isLate && !isCovered)
      yield {
        state: 'warning',
        sentence: `${part === 'full' ? 'The whole mirror was' : 'Recent changes were'} ${run ? `last compared with the service at ${timeText(run.finished_at)}` : 'never compared with the service'}.`,
        fix: `A running worker does it; at once: ${command}`,
      };
    if (run !== undefined) yield* findingsIn(run, part);
  }
}

/** What a comparison found; fewer rows than `above` are no news. */
export function* findingsIn(run: LastRun, part: 'recent' | 'full', above = manyRepaired): Generator<Finding> {
  const deletes = Object.values(run.held_back).reduce((sum, count) => sum + count, 0);
  if (deletes > 0)
    yield {
      state: 'problem',
      sentence: `At least ${counted(deletes, 'row is', 'rows are')} missing at the service: too many to delete them here unasked.`,
      fix: `Check the service first; if the rows were really deleted: ${slotstream} reconcile --repair --allow-deletes`,
    };
  const repaired = totalOf(run.drift);
  if (repaired > above)
    yield {
      state: 'warning',
      sentence: `The comparison of ${part === 'full' ? 'everything' : 'recent changes'} at ${timeText(run.finished_at)} found ${counted(repaired, 'row')} missing, extra or different, and repaired them.`,
      fix: `Deliveries may have been missed: ${slotstream} doctor`,
    };
  if (run.unreadable.length > 0)
    yield {
      state: 'warning',
      sentence: `Not compared: ${run.unreadable.join(', ')}.`,
      fix: `The token may not read them: ${slotstream} doctor names the scopes.`,
    };
}

function wellState({ recent, full, filledAt }: ComparisonState): Finding {
  const run = recent ?? full;
  if (run === undefined)
    return {
      state: 'ok',
      sentence: `Everything was copied${filledAt === undefined ? '' : ` at ${timeText(filledAt)}`}; comparisons follow.`,
    };
  const what = recent
    ? counted(run.read, 'recent record was', 'recent records were')
    : counted(run.read, 'record was', 'records were');
  return { state: 'ok', sentence: `${what} compared at ${timeText(run.finished_at)}; ${totalOf(run.drift)} repaired.` };
}
