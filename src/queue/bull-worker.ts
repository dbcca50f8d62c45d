// The taking side: BullMQ's worker with our retry, our notes about suspects, and the sweep of what it gave up on.

import type { JobsOptions, Processor, WorkerOptions } from 'bullmq';
import { withDeadline } from '#src/deadline.ts';
import type { BatchProcessor, GiveUp, QueueWorker } from './contract.ts';
import { codeOf } from '#src/errors.ts';
import { untilReady } from './readiness.ts';
import { unpackBatch } from './packing.ts';
import { type Sweepable, sweepFailed } from './sweep.ts';
import { createTurnstile, notesOf, runNoted } from './suspicion.ts';

/** The part of BullMQ's worker that is used here. */
export interface BullWorker {
  on(event: 'error' | 'failed', listener: (error: unknown) => void): unknown;
  waitUntilReady(): Promise<unknown>;
  run(): Promise<void>;
  close(): Promise<void>;
}

interface WorkerNeeds {
  readonly make: (processor: Processor, options: Omit<WorkerOptions, 'connection'>) => BullWorker;
  readonly processor: BatchProcessor;
  readonly giveUp: GiveUp;
  readonly ask: <T>(question: (queue: Sweepable) => Promise<T>) => Promise<T>;
  readonly tell: (error: unknown) => void;
  readonly jobOptions: JobsOptions;
}

/** How soon a dead worker is noticed. Redelivery takes at most lock + 2 × stalled check: within 15 s. */
export interface Pace {
  readonly lockMs: number;
  readonly stalledMs: number;
  readonly sweepMs: number;
}

export const defaultPace: Pace = { lockMs: 5000, stalledMs: 4500, sweepMs: 5000 };

const backoffCapMs = 30_000;
const closePatienceMs = 3000;

/** Exponential from 250 ms to 30 s, the upper half of it random so that many batches do not come back as one. */
export function backoffMs(attempt: number, random: number): number {
  const full = Math.min(backoffCapMs, 250 * 2 ** Math.min(attempt - 1, 20));
  return Math.round(full / 2 + (random * full) / 2);
}

export function startBullWorker(needs: WorkerNeeds, options: { concurrency: number; pace: Pace }): QueueWorker {
  const { ask, giveUp, jobOptions, make, tell } = needs;
  const { concurrency, pace } = options;
  const stopping = new AbortController();
  const turnstile = createTurnstile();
  const running = new Set<Promise<void>>();

  const process: Processor = async (job) => {
    const run = (): Promise<void> => needs.processor(unpackBatch(job.data));
    const turn = notesOf(job) === undefined ? turnstile.together(run) : turnstile.alone(() => runNoted(job, run));
    running.add(turn);
    try {
      await turn;
    } catch (error) {
      throw nameless(error);
    } finally {
      running.delete(turn);
    }
  };

  let sweeping: Promise<void> | undefined;
  const sweep = (): void => {
    if (stopping.signal.aborted) return;
    sweeping ??= ask((queue) => sweepFailed({ queue, giveUp, jobOptions }))
      .catch(tell)
      .finally(() => (sweeping = undefined));
  };
  const timer = setInterval(sweep, pace.sweepMs);

  const settings: Omit<WorkerOptions, 'connection'> = {
    autorun: false,
    concurrency,
    lockDuration: pace.lockMs,
    stalledInterval: pace.stalledMs,
    maxStalledCount: 1,
    runRetryDelay: 1000,
    settings: { backoffStrategy: (attempt) => backoffMs(attempt, Math.random()) },
  };
  const started = untilReady({ make: () => make(process, settings), tell, signal: stopping.signal }).then((worker) => {
    worker?.on('failed', sweep);
    worker?.run().catch(tell);
    sweep();
    return worker;
  });

  const close = async (): Promise<void> => {
    stopping.abort();
    clearInterval(timer);
    const closing = started.then((worker) => worker?.close());
    await sweeping;
    // With the engine gone BullMQ waits for ever to say that a job is done; its batch then simply comes again.
    do {
      await Promise.allSettled(running);
      await withDeadline(closing, closePatienceMs).catch(tell);
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
