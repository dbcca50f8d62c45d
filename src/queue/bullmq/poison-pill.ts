// Isolates the poison pill: the one delivery that crashes its worker. A crash fails every job the process was running, so the
// deliveries of those jobs are run again one by one, each alone in its process, and counted while they run:
//
//   batch ──worker crashed twice──▶ failed ──one job per delivery──▶ isolated-0
//
//   isolated-N ──runs alone, count + 1──┬─ done ────────────────▶ removed (it was not the poison pill)
//                                       ├─ threw, count − 1 ────▶ isolated-N, retried (an error is not a crash)
//                                       └─ worker crashed twice ▶ failed
//   failed, count < 2 ──▶ isolated-count, run again (another delivery crashed its process)
//   failed, count ≥ 2 ──▶ quarantined
//
// "Twice" is BullMQ's `maxStalledCount: 1`. The job's name carries the count of its earlier lives, `progress` that of this one.
// `failed-job-recovery.ts` makes the transitions out of "failed".

import type { Job } from 'bullmq';

type Run = () => Promise<void>;

/** Runs many `shared` functions at once or one `exclusive` function alone, in the order of the calls. */
export function createRunLock(): { shared(run: Run): Promise<void>; exclusive(run: Run): Promise<void> } {
  const running = new Set<Promise<void>>();
  let lastExclusive: Promise<unknown> = Promise.resolve();
  return {
    shared: (run) => {
      const turn = lastExclusive.then(run).finally(() => running.delete(turn));
      running.add(turn);
      return turn;
    },
    exclusive: (run) => {
      const turn = Promise.allSettled([lastExclusive, ...running]).then(run);
      lastExclusive = turn.catch(() => undefined);
      return turn;
    },
  };
}

/** Returns a function that runs the job of a worker: alone when the job is isolated, otherwise together with other jobs. */
export function createIsolation(): (job: Job, run: Run) => Promise<void> {
  const lock = createRunLock();
  return (job, run) =>
    unfinishedRunsOf(job) === undefined ? lock.shared(run) : lock.exclusive(() => runCounted(job, run));
}

const isolatedName = /^isolated-(?<count>\d{1,3})$/;

/** How many isolated runs of this delivery began and never ended, over all its jobs; undefined when the job is not isolated. */
export function unfinishedRunsOf(job: { readonly name: string; readonly progress: unknown }): number | undefined {
  const earlier = isolatedName.exec(job.name)?.groups?.['count'];
  if (earlier === undefined) return undefined;
  return Number(earlier) + (typeof job.progress === 'number' ? job.progress : 0);
}

/** The name of an isolated job; it carries the count of unfinished runs. */
export function isolatedJobName(unfinishedRuns = 0): string {
  return `isolated-${unfinishedRuns}`;
}

/** Counts the run before it begins, and takes the count back when it throws. */
export async function runCounted(job: Pick<Job, 'progress' | 'updateProgress'>, run: Run): Promise<void> {
  const before = typeof job.progress === 'number' ? job.progress : 0;
  await job.updateProgress(before + 1);
  try {
    await run();
  } catch (error) {
    await job.updateProgress(before);
    throw error;
  }
}
