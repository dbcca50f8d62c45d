// The receiver journal: a copy on disk of every batch in the queue, until its job is finished. Only for engines that can lose what they
// accepted (Redis): what they lost is enqueued again from here, and the event log drops what arrives twice.
//
//   appended (fsync) and enqueued, at the same time ──▶ acknowledged ──job finished──▶ released; its segment is deleted with the last one
//                                                        └─ queue lost jobs, or receiver restarted ──▶ enqueued again, under the same id
import { withTimeout } from '#src/base/timeout.ts';
import { throttled, type Log } from '#src/observability/log.ts';
import type { Metrics } from '#src/observability/metrics/registry.ts';
import { packBatch } from '#src/queue/batch-codec.ts';
import type { DeliveryBatch, DeliveryQueue, LossDetection } from '#src/queue/contract.ts';
import type { Segment } from '#src/receiver/disk-log/segment-writer.ts';
import { openJournalStore, type JournaledBatch, type JournalStoreOptions } from './journal-store.ts';

export interface JournalNeeds {
  readonly losses: LossDetection;
  readonly enqueue: DeliveryQueue['add'];
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'journaled' | 'requeued' | 'queueLost'>;
  /** False while its disk is almost full. */
  readonly hasRoom?: () => Promise<boolean>;
}

export interface JournalOptions extends JournalStoreOptions {
  readonly maxBytes: number;
}

export interface Journal {
  /** Stores the batch while `send` enqueues it. True once both have succeeded. */
  keep(batch: DeliveryBatch, send: (batch: JournaledBatch) => Promise<boolean>): Promise<boolean>;
  isFull(): boolean;
  /** True when the last batch could not be written to disk. */
  isFailing(): boolean;
  status(): JournalStatus;
  /**
   * Releases the batches whose jobs are finished, and enqueues again what the queue has lost. Rejects when the queue does not answer.
   * Ends early when `signal` aborts. Never call it twice at a time.
   */
  check(signal?: AbortSignal): Promise<void>;
  /** Takes over the journals of receivers that crashed. */
  adopt(): Promise<void>;
  close(): Promise<void>;
}

export interface JournalStatus {
  /** Batches whose jobs are not finished. */
  readonly batches: number;
  readonly bytes: number;
  /** How often the queue had lost jobs, since the start of the process. */
  readonly losses: number;
  readonly is_full: boolean;
}

interface Entry {
  readonly segment: Segment;
  /** The count of losses when the batch was enqueued; undefined for a batch of an earlier process, which may not be enqueued. */
  enqueuedUnder: number | undefined;
}

const jobsPerQuestion = 500;
const requeuedTogether = 32;
const answerTimeoutMs = 2000;
const enqueueTimeoutMs = 5000;

export async function openJournal(needs: JournalNeeds, options: JournalOptions): Promise<Journal> {
  const { losses, log, metrics, hasRoom = async () => true } = needs;
  const logThrottled = throttled(log, 10_000);
  const store = openJournalStore(logThrottled, options);
  /** In the order in which they are checked. */
  const entries = new Map<string, Entry>();
  let reportedLosses = losses.count();

  function status(): JournalStatus {
    const bytes = store.bytes();
    return { batches: entries.size, bytes, losses: losses.count(), is_full: bytes >= options.maxBytes };
  }

  function isFull(): boolean {
    const { maxBytes } = options;
    if (!status().is_full) return false;
    logThrottled('error', 'the journal is full; deliveries are rejected until workers have caught up', { maxBytes });
    return true;
  }

  async function keep(batch: DeliveryBatch, send: (batch: JournaledBatch) => Promise<boolean>): Promise<boolean> {
    if (isFull() || !(await hasRoom())) return false;
    const journaled = { id: store.newId(), content: packBatch(batch) };
    const wasFailing = store.isFailing();
    const storing = store.append(journaled, batch.deliveries.length);
    // At the same time, except on a disk that fails: each attempt would add one more copy to the queue.
    if (wasFailing && !(await storing)) return false;
    const enqueuedUnder = losses.count();
    const [segment, isSent] = await Promise.all([storing, send(journaled)]);
    if (segment && isSent) entries.set(journaled.id, { segment, enqueuedUnder });
    else if (segment) store.settle(segment);
    return segment !== undefined && isSent;
  }

  async function releaseFinished(signal: AbortSignal | undefined): Promise<void> {
    let unchecked = entries.size;
    do {
      const ids = entriesUnder(losses.count());
      // Also without jobs: it finds a loss, and keeps the marker in the queue from expiring.
      const finished = new Set(await withTimeout(losses.finished(ids), answerTimeoutMs));
      for (const id of ids) {
        const entry = entries.get(id);
        entries.delete(id);
        if (entry && finished.has(id)) store.settle(entry.segment);
        else if (entry) entries.set(id, entry);
      }
      unchecked -= ids.length;
      // While few jobs are finished, there is no hurry to ask for the others.
      if (finished.size === 0 || finished.size * 2 < ids.length) return;
    } while (unchecked > 0 && !signal?.aborted);
  }

  function entriesUnder(count: number): readonly string[] {
    const ids: string[] = [];
    for (const [id, { enqueuedUnder }] of entries) {
      if (enqueuedUnder === count) ids.push(id);
      if (ids.length === jobsPerQuestion) break;
    }
    return ids;
  }

  async function requeueLost(signal: AbortSignal | undefined): Promise<void> {
    const count = losses.count();
    const lost = new Map<Segment, Set<string>>();
    for (const [id, { segment, enqueuedUnder }] of entries)
      if (enqueuedUnder !== count) lost.set(segment, (lost.get(segment) ?? new Set()).add(id));
    if (count > reportedLosses) {
      metrics.queueLost(count - reportedLosses);
      const batches = [...lost.values()].reduce((sum, ids) => sum + ids.size, 0);
      const message = 'the queue has lost jobs; the unfinished batches are enqueued again from the journal';
      log.error({ code: 'queue_lost_jobs', batches }, message);
      reportedLosses = count;
    }
    let requeued = 0;
    for (const [segment, ids] of lost) if (!signal?.aborted) requeued += await requeueSegment(segment, ids);
    if (requeued > 0) log.info({ batches: requeued }, 'batches of the journal are in the queue again');
  }

  async function requeueSegment(segment: Segment, ids: Set<string>): Promise<number> {
    const content = await store.read(segment);
    if (!content) return 0;
    const batches = content.filter(({ id }) => ids.has(id));
    for (let at = 0; at < batches.length; at += requeuedTogether)
      await Promise.all(batches.slice(at, at + requeuedTogether).map(requeue));
    for (const { id } of batches) ids.delete(id);
    // Damaged on disk since: the file is set aside, and the log says so.
    for (const id of ids) if (entries.delete(id)) store.settle(segment);
    return batches.length;
  }

  async function requeue({ id, content }: JournaledBatch): Promise<void> {
    const count = losses.count();
    await withTimeout(needs.enqueue(content, id), enqueueTimeoutMs);
    const entry = entries.get(id);
    if (entry) entry.enqueuedUnder = count;
    metrics.requeued();
  }

  async function check(signal?: AbortSignal): Promise<void> {
    try {
      await releaseFinished(signal);
      await requeueLost(signal);
    } finally {
      await store.clean();
      metrics.journaled(status());
    }
  }

  async function adopt(): Promise<void> {
    for (const { segment, ids } of await store.adopt())
      for (const id of ids) entries.set(id, { segment, enqueuedUnder: undefined });
    metrics.journaled(status());
  }

  async function close(): Promise<void> {
    await check(AbortSignal.abort()).catch(() => undefined);
    await store.close();
  }

  await adopt();
  return { keep, isFull, isFailing: () => store.isFailing(), status, check, adopt, close };
}
