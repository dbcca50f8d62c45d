// The worker's shell round BullMQ: takes batches, hands them to ingest, and tells the log what had to be tried again.

import { codeOf, isTransient } from '#src/base/errors.ts';
import { type Log, throttled } from '#src/observability/log.ts';
import type { BatchProcessor, DeliveryQueue, GiveUp, QueueWorker } from '#src/queue/contract.ts';

export interface DeliveryWorkerNeeds {
  readonly queue: Pick<DeliveryQueue, 'work'>;
  /** One batch, validated by itself; throws only when trying again later can help. */
  readonly ingest: BatchProcessor;
  /** Keeps a delivery that kills its worker out of the way of the others, whole and with its reason. */
  readonly quarantine: GiveUp;
  readonly log: Log;
}

export function startDeliveryWorker(
  needs: DeliveryWorkerNeeds,
  options: { readonly concurrency: number },
): QueueWorker {
  const say = throttled(needs.log, 1000);
  const process: BatchProcessor = async (batch) => {
    try {
      await needs.ingest(batch);
    } catch (error) {
      const level = isTransient(error) ? 'warn' : 'error';
      say(level, 'A batch failed and will be tried again.', { cause: codeOf(error) });
      throw error;
    }
  };
  const giveUp: GiveUp = async (delivery, reason) => {
    await needs.quarantine(delivery, reason);
    needs.log.error({ reason }, 'A delivery was quarantined because workers died over it.');
  };
  return needs.queue.work(process, giveUp, options);
}
