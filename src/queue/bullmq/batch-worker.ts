// Taking deliveries: with notes about suspects, and the sweep of what BullMQ gave up on.

import type { JobsOptions } from 'bullmq';
import { type MakeWorker, type Pace, startBullWorker } from './worker.ts';
import type { BatchProcessor, GiveUp, QueueWorker } from '#src/queue/contract.ts';
import { unpackBatch } from '#src/queue/batch-codec.ts';
import { type Sweepable, sweepFailed } from './failed-job-recovery.ts';
import { createTurnstile, notesOf, runNoted } from './poison-pill.ts';

interface WorkerNeeds {
  readonly make: MakeWorker;
  readonly processor: BatchProcessor;
  readonly giveUp: GiveUp;
  readonly ask: <T>(question: (queue: Sweepable) => Promise<T>) => Promise<T>;
  readonly tell: (error: unknown) => void;
  readonly jobOptions: JobsOptions;
}

export function startBatchWorker(needs: WorkerNeeds, options: { concurrency: number; pace: Pace }): QueueWorker {
  const { ask, giveUp, jobOptions, make, tell } = needs;
  const turnstile = createTurnstile();
  let isClosing = false;
  let sweeping: Promise<void> | undefined;
  const sweep = (): void => {
    if (isClosing) return;
    sweeping ??= ask((queue) => sweepFailed({ queue, giveUp, jobOptions }))
      .catch(tell)
      .finally(() => (sweeping = undefined));
  };
  const timer = setInterval(sweep, options.pace.sweepMs);

  const worker = startBullWorker(
    {
      make,
      tell,
      run: (job) => {
        const run = (): Promise<void> => needs.processor(unpackBatch(job.data));
        return notesOf(job) === undefined ? turnstile.together(run) : turnstile.alone(() => runNoted(job, run));
      },
      onStart: (started) => {
        started.on('failed', sweep);
        sweep();
      },
    },
    options,
  );
  return {
    async close() {
      isClosing = true;
      clearInterval(timer);
      await Promise.all([sweeping, worker.close()]);
    },
  };
}
