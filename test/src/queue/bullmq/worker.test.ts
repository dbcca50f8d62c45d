// The end of a worker whose engine is down, with a BullMQ worker that fails as BullMQ's does.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Job, Processor } from 'bullmq';
import { expect, it } from 'vitest';
import { defaultTiming, startBullWorker, type BullWorker } from '#src/queue/bullmq/worker.ts';

it('reports a failing close while a job still runs: no rejection is left without a handler, which would end the process', async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  const reported: unknown[] = [];
  const job = Promise.withResolvers<void>();
  const taken = Promise.withResolvers<Processor>();
  const bull: BullWorker = {
    on: () => undefined,
    waitUntilReady: async () => undefined,
    run: async () => undefined,
    pause: async () => undefined,
    resume: async () => undefined,
    close: () => Promise.reject(new Error('Connection is closed.')),
  };
  const worker = startBullWorker(
    {
      make: (processor) => {
        taken.resolve(processor);
        return bull;
      },
      run: () => job.promise,
      report: (error) => void reported.push(error),
      mayTake: undefined,
    },
    { concurrency: 1, timing: defaultTiming },
  );
  const take = await taken.promise;
  const running = take({} as Job);
  await nextTurn();
  const closing = worker.close();
  for (let turn = 0; turn < 5; turn += 1) await nextTurn();
  expect(reported).toHaveLength(1);
  job.resolve();
  await Promise.all([running, closing]);
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});
