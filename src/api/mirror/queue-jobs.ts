// The jobs in the queue of deliveries: what waits, what runs, what is retried and why.
import { z } from 'zod';
import { instant } from '#schemas/resources/values.ts';
import { defineOperation } from '#src/api/api-operation.ts';
import { instantOf } from '#src/base/time.ts';
import type { QueueJob } from '#src/queue/contract.ts';
import { jobStates as states, processOf } from './mirror-process.ts';

const count = z.int().min(0);

export const queueJob = z
  .strictObject({
    id: z.string(),
    state: z
      .enum(states)
      .describe(
        '`waiting`: no worker has taken it. `active`: a worker runs it. `delayed`: a run failed, and it is retried at `due_at`. `failed`: its worker crashed; its deliveries are run again one by one.',
      ),
    deliveries: count.nullable().describe('How many deliveries it holds; null when it cannot be read.'),
    attempts: count.describe('Runs that have ended without success.'),
    added_at: instant.nullable(),
    age_seconds: count.nullable(),
    due_at: instant.nullable().describe('When a delayed job runs again, about.'),
    last_error: z.string().nullable().describe('The code of the error that ended its last run.'),
  })
  .meta({ id: 'QueueJob' });

const depth = z.strictObject({ waiting: count, active: count, delayed: count, failed: count });

const limit = z.coerce.number().int().min(1).max(50).default(20);

export const listQueueJobs = defineOperation({
  id: 'listQueueJobs',
  method: 'GET',
  path: '/api/queue/jobs',
  tag: 'Queue',
  summary: 'Jobs in the queue, oldest first',
  description:
    'A job holds up to 256 deliveries. Finished jobs are removed, so an empty list is the normal state. `depth` counts all jobs, also those that are not listed.',
  query: z.strictObject({
    state: z.enum(states).optional().describe('Only jobs in this state.'),
    limit: limit.describe('How many of each state, at most 50.'),
  }),
  answers: 'object',
  schema: z.strictObject({ engine: z.string(), depth, collection: z.array(queueJob) }),
  async run(context) {
    const { queue } = processOf(context);
    const { state, limit: most } = context.query;
    const nowMs = context.clock();
    const lists = await Promise.all((state ? [state] : states).map((each) => queue.jobs(each, most)));
    const collection = lists.flat().map((job) => shownJob(job, nowMs));
    return { engine: queue.engine, depth: await queue.depth(), collection };
  },
});

export const recoverQueueJobs = defineOperation({
  id: 'recoverQueueJobs',
  method: 'POST',
  path: '/api/queue/recover',
  tag: 'Queue',
  summary: 'Recover failed jobs now',
  description:
    'Every worker does this every few seconds: the deliveries of a failed job are run again one by one, and one that crashes its worker repeatedly is quarantined.',
  audited: true,
  answers: 'object',
  schema: z.strictObject({ failed_before: count, failed_after: count }),
  async run(context) {
    const { queue } = processOf(context);
    const { failed: failed_before } = await queue.depth();
    await queue.recoverFailed();
    return { failed_before, failed_after: (await queue.depth()).failed };
  },
});

export const queueOperations = [listQueueJobs, recoverQueueJobs] as const;

function shownJob({ addedMs, dueMs, lastError, ...job }: QueueJob, nowMs: number): z.output<typeof queueJob> {
  return {
    ...job,
    added_at: addedMs === null ? null : instantOf(addedMs),
    age_seconds: addedMs === null ? null : Math.max(0, Math.round((nowMs - addedMs) / 1000)),
    due_at: dueMs === null ? null : instantOf(dueMs),
    last_error: lastError,
  };
}
