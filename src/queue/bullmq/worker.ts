// The taking side of any queue here: BullMQ's worker with our pace, our retry, and an end that does not wait for a dead engine.

import type { Job, Processor, WorkerOptions } from 'bullmq';
import { backoffMs, type Backoff } from '#src/base/retry-policy.ts';
import { withTimeout } from '#src/base/timeout.ts';
import type { QueueWorker } from '#src/queue/contract.ts';
import { codeOf } from '#src/base/errors.ts';
import { untilReady } from './connect-with-retry.ts';

/** The part of BullMQ's worker that is used here. */
export interface BullWorker {
  on(event: 'error' | 'failed', listener: (error: unknown) => void): unknown;
  waitUntilReady(): Promise<unknown>;
  run(): Promise<void>;
  close(): Promise<void>;
}

export type MakeWorker = (processor: Processor, options: Omit<WorkerOptions, 'connection'>) => BullWorker;

interface RunnerNeeds {
  readonly make: MakeWorker;
  run(job: Job): Promise<void>;
  readonly tell: (error: unknown) => void;
  /** A worker is connected and about to take jobs. */
  onStart?(worker: BullWorker): void;
}

/** How soon a dead worker is noticed. Redelivery takes at most lock + 2 × stalled check: within 15 s. */
export interface Pace {
  readonly lockMs: number;
  readonly stalledMs: number;
  readonly sweepMs: number;
}

export const defaultPace: Pace = { lockMs: 5000, stalledMs: 4500, sweepMs: 5000 };

const closePatienceMs = 3000;
/** Half of the delay is random, so that many batches do not come back at the same moment. */
const jobBackoff: Backoff = { firstMs: 250, longestMs: 30_000, jitter: 0.5 };

export function startBullWorker(needs: RunnerNeeds, options: { concurrency: number; pace: Pace }): QueueWorker {
  const { make, tell } = needs;
  const { concurrency, pace } = options;
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();

  const process: Processor = async (job) => {
    const turn = needs.run(job);
    running.add(turn);
    try {
      await turn;
    } catch (error) {
      throw nameless(error);
    } finally {
      running.delete(turn);
    }
  };

  const settings: Omit<WorkerOptions, 'connection'> = {
    autorun: false,
    concurrency,
    lockDuration: pace.lockMs,
    stalledInterval: pace.stalledMs,
    maxStalledCount: 1,
    runRetryDelay: 1000,
    settings: { backoffStrategy: (attempt) => backoffMs(jobBackoff, attempt, Math.random()) },
  };
  const started = untilReady({ make: () => make(process, settings), tell, signal: stopping.signal }).then((worker) => {
    if (worker === undefined) return worker;
    needs.onStart?.(worker);
    worker.run().catch(tell);
    return worker;
  });

  const close = async (): Promise<void> => {
    stopping.abort();
    const closing = started.then((worker) => worker?.close());
    // With the engine gone BullMQ waits for ever to say that a job is done; the job then simply comes again.
    do {
      await Promise.allSettled(running);
      await withTimeout(closing, closePatienceMs).catch(tell);
    } while (running.size > 0);
  };
  let closed: Promise<void> | undefined;
  return { close: () => (closed ??= close()) };
}

/** BullMQ stores message and stack of what a job throws, and shows them on boards: nothing of a person may be in them. */
function nameless(error: unknown): Error {
  const safe = new Error(codeOf(error));
  delete safe.stack;
  return safe;
}
