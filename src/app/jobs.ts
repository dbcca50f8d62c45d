// Starts periodic jobs the way every part of this process does: on the clock of the store, with jitter, and with leases that are
// held in the name of this process. Also how often the jobs run that call the service.
import { dayMs, minuteMs, sleepUnlessAborted } from '#src/base/time.ts';
import type { Config } from '#src/config/load.ts';
import { pollPeriodMs } from '#src/config/polling.ts';
import type { Log } from '#src/observability/log.ts';
import type { Store } from '#src/store/contract.ts';
import { startSchedules, type Job, type Schedules } from '#workers/sync/scheduling/scheduler.ts';

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

const slices = 200;

/** Where comparisons are rare on purpose, so is everything else that calls the service unasked. */
const atMostEvery = (maxMs: number, { reconcileEveryMs }: Config): number =>
  reconcileEveryMs > dayMs ? reconcileEveryMs : Math.min(reconcileEveryMs, maxMs);

/** `poll` is there where the service is read for changes, without webhooks. */
export function jobPeriods(config: Config) {
  const poll = pollPeriodMs(config);
  return {
    reconcile: config.reconcileEveryMs,
    sweep: Math.min(5 * minuteMs, Math.ceil(config.sweepEveryMs / slices)),
    definitions: atMostEvery(10 * minuteMs, config),
    follow_up: atMostEvery(minuteMs, config),
    gap: Math.min(minuteMs / 4, config.watchEveryMs),
    ...(poll !== undefined && { poll }),
    ...(config.publicUrl !== undefined && { watch: config.watchEveryMs }),
  };
}
