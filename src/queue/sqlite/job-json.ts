// A stored job as BullMQ reads it.

import type { JobJson } from 'bullmq';
import type { StoredJob } from './job-statements.ts';

export function toJobJson(job: StoredJob): JobJson {
  return {
    id: job.id,
    name: job.name,
    data: job.data,
    opts: JSON.parse(job.opts),
    progress: JSON.parse(job.progress),
    attemptsMade: job.attempts_made,
    attemptsStarted: job.attempts_started,
    stalledCounter: job.stalled_count,
    timestamp: job.added_at,
    delay: job.delay_ms,
    priority: 0,
    failedReason: job.failed_reason ?? '',
    stacktrace: job.stacktrace ?? '[]',
    returnvalue: job.return_value ?? 'null',
    ...(job.processed_at !== null && { processedOn: job.processed_at }),
    ...(job.finished_at !== null && { finishedOn: job.finished_at }),
    ...(job.deferred_failure !== null && { deferredFailure: job.deferred_failure }),
  };
}
