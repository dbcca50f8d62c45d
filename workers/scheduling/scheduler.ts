// What is done on timers: each job by one process at a time, with jitter, and never at the cost of the process. A failure is one
// line in the log, and the job is tried again soon, then less and less often.
//
//   waiting ──due, lease free──▶ running (lease kept) ──well──▶ waiting for the next time
//                                   ├──failed──▶ waiting, in all processes, a little longer each time
//                                   └──lease lost, or not kept for its length──▶ ended: another may have begun
import type { Log } from '#src/observability/log.ts';
import { endLease, failLease, keepLease, lengthOf, retryDelayMs, takeLease, type LeaseNeeds } from './lease.ts';

export interface Job {
  readonly name: string;
  readonly everyMs: number;
  /**
   * Numbers for the log; undefined when there was nothing to do. Nobody is named in them. `isHeld` is asked before what must not be
   * done twice: timers come late on a machine that slept.
   */
  run(signal: AbortSignal, isHeld: () => boolean): Promise<object | undefined>;
}

export interface ScheduleNeeds extends LeaseNeeds {
  readonly log: Log;
  /** Returns early when `signal` aborts. */
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
    await needs.sleep(Math.min(pauseMs, longestPauseMs), stopping);
    if (stopping.aborted) return;
    try {
      pauseMs = (await turn(needs, job, stopping)) + jitter();
      failures = 0;
    } catch (err) {
      if (stopping.aborted) return;
      // The store did not answer, or the lease went to another: only this process knows.
      failures += 1;
      pauseMs = retryDelayMs(failures) + jitter();
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
  const startedMs = needs.nowMs();
  const answer = await takeLease(needs, { job: job.name, everyMs: job.everyMs });
  if (answer.kind === 'wait') return Math.max(0, answer.untilMs - needs.nowMs());
  const hold = holdFrom(needs, startedMs);
  let told: object | undefined;
  try {
    told = await whileHeld(needs, job, { hold, stopping });
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

/** What this process knows of its lease, also while the store does not answer. */
interface Hold {
  /** Aborts when another may have the lease. */
  readonly lost: AbortSignal;
  leftMs(): number;
  isHeld(): boolean;
  /** It was asked for at this moment, and given. */
  keptFrom(ms: number): void;
  lose(): void;
}

function holdFrom(needs: ScheduleNeeds, takenMs: number): Hold {
  const losing = new AbortController();
  // From before it was asked for: in the store it ends no sooner.
  let untilMs = takenMs + lengthOf(needs);
  const leftMs = (): number => untilMs - needs.nowMs();
  return {
    lost: losing.signal,
    leftMs,
    isHeld() {
      if (leftMs() <= 0) losing.abort();
      return !losing.signal.aborted;
    },
    keptFrom: (ms) => void (untilMs = ms + lengthOf(needs)),
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
    await needs.sleep(lengthOf(needs) / 3, done);
    if (done.aborted) return;
    const askedMs = needs.nowMs();
    // A store that does not answer is asked again, for as long as the lease holds.
    const isKept = await keepLease(needs, name).catch(() => undefined);
    if (isKept === false) hold.lose();
    if (isKept === true) hold.keptFrom(askedMs);
  }
}

/** Beside `keep`, which may wait for a store that never answers. */
async function expire(needs: ScheduleNeeds, hold: Hold, done: AbortSignal): Promise<void> {
  while (!done.aborted && hold.isHeld()) await needs.sleep(hold.leftMs(), done);
}
