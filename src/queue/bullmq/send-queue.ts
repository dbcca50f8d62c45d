// The queue of sends on BullMQ, beside the queue of deliveries and on the same engine.

import type { JobsOptions } from 'bullmq';
import { type BullEngine, openConnection } from './connection.ts';
import { startBullWorker, type WorkerTiming } from './worker.ts';
import type { QueueWorker, SendQueue } from '#src/queue/contract.ts';

const jobOptions: JobsOptions = {
  // Whether to try again is written in the alert's row; only an engine that is away is waited for here.
  attempts: 2 ** 31 - 1,
  backoff: { type: 'capped' },
  // Gone when it is over, however it ended: the row is added again as long as it is due.
  removeOnComplete: true,
  removeOnFail: true,
  stackTraceLimit: 0,
};

export async function openBullSends(
  {
    engine,
    report,
    timing,
  }: { readonly engine: BullEngine; readonly report: (error: Error) => void; readonly timing: WorkerTiming },
  name: string,
): Promise<SendQueue> {
  const { withQueue, report: reportError, depth, close } = await openConnection({ engine, report }, name);
  const workers = new Set<QueueWorker>();
  const end = async (): Promise<void> => {
    await Promise.all([...workers].map((worker) => worker.close()));
    await close();
  };
  let ended: Promise<void> | undefined;
  return {
    add: (jobs) =>
      withQueue(async (queue) => {
        const bulk = jobs.map(({ id, data }) => ({ name: 'send', data, opts: { ...jobOptions, jobId: id } }));
        if (bulk.length > 0) await queue.addBulk(bulk);
      }),
    work: (processor, { concurrency }) => {
      const make = engine.makeWorker.bind(engine, name);
      const worker = startBullWorker(
        { make, report: reportError, run: (job) => processor(job.data) },
        { concurrency, timing },
      );
      workers.add(worker);
      return worker;
    },
    depth,
    close: () => (ended ??= end()),
  };
}
