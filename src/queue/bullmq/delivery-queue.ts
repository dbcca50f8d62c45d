// The queues on BullMQ, whatever BullMQ stands on; a leaf brings the engine (connections, check, ping).

import type { JobsOptions } from 'bullmq';
import { startBatchWorker } from './batch-worker.ts';
import { type BullEngine, openConnection } from './connection.ts';
import { openBullSends } from './send-queue.ts';
import { defaultPace, type Pace } from './worker.ts';
import type { DeliveryQueue, QueueWorker, SendQueue } from '#src/queue/contract.ts';
import { packBatch } from '#src/queue/batch-codec.ts';

const jobOptions: JobsOptions = {
  // Only transient causes are thrown and those never exhaust attempts; PostgreSQL keeps the number in an int4.
  attempts: 2 ** 31 - 1,
  backoff: { type: 'capped' },
  removeOnComplete: true,
  removeOnFail: false,
  stackTraceLimit: 0,
};

interface BullNeeds {
  readonly engine: BullEngine;
  /** Of the queue of deliveries. */
  readonly name: string;
  readonly report: (error: Error) => void;
  readonly pace: Pace | undefined;
}

export async function openBullQueue({ engine, name, report, pace = defaultPace }: BullNeeds): Promise<DeliveryQueue> {
  const { ask, tell, depth, close } = await openConnection({ engine, report }, name);
  const workers = new Set<QueueWorker>();
  const sends = new Set<SendQueue>();
  return {
    engine: engine.engine,
    add: (batch) => ask(async (queue) => void (await queue.add('batch', packBatch(batch), jobOptions))),
    work: (processor, giveUp, { concurrency }) => {
      const make = engine.makeWorker.bind(engine, name);
      const worker = startBatchWorker({ make, processor, giveUp, ask, tell, jobOptions }, { concurrency, pace });
      workers.add(worker);
      return worker;
    },
    openSends: async (sendsName = 'alerts') => {
      const queue = await openBullSends({ engine, report, pace }, sendsName);
      sends.add(queue);
      return queue;
    },
    depth,
    check: () => engine.check(),
    ping: () => engine.ping(),
    close: async () => {
      await Promise.all([...workers, ...sends].map((one) => one.close()));
      await close();
      await engine.close();
    },
  };
}
