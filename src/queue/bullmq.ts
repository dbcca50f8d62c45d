// The delivery queue on BullMQ, whatever BullMQ stands on; a leaf brings the engine (connections, check, ping).

import type { JobsOptions, Processor, QueueOptions, WorkerOptions } from 'bullmq';
import { withDeadline } from '#src/deadline.ts';
import { SlotstreamError } from '#src/errors.ts';
import { type BullWorker, defaultPace, type Pace, startBullWorker } from './bull-worker.ts';
import type { DeliveryBatch, DeliveryQueue, EngineProblem, QueueWorker } from './contract.ts';
import { queueFailure } from './failure.ts';
import { packBatch, type PackedBatch } from './packing.ts';
import { untilReady } from './readiness.ts';
import type { Sweepable } from './sweep.ts';

/** The part of BullMQ's queue that is used here; its own type says too much about its backend. */
export interface BullQueue extends Sweepable {
  on(event: 'error', listener: (error: unknown) => void): unknown;
  waitUntilReady(): Promise<unknown>;
  add(name: string, data: DeliveryBatch | PackedBatch, options: JobsOptions): Promise<unknown>;
  getJobCounts(
    ...states: ('wait' | 'prioritized' | 'active' | 'delayed' | 'failed')[]
  ): Promise<Record<string, number>>;
  close(): Promise<void>;
}

export interface BullEngine {
  readonly engine: DeliveryQueue['engine'];
  makeQueue(options: Omit<QueueOptions, 'connection'>): BullQueue;
  makeWorker(processor: Processor, options: Omit<WorkerOptions, 'connection'>): BullWorker;
  check(): Promise<readonly EngineProblem[]>;
  ping(): Promise<void>;
  /** Drops every connection, answered or not. */
  close(): Promise<void>;
}

const jobOptions: JobsOptions = {
  // Only transient causes are thrown and those never exhaust attempts; PostgreSQL keeps the number in an int4.
  attempts: 2 ** 31 - 1,
  backoff: { type: 'capped' },
  removeOnComplete: true,
  removeOnFail: false,
  stackTraceLimit: 0,
};

/** Nobody reads BullMQ's event stream here, and it is trimmed lazily. */
const queueOptions = { streams: { events: { maxLen: 100 } } };

const openPatienceMs = 2000;
const closePatienceMs = 3000;

interface BullNeeds {
  readonly engine: BullEngine;
  readonly report: (error: Error) => void;
  readonly pace: Pace | undefined;
}

/** Opens without fail: an engine that is away is waited for a moment, and then in the background for ever. */
export async function openBullQueue({ engine, report, pace = defaultPace }: BullNeeds): Promise<DeliveryQueue> {
  const closing = new AbortController();
  const tell = (error: unknown): void => void (closing.signal.aborted || report(queueFailure(error)));
  let connected: BullQueue | undefined;
  const connecting = untilReady({ make: () => engine.makeQueue(queueOptions), tell, signal: closing.signal }).then(
    (queue) => (connected = queue),
  );

  const ask = async <T>(question: (queue: BullQueue) => Promise<T>): Promise<T> => {
    if (connected === undefined) throw new SlotstreamError('queue_unavailable', 'The queue has not answered yet.');
    try {
      return await question(connected);
    } catch (error) {
      throw queueFailure(error);
    }
  };

  const workers = new Set<QueueWorker>();
  await withDeadline(connecting, openPatienceMs).catch(tell);
  return {
    engine: engine.engine,
    add: (batch) => ask(async (queue) => void (await queue.add('batch', packBatch(batch), jobOptions))),
    work: (processor, giveUp, { concurrency }) => {
      const make = engine.makeWorker;
      const worker = startBullWorker({ make, processor, giveUp, ask, tell, jobOptions }, { concurrency, pace });
      workers.add(worker);
      return worker;
    },
    depth: () =>
      ask(async (queue) => {
        const counts = await queue.getJobCounts('wait', 'prioritized', 'active', 'delayed', 'failed');
        const { wait = 0, prioritized = 0, active = 0, delayed = 0, failed = 0 } = counts;
        return { waiting: wait + prioritized, active, delayed, failed };
      }),
    check: () => engine.check(),
    ping: () => engine.ping(),
    close: async () => {
      await Promise.all([...workers].map((worker) => worker.close()));
      closing.abort();
      await connecting;
      if (connected) await withDeadline(connected.close(), closePatienceMs).catch(tell);
      await engine.close();
    },
  };
}
