// What the loop of the disk log does: frees the entries whose jobs are finished, and enqueues those that are not queued or were lost.
import { withTimeout } from '#src/base/timeout.ts';
import type { Log } from '#src/observability/log.ts';
import type { Metrics } from '#src/observability/metrics/registry.ts';
import type { LossDetection } from '#src/queue/contract.ts';
import type { QueueCircuit } from '#src/receiver/queue-circuit.ts';
import type { BatchStore, StoredBatch } from './batch-store.ts';
import type { Entries } from './entries.ts';
import type { Segment } from './segment-writer.ts';

interface CatchUpNeeds {
  readonly store: Pick<BatchStore, 'read'>;
  readonly entries: Entries;
  readonly circuit: Pick<QueueCircuit, 'state' | 'enqueue'>;
  /** Undefined where a batch is freed as soon as it is queued. */
  readonly losses: LossDetection | undefined;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'requeued' | 'queueLost'>;
}

const jobsPerQuestion = 500;
const enqueuedTogether = 32;
const answerTimeoutMs = 2000;
/** No sender waits for it. */
const enqueueTimeoutMs = 5000;

/** The function must not run twice at a time. It rejects when the queue does not answer, and ends early when `signal` aborts. */
export function createCatchUp(needs: CatchUpNeeds): (signal?: AbortSignal) => Promise<void> {
  const { store, entries, circuit, losses, log, metrics } = needs;
  let reportedLosses = losses?.count() ?? 0;

  async function freeFinished(detection: LossDetection, signal: AbortSignal | undefined): Promise<void> {
    let unchecked = entries.size;
    do {
      const ids = entries.nextQueued(jobsPerQuestion);
      // Also without jobs: it finds a loss, and keeps the marker in the queue from expiring.
      const finished = await withTimeout(detection.finished(ids), answerTimeoutMs);
      for (const id of finished) entries.free(id);
      entries.moveToEnd(ids);
      unchecked -= ids.length;
      // While few jobs are finished, there is no hurry to ask for the others.
      if (finished.length === 0 || finished.length * 2 < ids.length) return;
    } while (unchecked > 0 && !signal?.aborted);
  }

  function reportLosses({ count }: LossDetection): void {
    if (count() === reportedLosses) return;
    metrics.queueLost(count() - reportedLosses);
    reportedLosses = count();
    const batches = [...entries.waiting().values()].reduce((sum, ids) => sum + ids.size, 0);
    const message = 'the queue has lost jobs; the unfinished batches are enqueued again from the disk log';
    log.error({ code: 'queue_lost_jobs', batches }, message);
  }

  const canEnqueue = (): boolean => ['closed', 'probing'].includes(circuit.state());

  async function enqueue({ id, content }: StoredBatch): Promise<void> {
    const count = losses?.count() ?? 0;
    if (!(await circuit.enqueue(content, id, enqueueTimeoutMs))) return;
    metrics.requeued();
    if (losses) entries.queued(id, count);
    else entries.free(id);
  }

  async function enqueueFrom(segment: Segment, ids: ReadonlySet<string>, signal?: AbortSignal): Promise<number> {
    const content = await store.read(segment);
    if (!content) return 0;
    const batches = content.filter(({ id }) => ids.has(id));
    let at = 0;
    while (at < batches.length && canEnqueue() && !signal?.aborted) {
      // One batch alone decides whether the circuit closes.
      const group = batches.slice(at, at + (circuit.state() === 'closed' ? enqueuedTogether : 1));
      await untilAborted(Promise.all(group.map(enqueue)), signal);
      at += group.length;
    }
    const readable = new Set(batches.map(({ id }) => id));
    // Damaged on disk since: the file is set aside, and the log says so.
    for (const id of ids) if (!readable.has(id)) entries.free(id);
    return at;
  }

  return async (signal) => {
    if (losses) await freeFinished(losses, signal);
    if (losses) reportLosses(losses);
    let batches = 0;
    for (const [segment, ids] of entries.waiting())
      if (canEnqueue() && !signal?.aborted) batches += await enqueueFrom(segment, ids, signal);
    if (batches > 0) log.info({ batches }, 'batches of the disk log are in the queue');
  };
}

/** Resolves with the promise, or as soon as the signal aborts: what is not enqueued by then stays on disk. */
function untilAborted(promise: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve();
    signal?.addEventListener('abort', stop);
    promise.then(stop, reject).finally(() => signal?.removeEventListener('abort', stop));
  });
}
