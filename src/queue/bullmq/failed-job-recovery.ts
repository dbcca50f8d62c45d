// Recovers failed jobs: BullMQ fails a job when its worker crashed twice. The deliveries of the job are enqueued again, isolated;
// a poison pill is quarantined. `poison-pill.ts` draws the states.
//
// A delivery always gets its new job before the old job is removed: a crash in between repeats it, and the log absorbs duplicates.

import type { JobsOptions } from 'bullmq';
import type { QuarantineDelivery } from '#src/queue/contract.ts';
import { unpackBatch } from '#src/queue/batch-codec.ts';
import { isolatedJobName, unfinishedRunsOf } from './poison-pill.ts';

/** The part of BullMQ's job that is read here. */
interface StoredJob {
  readonly name: string;
  readonly data: unknown;
  readonly progress: unknown;
  readonly failedReason: string;
  readonly timestamp: number;
}

/** The part of BullMQ's queue that the recovery uses. */
export interface RecoverableQueue {
  getRanges(types: ('failed' | 'wait' | 'active')[], start: number, end: number, asc: boolean): Promise<string[]>;
  getJob(id: string): Promise<StoredJob | undefined>;
  addBulk(jobs: { name: string; data: unknown; opts: JobsOptions }[]): Promise<unknown>;
  remove(id: string): Promise<number>;
}

interface RecoveryNeeds {
  readonly quarantine: QuarantineDelivery;
  readonly jobOptions: JobsOptions;
}

interface FailedJobRecovery {
  /** Recovers now, unless a recovery is running. Resolves when it has ended; never rejects. */
  trigger(): Promise<void>;
  close(): Promise<void>;
}

/** Recovers failed jobs every `everyMs`, and when triggered. */
export function startFailedJobRecovery(
  needs: RecoveryNeeds & {
    readonly withQueue: <T>(use: (queue: RecoverableQueue) => Promise<T>) => Promise<T>;
    readonly report: (error: unknown) => void;
  },
  everyMs: number,
): FailedJobRecovery {
  let isClosing = false;
  let running: Promise<void> | undefined;
  const trigger = async (): Promise<void> => {
    if (isClosing) return;
    running ??= needs
      .withQueue((queue) => recoverFailedJobs(needs, queue))
      .catch(needs.report)
      .finally(() => (running = undefined));
    await running;
  };
  const timer = setInterval(() => void trigger(), everyMs);
  return {
    trigger,
    close: async () => {
      isClosing = true;
      clearInterval(timer);
      await running;
    },
  };
}

const jobsPerRecovery = 100;
const runsToQuarantine = 2;

/** BullMQ's wording for a job whose worker crashed more often than `maxStalledCount` allows. */
const workerCrashed = /stalled/;

async function recoverFailedJobs(needs: RecoveryNeeds, queue: RecoverableQueue): Promise<void> {
  for (const id of await queue.getRanges(['failed'], 0, jobsPerRecovery - 1, true)) {
    const job = await readJob(needs, queue, id);
    if (job !== undefined) await recoverJob(needs, queue, job);
    await queue.remove(id);
  }
}

async function recoverJob(needs: RecoveryNeeds, queue: RecoverableQueue, job: StoredJob): Promise<void> {
  const unfinishedRuns = unfinishedRunsOf(job);
  const deliveries = deliveriesIn(unpackBatch(job.data));
  if (unfinishedRuns !== undefined && unfinishedRuns >= runsToQuarantine) {
    await needs.quarantine(deliveries[0] ?? job.data, 'it crashed its worker repeatedly');
    return;
  }
  // A job that failed for another reason was added without our options, for example with redis-cli: it gets them now.
  const name = workerCrashed.test(job.failedReason) ? isolatedJobName(unfinishedRuns) : 'batch';
  // The worker validates what it takes, so whatever the batch contained is passed on unchanged.
  const batches = deliveries.length === 0 ? [job.data] : deliveries.map((one) => ({ v: 1, deliveries: [one] }));
  await queue.addBulk(batches.map((data) => ({ name, data, opts: needs.jobOptions })));
}

async function readJob(needs: RecoveryNeeds, queue: RecoverableQueue, id: string): Promise<StoredJob | undefined> {
  try {
    return await queue.getJob(id);
  } catch (error) {
    // Not JSON: only a person with redis-cli writes such a job. It must not block the recovery of the others.
    if (!(error instanceof SyntaxError)) throw error;
    await needs.quarantine(null, 'the job is not JSON');
    return undefined;
  }
}

function deliveriesIn(data: unknown): readonly unknown[] {
  return typeof data === 'object' && data !== null && 'deliveries' in data && Array.isArray(data.deliveries)
    ? data.deliveries
    : [];
}
