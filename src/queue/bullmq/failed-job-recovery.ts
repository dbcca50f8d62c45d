// What becomes of a job BullMQ gave up on, which it does when the job's worker died over it twice:
//
//   failed job ──▶ one suspect a delivery ──▶ done (the bystanders)
//                        ▲            └────▶ failed ──▶ giveUp (quarantine) when two notes say that it ran alone
//                        └── otherwise it was a bystander again
//
// Always the new home first, the removal after: a crash in between repeats a delivery, and the ledger absorbs repeats.

import type { JobsOptions } from 'bullmq';
import type { DeliveryBatch, GiveUp, QueuedDelivery } from '#src/queue/contract.ts';
import { unpackBatch } from '#src/queue/batch-codec.ts';
import { nameOfSuspect, notesOf } from './poison-pill.ts';

interface FailedJob {
  readonly name: string;
  readonly data: unknown;
  readonly progress: unknown;
  readonly failedReason: string;
}

/** The part of BullMQ's queue that a sweep uses. */
export interface Sweepable {
  getRanges(types: 'failed'[], start: number, end: number, asc: boolean): Promise<string[]>;
  getJob(id: string): Promise<FailedJob | undefined>;
  addBulk(jobs: { name: string; data: DeliveryBatch; opts: JobsOptions }[]): Promise<unknown>;
  remove(id: string): Promise<number>;
}

interface SweepNeeds {
  readonly queue: Sweepable;
  readonly giveUp: GiveUp;
  readonly jobOptions: JobsOptions;
}

const jobsASweep = 100;
const notesThatConvict = 2;

/** BullMQ's words for "its worker died over it more often than maxStalledCount allows". */
const workerDied = /stalled/;

export async function sweepFailed(needs: SweepNeeds): Promise<void> {
  for (const id of await needs.queue.getRanges(['failed'], 0, jobsASweep - 1, true)) {
    const job = await readJob(needs, id);
    if (job !== undefined) await redrive(needs, job);
    await needs.queue.remove(id);
  }
}

async function redrive({ queue, giveUp, jobOptions }: SweepNeeds, job: FailedJob): Promise<void> {
  const notes = notesOf(job);
  const parts = split(unpackBatch(job.data));
  if (notes !== undefined && notes >= notesThatConvict) {
    await giveUp(parts[0] ?? job.data, 'its worker died over it again and again');
    return;
  }
  // A job that failed for another cause came without our options (a hand at redis-cli): now it gets them.
  const name = workerDied.test(job.failedReason) ? nameOfSuspect(notes) : 'batch';
  const batches = parts.length === 0 ? [job.data as DeliveryBatch] : parts.map(batchOfOne);
  await queue.addBulk(batches.map((data) => ({ name, data, opts: jobOptions })));
}

async function readJob({ queue, giveUp }: SweepNeeds, id: string): Promise<FailedJob | undefined> {
  try {
    return await queue.getJob(id);
  } catch (error) {
    // Not JSON: nobody but a hand at redis-cli wrote it. It must not stop the sweep of the others.
    if (!(error instanceof SyntaxError)) throw error;
    await giveUp(null, 'the job is not JSON');
    return undefined;
  }
}

function split(data: unknown): readonly unknown[] {
  return typeof data === 'object' && data !== null && 'deliveries' in data && Array.isArray(data.deliveries)
    ? data.deliveries
    : [];
}

/** The worker validates what it takes, so whatever stood in the batch travels on as it is. */
function batchOfOne(delivery: unknown): DeliveryBatch {
  return { v: 1, deliveries: [delivery as QueuedDelivery] };
}
