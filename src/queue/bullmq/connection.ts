// One named queue on an engine: connected once the engine answers, and asked only then.

import type { JobsOptions, Processor, QueueOptions, WorkerOptions } from 'bullmq';
import { withTimeout } from '#src/base/timeout.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import type { BullWorker } from './worker.ts';
import type { EngineProblem, QueueDepth } from '#src/queue/contract.ts';
import { queueFailure } from '#src/queue/sanitize-error.ts';
import { untilReady } from './connect-with-retry.ts';
import type { Sweepable } from './failed-job-recovery.ts';

/** The part of BullMQ's queue that is used here; its own type says too much about its backend. */
export interface BullQueue extends Omit<Sweepable, 'addBulk'> {
  on(event: 'error', listener: (error: unknown) => void): unknown;
  waitUntilReady(): Promise<unknown>;
  add(name: string, data: object, options: JobsOptions): Promise<unknown>;
  addBulk(jobs: { name: string; data: object; opts: JobsOptions }[]): Promise<unknown>;
  getJobCounts(
    ...states: ('wait' | 'prioritized' | 'active' | 'delayed' | 'failed')[]
  ): Promise<Record<string, number>>;
  close(): Promise<void>;
}

/** What a leaf brings. Queues of different names on one engine know nothing of each other. */
export interface BullEngine {
  readonly engine: 'redis' | 'postgres' | 'embedded';
  makeQueue(name: string, options: Omit<QueueOptions, 'connection'>): BullQueue;
  makeWorker(name: string, processor: Processor, options: Omit<WorkerOptions, 'connection'>): BullWorker;
  check(): Promise<readonly EngineProblem[]>;
  ping(): Promise<void>;
  /** Drops every connection, answered or not. */
  close(): Promise<void>;
}

export interface BullConnection {
  ask<T>(question: (queue: BullQueue) => Promise<T>): Promise<T>;
  /** Hears every error, until it closes. */
  tell(error: unknown): void;
  depth(): Promise<QueueDepth>;
  close(): Promise<void>;
}

/** Nobody reads BullMQ's event stream here, and it is trimmed lazily. */
const queueOptions = { streams: { events: { maxLen: 100 } } };

const openPatienceMs = 2000;
const closePatienceMs = 3000;

/** Opens without fail: an engine that is away is waited for a moment, and then in the background for ever. */
export async function openConnection(
  { engine, report }: { readonly engine: BullEngine; readonly report: (error: Error) => void },
  name: string,
): Promise<BullConnection> {
  const closing = new AbortController();
  const tell = (error: unknown): void => void (closing.signal.aborted || report(queueFailure(error)));
  let connected: BullQueue | undefined;
  const make = (): BullQueue => engine.makeQueue(name, queueOptions);
  const connecting = untilReady({ make, tell, signal: closing.signal }).then((queue) => (connected = queue));

  const ask = async <T>(question: (queue: BullQueue) => Promise<T>): Promise<T> => {
    if (connected === undefined) throw new SlotstreamError('queue_unavailable', 'The queue has not answered yet.');
    try {
      return await question(connected);
    } catch (error) {
      throw queueFailure(error);
    }
  };
  await withTimeout(connecting, openPatienceMs).catch(tell);
  return {
    ask,
    tell,
    depth: () =>
      ask(async (queue) => {
        const counts = await queue.getJobCounts('wait', 'prioritized', 'active', 'delayed', 'failed');
        const { wait = 0, prioritized = 0, active = 0, delayed = 0, failed = 0 } = counts;
        return { waiting: wait + prioritized, active, delayed, failed };
      }),
    close: async () => {
      closing.abort();
      await connecting;
      if (connected) await withTimeout(connected.close(), closePatienceMs).catch(tell);
    },
  };
}
