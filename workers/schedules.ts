// What is done on timers: each job by one process at a time, with jitter, and never at the cost of the process. A failure is one
// line in the log, and the job is tried again soon, then less and less often.
//
//   waiting ──due, lease free──▶ running (lease kept) ──well──▶ waiting for the next time
//                                   └──failed──▶ waiting, in all processes, a little longer each time
import type { Log } from '#src/log.ts';
import { endLease, failLease, keepLease, lengthOf, retryAfter, takeLease, type LeaseNeeds } from './lease.ts';

export interface Job {
  readonly name: string;
  readonly everyMs: number;
  /** Numbers for the log; undefined when there was nothing to do. Nobody is named in them. */
  run(signal: AbortSignal): Promise<object | undefined>;
}

export interface ScheduleNeeds extends LeaseNeeds {
  readonly log: Log;
  /** Rejects when `signal` aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** 0 ≤ random < 1. */
  readonly random: () => number;
}

export interface Schedules {
  /** Ends what runs, at a point from which it can go on later. */
  close(): Promise<void>;
}

/** Timers cannot wait for ever, and a lease may become free before its time. */
const longestPauseMs = 3_600_000;
/** Of the period, so that many processes do not come at once. */
const jitterShare = 0.05;
const longestJitterMs = 60_000;

export function startSchedules(needs: ScheduleNeeds, jobs: readonly Job[]): Schedules {
  const stopping = new AbortController();
  const loops = jobs.map((job) => loop(needs, job, stopping.signal));
  return {
    async close() {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

async function loop(needs: ScheduleNeeds, job: Job, stopping: AbortSignal): Promise<void> {
  let failures = 0;
  const jitter = (): number => needs.random() * Math.min(job.everyMs * jitterShare, longestJitterMs);
  let pauseMs = jitter();
  while (!stopping.aborted) {
    await needs.sleep(Math.min(pauseMs, longestPauseMs), stopping).catch(() => undefined);
    if (stopping.aborted) return;
    try {
      pauseMs = (await turn(needs, job, stopping)) + jitter();
      failures = 0;
    } catch (err) {
      if (stopping.aborted) return;
      // The store did not answer, or the lease went to another: only this process knows.
      failures += 1;
      pauseMs = retryAfter(failures) + jitter();
      tellFailure(needs, job, { err, failures, retryMs: pauseMs });
    }
  }
}

function tellFailure(
  { log }: ScheduleNeeds,
  { name }: Job,
  { retryMs, ...told }: { readonly err: unknown; readonly failures: number; readonly retryMs: number },
): void {
  log.warn({ ...told, job: name, retryMs: Math.round(retryMs) }, 'a scheduled job failed');
}

/** Answers how long to wait. */
async function turn(needs: ScheduleNeeds, job: Job, stopping: AbortSignal): Promise<number> {
  const answer = await takeLease(needs, { job: job.name, everyMs: job.everyMs });
  if (answer.kind === 'wait') return Math.max(0, answer.untilMs - needs.nowMs());
  const startedMs = needs.nowMs();
  let told: object | undefined;
  try {
    told = await whileKept(needs, job, stopping);
  } catch (err) {
    if (stopping.aborted) await endLease(needs, job.name, undefined);
    const failed = stopping.aborted ? undefined : await failLease(needs, job.name).catch(() => undefined);
    if (failed === undefined) throw err;
    tellFailure(needs, job, { err, ...failed });
    return failed.retryMs;
  }
  if (told !== undefined) needs.log.info({ job: job.name, ...told, ms: needs.nowMs() - startedMs }, 'scheduled');
  await endLease(needs, job.name, startedMs);
  return Math.max(0, startedMs + job.everyMs - needs.nowMs());
}

async function whileKept(needs: ScheduleNeeds, job: Job, stopping: AbortSignal): Promise<object | undefined> {
  const lost = new AbortController();
  const done = new AbortController();
  const keeping = keep(needs, job, { lost, done: done.signal });
  try {
    return await job.run(AbortSignal.any([stopping, lost.signal]));
  } finally {
    done.abort();
    await keeping;
  }
}

/** A lease that cannot be kept ends the run: another process may have begun it. */
async function keep(
  needs: ScheduleNeeds,
  { name }: Job,
  { lost, done }: { readonly lost: AbortController; readonly done: AbortSignal },
): Promise<void> {
  while (!done.aborted && !lost.signal.aborted) {
    await needs.sleep(lengthOf(needs) / 3, done).catch(() => undefined);
    if (done.aborted) return;
    const isKept = await keepLease(needs, name).catch(() => true);
    if (!isKept) lost.abort();
  }
}
