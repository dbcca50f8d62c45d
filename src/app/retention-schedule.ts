// The timer that prunes old content from the log; it needs the store alone, and runs also where the service cannot be called.
import { randomUUID } from 'node:crypto';
import { sleepUnlessAborted } from '#src/base/time.ts';
import { retentionJob } from '#workers/retention/retention-job.ts';
import { startSchedules, type Schedules } from '#workers/scheduling/scheduler.ts';
import type { Log } from '#src/observability/log.ts';
import type { Store } from '#src/store/contract.ts';

export function startRetention(
  { store, log }: { readonly store: Store; readonly log: Log },
  { days }: { readonly days: number },
): Schedules {
  const timing = { store, sleep: sleepUnlessAborted, nowMs: Date.now };
  return startSchedules({ ...timing, log, random: Math.random, holder: randomUUID() }, [
    retentionJob(timing, { days }),
  ]);
}
