// The health item about scheduled jobs: whether they run on time.
import { counted } from '#src/base/number-text.ts';
import { instantOf, timeText } from '#src/base/time.ts';
import type { Store } from '#src/store/contract.ts';
import { isMissing } from '#src/store/process-reports.ts';
import type { ProcessRow } from '#src/store/processes.ts';
import { lateJobs, type LateJob } from '#workers/scheduling/lease.ts';
import type { HealthItem } from './process-health.ts';

interface LateJobsInput {
  readonly periods: Readonly<Record<string, number>>;
  readonly processes: readonly Pick<ProcessRow, 'role' | 'started_at' | 'seen_at'>[];
  readonly nowMs: number;
}

export async function readLateJobs(
  store: Pick<Store, 'db' | 'engine'>,
  { periods, processes, nowMs }: LateJobsInput,
): Promise<readonly LateJob[]> {
  const sinceMs = workingSinceMs(processes, nowMs);
  return sinceMs === undefined ? [] : lateJobs(store, periods, { sinceMs, nowMs });
}

/** Since when a worker is there to run scheduled jobs; undefined while there is none. */
function workingSinceMs(
  processes: readonly Pick<ProcessRow, 'role' | 'started_at' | 'seen_at'>[],
  nowMs: number,
): number | undefined {
  const workers = processes.filter((each) => each.role !== 'receive' && !isMissing(each, nowMs));
  return workers.length === 0 ? undefined : Math.min(...workers.map(({ started_at: at }) => Date.parse(at)));
}

/** As a sentence for operators. */
export function lateText({ job, ranMs, failures }: LateJob): string {
  const last = ranMs === undefined ? 'it never ended well' : `its last run is from ${timeText(instantOf(ranMs))}`;
  const failed = failures > 0 ? `, and it failed ${counted(failures, 'time')} since` : '';
  return `The scheduled job ${job} does not run on time: ${last}${failed}.`;
}

export const lateFix = 'Look for "a scheduled job failed" in the logs of the workers, and check their clocks.';

export function jobHealth([late]: readonly LateJob[]): HealthItem {
  const id = 'jobs';
  if (late === undefined) return { id, state: 'ok', sentence: 'Scheduled jobs run on time.' };
  return { id, state: 'problem', sentence: lateText(late), fix: lateFix };
}
