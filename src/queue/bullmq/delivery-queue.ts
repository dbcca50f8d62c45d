// The delivery queue on BullMQ, whatever engine BullMQ runs on; a backend provides the engine (connections, check, ping).

import type { JobsOptions } from 'bullmq';
import { type BullEngine, type BullQueue, openConnection, toQueueError } from './connection.ts';
import { startFailedJobRecovery } from './failed-job-recovery.ts';
import { createIsolation } from './poison-pill.ts';
import { defaultTiming, startBullWorker, type WorkerTiming } from './worker.ts';
import type { Claimant, DeliveryQueue, LossDetection, QueueNotes, QueueWorker } from '#src/queue/contract.ts';
import { queueOwner } from '#src/queue/queue-owner.ts';
import { packBatch, unpackBatch } from '#src/queue/batch-codec.ts';

const jobOptions: JobsOptions = {
  // No limit: the worker throws only for transient causes (the store is down), and an outage of days must not lose a delivery.
  // What can never succeed is quarantined instead of thrown. The largest int4, because PostgreSQL stores the number in one.
  attempts: 2 ** 31 - 1,
  backoff: { type: 'capped' },
  removeOnComplete: true,
  removeOnFail: false,
  stackTraceLimit: 0,
};

/** What every backend is opened with. */
export interface QueueNeeds {
  /** The name of the delivery queue. */
  readonly name: string;
  readonly report: (error: Error) => void;
  readonly timing: WorkerTiming | undefined;
  /** Whom `check` claims the queue for. */
  readonly claimant?: (() => Claimant) | undefined;
}

export async function openBullQueue(engine: BullEngine, { name, ...needs }: QueueNeeds): Promise<DeliveryQueue> {
  const { timing = defaultTiming, claimant } = needs;
  const notes = safeNotes(engine.notes(name));
  const owner = queueOwner(notes);
  const isolation = createIsolation();
  const { withQueue, report, depth, close } = await openConnection({ engine, report: needs.report }, name);
  const workers = new Set<QueueWorker>();
  return {
    engine: engine.engine,
    add: (batch, jobId) => {
      const options = jobId === undefined ? jobOptions : { ...jobOptions, jobId };
      return withQueue(async (queue) => void (await queue.add('batch', packBatch(batch), options)));
    },
    ...(engine.losses && { losses: withoutDriverErrors(engine.losses) }),
    notes,
    work: (processor, quarantine, { concurrency, mayTake }) => {
      const recovery = startFailedJobRecovery({ withQueue, quarantine, jobOptions, report }, timing.recoveryMs);
      const bullWorker = startBullWorker(
        {
          make: engine.makeWorker.bind(engine, name),
          report,
          mayTake,
          run: (job) => isolation(job, () => processor(unpackBatch(job.data))),
          onStart: (started) => {
            started.on('failed', () => void recovery.trigger());
            void recovery.trigger();
          },
        },
        { concurrency, timing },
      );
      const worker = { close: async () => void (await Promise.all([recovery.close(), bullWorker.close()])) };
      workers.add(worker);
      return worker;
    },
    depth,
    oldestMs: (state) => withQueue((queue) => oldestJobMs(queue, engine.engine, state === 'waiting' ? 'wait' : state)),
    owner,
    async check() {
      const problems = await engine.check();
      const other = claimant && (await owner.claim(claimant()));
      return other ? [...problems, other] : problems;
    },
    ping: () => engine.ping(),
    close: async () => {
      await Promise.all([...workers].map((worker) => worker.close()));
      await close();
      await engine.close();
    },
  };
}

const withoutDriverErrors = ({ count, finished }: LossDetection): LossDetection => ({
  count,
  finished: (jobIds) => safely(() => finished(jobIds)),
});

const safeNotes = ({ read, add, write, remove }: QueueNotes): QueueNotes => ({
  read: () => safely(read),
  add: (name, text) => safely(() => add(name, text)),
  write: (name, text) => safely(() => write(name, text)),
  remove: (names) => safely(() => remove(names)),
});

async function safely<Result>(ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    throw toQueueError(error);
  }
}

async function oldestJobMs(
  queue: Pick<BullQueue, 'getRanges' | 'getJob' | 'getJobCounts'>,
  engine: BullEngine['engine'],
  state: 'wait' | 'active',
): Promise<number | undefined> {
  // On PostgreSQL BullMQ numbers them from the newest, whatever order is requested.
  const at = engine === 'postgres' ? Math.max(0, ((await queue.getJobCounts(state))[state] ?? 0) - 1) : 0;
  const [id] = await queue.getRanges([state], at, at, true);
  try {
    // One that is gone has ended, or moved to another state, meanwhile.
    return id === undefined ? undefined : (await queue.getJob(id))?.timestamp;
  } catch (error) {
    // Not JSON: only a person with redis-cli writes such a job.
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}
