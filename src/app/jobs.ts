// Starts periodic jobs the way every part of this process does: on the clock of the store, with jitter, and with leases that are
// held in the name of this process.
import { sleepUnlessAborted } from '#src/base/time.ts';
import type { Log } from '#src/observability/log.ts';
import type { Store } from '#src/store/contract.ts';
import { startSchedules, type Job, type Schedules } from '#workers/scheduling/scheduler.ts';

export interface JobNeeds {
  readonly store: Store;
  readonly log: Log;
  /** Identifies this process as the holder of its leases. */
  readonly holder: string;
  /** The clock that all processes share, so that a wrong clock delays no job. */
  readonly nowMs: () => number;
}

/** The lease of a job that runs without end: when its process dies, another process takes over within this time. */
export const takeoverLeaseMs = 15_000;

export function startJobs(
  { store, log, holder, nowMs }: JobNeeds,
  jobs: readonly Job[],
  lease: { readonly leaseMs?: number } = {},
): Schedules {
  const needs = { store, log, holder, sleep: sleepUnlessAborted, nowMs, random: Math.random, ...lease };
  return startSchedules(needs, jobs);
}
