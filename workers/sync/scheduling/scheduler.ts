// The scheduler: runs periodic jobs, each in one process at a time, with jitter. A failure never ends the process: it is one line in
// the log, and the job is retried with back-off.
//
//   waiting ──due, lease free──▶ running (lease renewed) ──success──▶ waiting for the next period
//                                   ├──failure──▶ waiting, in all processes, with back-off
//                                   └──lease lost or expired──▶ ended: another process may have started
import { describeConnectFailure, isTransient } from '#src/base/errors.ts';
import { minuteMs } from '#src/base/time.ts';
import { throttled, type Log, type ThrottledLog } from '#src/observability/log.ts';
import {
  endLease,
  failLease,
  keepLease,
  lengthOf,
  renewalMs,
  retryDelayMs,
  takeLease,
  type LeaseNeeds,
} from '#src/store/jobs/lease.ts';

export interface Job {
  readonly name: string;
  readonly everyMs: number;
  /**
   * Returns numbers for the log, without personal data; undefined when there was nothing to do. Check `isHeld` before work that must
   * not be done twice: timers fire late on a machine that slept.
   */
  run(signal: AbortSignal, isHeld: () => boolean): Promise<object | undefined>;
}

export interface ScheduleNeeds extends LeaseNeeds {
  readonly log: Log;
  /** Returns early when `signal` aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly random: () => number;
}

export interface Schedules {
  /** Stops running jobs at a point from which they can resume. */
  close(): Promise<void>;
}

/** A timer has a maximum delay, and a lease may become free early. */
const longestPauseMs = 3_600_000;
/** A share of the period, so that processes do not start at once. */
const jitterShare = 0.05;
const longestJitterMs = 60_000;

const jobFailed = 'a scheduled job failed';

interface LoopNeeds extends ScheduleNeeds {
  readonly throttledLog: ThrottledLog;
}

export function startSchedules(given: ScheduleNeeds, jobs: readonly Job[]): Schedules {
  const needs = { ...given, throttledLog: throttled(given.log, minuteMs, given.nowMs) };
  const stopping = new AbortController();
  const loops = jobs.map((job) => loop(needs, job, stopping.signal));
  return {
    async close() {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

async function loop(needs: LoopNeeds, job: Job, stopping: AbortSignal): Promise<void> {
  let failures = 0;
  const jitter = (): number => needs.random() * Math.min(job.everyMs * jitterShare, longestJitterMs);
  let pauseMs = jitter();
  while (!stopping.aborted) {
    await needs.sleep(Math.min(pauseMs, longestPauseMs), stopping);
    if (stopping.aborted) return;
    try {
      pauseMs = (await turn(needs, job, stopping)) + jitter();
      failures = 0;
    } catch (err) {
      if (stopping.aborted) return;
      // The store did not answer, or the lease was lost: the failure is known to this process only.
      failures += 1;
      pauseMs = retryDelayMs(failures) + jitter();
      logFailure(needs, job, { err, failures, retryMs: pauseMs });
    }
  }
}

/** While the store or the service is away, every job fails: one line a minute says so, without a stack. */
function logFailure(
  { log, throttledLog }: LoopNeeds,
  { name }: Job,
  { err, retryMs, ...details }: { readonly err: unknown; readonly failures: number; readonly retryMs: number },
): void {
  const fields = { ...details, job: name, retryMs: Math.round(retryMs) };
  if (isTransient(err)) throttledLog('warn', jobFailed, { ...fields, cause: describeConnectFailure(err) });
  else log.warn({ ...fields, err }, jobFailed);
}

async function turn(needs: LoopNeeds, job: Job, stopping: AbortSignal): Promise<number> {
  const startedMs = needs.nowMs();
  const answer = await takeLease(needs, { job: job.name, everyMs: job.everyMs });
  if (answer.kind === 'wait') return Math.max(0, answer.untilMs - needs.nowMs());
  const hold = holdFrom(needs, startedMs);
  let summary: object | undefined;
  try {
    summary = await whileHeld(needs, job, { hold, stopping });
  } catch (err) {
    if (stopping.aborted) await endLease(needs, job.name, undefined);
    const failed = stopping.aborted ? undefined : await failLease(needs, job.name).catch(() => undefined);
    if (failed === undefined) throw err;
    logFailure(needs, job, { err, ...failed });
    return failed.retryMs;
  }
  if (summary !== undefined) needs.log.info({ job: job.name, ...summary, ms: needs.nowMs() - startedMs }, 'scheduled');
  await endLease(needs, job.name, startedMs);
  return Math.max(0, startedMs + job.everyMs - needs.nowMs());
}

/** The lease as this process sees it, also while the store does not answer. */
interface Hold {
  /** Aborts when another process may hold the lease. */
  readonly lost: AbortSignal;
  leftMs(): number;
  isHeld(): boolean;
  /** The renewal that was requested at this time succeeded. */
  renewedAt(ms: number): void;
  lose(): void;
}

function holdFrom(needs: ScheduleNeeds, takenMs: number): Hold {
  const losing = new AbortController();
  // Counted from before the request: in the store the lease expires no sooner.
  let untilMs = takenMs + lengthOf(needs);
  const leftMs = (): number => untilMs - needs.nowMs();
  return {
    lost: losing.signal,
    leftMs,
    isHeld() {
      if (leftMs() <= 0) losing.abort();
      return !losing.signal.aborted;
    },
    renewedAt: (ms) => void (untilMs = ms + lengthOf(needs)),
    lose: () => losing.abort(),
  };
}

async function whileHeld(
  needs: ScheduleNeeds,
  job: Job,
  { hold, stopping }: { readonly hold: Hold; readonly stopping: AbortSignal },
): Promise<object | undefined> {
  const done = new AbortController();
  const guarding = [keep(needs, job, { hold, done: done.signal }), expire(needs, hold, done.signal)];
  try {
    return await job.run(AbortSignal.any([stopping, hold.lost]), () => hold.isHeld());
  } finally {
    done.abort();
    await Promise.all(guarding);
  }
}

async function keep(
  needs: ScheduleNeeds,
  { name }: Job,
  { hold, done }: { readonly hold: Hold; readonly done: AbortSignal },
): Promise<void> {
  while (!done.aborted && !hold.lost.aborted) {
    await needs.sleep(renewalMs(needs), done);
    if (done.aborted) return;
    const askedMs = needs.nowMs();
    // A store that does not answer is retried for as long as the lease lasts.
    const isRenewed = await keepLease(needs, name).catch(() => undefined);
    if (isRenewed === false) hold.lose();
    if (isRenewed === true) hold.renewedAt(askedMs);
  }
}

/** Runs beside `keep`, which may wait for a store that never answers. */
async function expire(needs: ScheduleNeeds, hold: Hold, done: AbortSignal): Promise<void> {
  while (!done.aborted && hold.isHeld()) await needs.sleep(hold.leftMs(), done);
}
