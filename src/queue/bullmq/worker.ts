// BullMQ's worker with our timing, our back-off, and a shutdown that does not wait for an engine that is down.

import type { Job, Processor, WorkerOptions } from 'bullmq';
import { codeOf } from '#src/base/errors.ts';
import { memoize } from '#src/base/memoize.ts';
import { backoffMs, type Backoff } from '#src/base/retry-policy.ts';
import { sleepUnlessAborted } from '#src/base/time.ts';
import { withTimeout } from '#src/base/timeout.ts';
import type { QueueWorker, WorkOptions } from '#src/queue/contract.ts';
import { connectWithRetry } from './engine-outages.ts';

/** The part of BullMQ's worker that is used here. */
export interface BullWorker {
  on(event: 'error' | 'failed', listener: (error: unknown) => void): unknown;
  waitUntilReady(): Promise<unknown>;
  run(): Promise<void>;
  /** With `doNotWaitActive` it does not wait for the running jobs. */
  pause(doNotWaitActive: true): Promise<void>;
  resume(): Promise<void>;
  close(): Promise<void>;
}

export type MakeWorker = (processor: Processor, options: Omit<WorkerOptions, 'connection'>) => BullWorker;

interface RunnerNeeds {
  readonly make: MakeWorker;
  run(job: Job): Promise<void>;
  readonly report: (error: unknown) => void;
  /** Called when a worker is connected and about to take jobs. */
  onStart?(worker: BullWorker): void;
  readonly mayTake: WorkOptions['mayTake'];
}

/** How soon a crashed worker is noticed. Redelivery takes at most lock + 2 × stalled check: within 15 s. */
export interface WorkerTiming {
  readonly lockMs: number;
  readonly stalledMs: number;
  /** How often failed jobs are recovered. */
  readonly recoveryMs: number;
}

export const defaultTiming: WorkerTiming = { lockMs: 5000, stalledMs: 4500, recoveryMs: 5000 };
export const maxStalledCount = 1;

/** Half of the delay is random, so that many batches do not come back at the same moment. */
const jobBackoff: Backoff = { firstMs: 250, longestMs: 30_000, jitter: 0.5 };
const closeTimeoutMs = 3000;
const pausedPollMs = 1000;

export function startBullWorker(
  needs: RunnerNeeds,
  { concurrency, timing }: { concurrency: number; timing: WorkerTiming },
): QueueWorker {
  const { make, report, mayTake = async () => true } = needs;
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  let paused: Promise<void> | undefined;

  async function pauseUntilAllowed(): Promise<void> {
    const worker = await started;
    await worker?.pause(true);
    do await sleepUnlessAborted(pausedPollMs, stopping.signal, { ref: false });
    while (!stopping.signal.aborted && !(await mayTake()));
    paused = undefined;
    if (!stopping.signal.aborted) await worker?.resume();
  }

  const process: Processor = async (job) => {
    if (!(await mayTake())) {
      paused ??= pauseUntilAllowed().catch(report);
      // The job goes back to the queue and is retried: a paused worker holds none, whatever happens to its process.
      throw new Error('paused');
    }
    const turn = needs.run(job);
    running.add(turn);
    try {
      await turn;
    } catch (error) {
      throw withoutData(error);
    } finally {
      running.delete(turn);
    }
  };

  const settings: Omit<WorkerOptions, 'connection'> = {
    autorun: false,
    concurrency,
    lockDuration: timing.lockMs,
    stalledInterval: timing.stalledMs,
    maxStalledCount,
    runRetryDelay: 1000,
    settings: { backoffStrategy: (attempt) => backoffMs(jobBackoff, attempt, Math.random()) },
  };
  const started = connectWithRetry({ make: () => make(process, settings), report, signal: stopping.signal }).then(
    async (worker) => {
      if (worker === undefined) return worker;
      // What may not be taken yet stays untouched in the queue.
      while (!stopping.signal.aborted && !(await mayTake()))
        await sleepUnlessAborted(pausedPollMs, stopping.signal, { ref: false });
      needs.onStart?.(worker);
      worker.run().catch(report);
      return worker;
    },
  );

  const close = async (): Promise<void> => {
    stopping.abort();
    // It may fail while jobs still run: a rejection without a handler would end the process.
    const closing = started.then((worker) => worker?.close()).catch(report);
    // While the engine is down, BullMQ waits for ever to report that a job is done; the job is then delivered again.
    do {
      await Promise.allSettled(running);
      await withTimeout(closing, closeTimeoutMs).catch(report);
    } while (running.size > 0);
  };
  return { close: memoize(close) };
}

/** BullMQ stores the message and the stack of what a job throws, and boards show them: they must not contain personal data. */
function withoutData(error: unknown): Error {
  const safe = new Error(codeOf(error));
  delete safe.stack;
  return safe;
}
