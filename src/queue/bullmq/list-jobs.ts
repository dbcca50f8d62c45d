// Lists jobs for operators: how many deliveries each has, how long it waits, and why its last run failed.

import { unpackBatch } from '#src/queue/batch-codec.ts';
import type { JobState, QueueJob } from '#src/queue/contract.ts';
import type { BullEngine, BullQueue } from './connection.ts';
import { deliveriesIn, type StoredJob } from './failed-job-recovery.ts';

const namesOf = { waiting: 'wait', active: 'active', delayed: 'delayed', failed: 'failed' } as const;

type ReadQueue = Pick<BullQueue, 'getRanges' | 'getJob' | 'getJobCounts'>;

export async function listJobs(
  queue: ReadQueue,
  engine: BullEngine['engine'],
  { state, limit }: { readonly state: JobState; readonly limit: number },
): Promise<readonly QueueJob[]> {
  const name = namesOf[state];
  // On PostgreSQL BullMQ numbers these two from the newest, whatever order is requested.
  const fromNewest = engine === 'postgres' && (name === 'wait' || name === 'active');
  const before = fromNewest ? Math.max(0, ((await queue.getJobCounts(name))[name] ?? 0) - limit) : 0;
  const ids = await queue.getRanges([name], before, before + limit - 1, true);
  const jobs = await Promise.all(ids.slice(0, limit).map((id) => readJob(queue, id)));
  // One that is gone has ended, or moved to another state, meanwhile.
  return jobs.flatMap((job, at) => (job === undefined ? [] : [shownJob(job, { id: ids[at] ?? '', state })]));
}

async function readJob(queue: Pick<ReadQueue, 'getJob'>, id: string): Promise<StoredJob | 'unreadable' | undefined> {
  try {
    return await queue.getJob(id);
  } catch (error) {
    // Not JSON: only a person with redis-cli writes such a job.
    if (!(error instanceof SyntaxError)) throw error;
    return 'unreadable';
  }
}

function shownJob(job: StoredJob | 'unreadable', { id, state }: Pick<QueueJob, 'id' | 'state'>): QueueJob {
  if (job === 'unreadable')
    return { id, state, deliveries: null, attempts: 0, addedMs: null, dueMs: null, lastError: 'the job is not JSON' };
  const { timestamp, delay, processedOn = timestamp, attemptsMade, failedReason } = job;
  return {
    id,
    state,
    deliveries: deliveriesIn(unpackBatch(job.data)).length,
    attempts: attemptsMade,
    addedMs: timestamp,
    // A job is delayed when a run of it has failed; the run took a moment at most.
    dueMs: state === 'delayed' ? processedOn + delay : null,
    lastError: failedReason || null,
  };
}
