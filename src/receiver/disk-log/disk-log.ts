// The disk log of a receiver. An entry is a batch on disk that is not queued, or that is queued under a job.
//
// Four steps lead a batch from the intake into BullMQ:
//   1 the disk log (here)       writes it, passes it on, and decides the answer
//   2 queue-circuit.ts          whether the queue takes it now: closed, open, probing, unsafe or full; a timeout
//   3 bullmq/delivery-queue.ts  packs it into a job; errors without personal data
//   4 the backend               on Redis, job and marker in one script; otherwise a commit
//
// Two modes. With Redis, which can lose what it accepted, every batch is written:
//   written (fsync) and added, at the same time ──▶ queued ──job finished──▶ freed
//        └─ the queue did not take it ──▶ not queued ──the loop adds it──▶ queued
//   queued ──the queue lost jobs, or the receiver restarted──▶ not queued
//   freed ──every batch of the segment is──▶ kept (no entry) ──DISK_LOG_KEEP is over, or the room is needed──▶ deleted
//   freed or kept ──the database went back──▶ not queued
// Otherwise a batch is written only when the queue does not take it:
//   written (fsync) ──▶ not queued ──the loop adds it──▶ freed
//
// The answer, where disk and queue do not agree:
//                           circuit closed or probing, and the batch added   open, unsafe, full, or not added in time
//   disk writes             202, queued                                      202, on disk
//   disk full or failing    every batch: 503 · otherwise: 202, queued        503
import { minuteMs } from '#src/base/time.ts';
import { throttled, type Log } from '#src/observability/log.ts';
import type { Metrics, ReceivedOutcome } from '#src/observability/metrics/registry.ts';
import { packBatch } from '#src/queue/batch-codec.ts';
import type { DeliveryBatch, LossDetection } from '#src/queue/contract.ts';
import type { WentBackNote } from '#src/queue/went-back.ts';
import type { QueueCircuit } from '#src/receiver/queue-circuit.ts';
import { openBatchStore, type BatchStoreOptions, type StoredBatch } from './batch-store.ts';
import { createCatchUp } from './catch-up.ts';
import { createEntries } from './entries.ts';

export interface DiskLogNeeds {
  readonly circuit: Pick<QueueCircuit, 'state' | 'enqueue'>;
  /** Present where every batch is written. */
  readonly losses?: LossDetection | undefined;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'requeued' | 'queueLost'>;
  /** False while its disk is almost full. */
  readonly hasRoom?: () => Promise<boolean>;
  /** When workers have found that the database went back; undefined where they have not. */
  readonly wentBack?: () => Promise<WentBackNote | undefined>;
}

export interface DiskLogOptions extends BatchStoreOptions {
  readonly maxBytes: number;
}

export interface DiskLog {
  readonly writesEvery: boolean;
  /** Whether finished batches stay for a while. */
  readonly keepsFinished: boolean;
  /** Resolves once the batch is durable, or cannot be made so. Never rejects. */
  accept(batch: DeliveryBatch): Promise<ReceivedOutcome>;
  /** Whether a batch would be written now. After a failure it tries the disk. */
  canWrite(): Promise<boolean>;
  hasWaiting(): boolean;
  status(): DiskLogStatus;
  /** One turn of the loop: see `createCatchUp`. */
  check(signal?: AbortSignal): Promise<void>;
  /** Takes over what receivers that crashed have left. */
  adopt(): Promise<void>;
  close(): Promise<void>;
}

export interface DiskLogStatus {
  /** Deliveries that are not queued. */
  readonly waiting: number;
  /** All entries: not queued, or queued and not finished. */
  readonly batches: number;
  readonly bytes: number;
  /** How often the queue had lost jobs, since the start of the process. */
  readonly losses: number;
  readonly is_full: boolean;
}

/** The clocks of a worker and of a receiver may differ by so much. */
const slackMs = minuteMs;

export async function openDiskLog(needs: DiskLogNeeds, options: DiskLogOptions): Promise<DiskLog> {
  const { circuit, losses, log, metrics, hasRoom = async () => true } = needs;
  const { maxBytes, nowMs = Date.now } = options;
  const keepMs = losses ? (options.keepMs ?? 0) : 0;
  const logThrottled = throttled(log, 10_000);
  const store = openBatchStore(logThrottled, { ...options, keepMs });
  const lossCount = (): number => losses?.count() ?? 0;
  const entries = createEntries(store, { count: lossCount });
  const catchUp = createCatchUp({ store, entries, circuit, losses, log, metrics });
  let isClosed = false;
  /** On their way to become entries. */
  const accepting = new Set<string>();
  let followed: string | undefined;

  function status(): DiskLogStatus {
    const [waiting, bytes] = [entries.waitingDeliveries(), store.bytes()];
    return { waiting, batches: entries.size, bytes, losses: lossCount(), is_full: bytes >= maxBytes };
  }

  async function hasSpace(): Promise<boolean> {
    if (isClosed || !(await hasRoom())) return false;
    if (store.bytes() < maxBytes) return true;
    const message = 'the disk log is full; it takes no deliveries until the queue and its workers have caught up';
    logThrottled('error', message, { maxBytes });
    return false;
  }

  /** While an entry waits, the loop probes the queue, so that no sender waits for a probe that may fail. */
  function mayTryQueue(): boolean {
    const state = circuit.state();
    return state === 'closed' || (state === 'probing' && !entries.hasWaiting());
  }

  async function acceptEvery(batch: StoredBatch): Promise<ReceivedOutcome> {
    if (!(await hasSpace())) return 'unavailable';
    accepting.add(batch.id);
    try {
      return await writeAndAdd(batch);
    } finally {
      accepting.delete(batch.id);
    }
  }

  async function writeAndAdd(batch: StoredBatch): Promise<ReceivedOutcome> {
    const mustWriteFirst = store.isFailing();
    const writing = store.append(batch);
    // At the same time, except on a disk that fails: each attempt would add one more copy to the queue.
    if (mustWriteFirst && !(await writing)) return 'unavailable';
    const count = lossCount();
    const adding = mayTryQueue() && circuit.enqueue(batch.content, batch.id);
    const [segment, isAdded] = await Promise.all([writing, adding]);
    if (!segment) return 'unavailable';
    entries.add(batch, segment, isAdded ? count : undefined);
    return isAdded ? 'queued' : 'on_disk';
  }

  async function acceptOtherwise(batch: StoredBatch): Promise<ReceivedOutcome> {
    const enqueue = () => circuit.enqueue(batch.content, batch.id);
    if (mayTryQueue() && (await enqueue())) return 'queued';
    const segment = (await hasSpace()) ? await store.append(batch) : undefined;
    // The disk fails too, and the loop may be stuck on it, so this batch probes the queue itself.
    if (!segment) return circuit.state() === 'probing' && (await enqueue()) ? 'queued' : 'unavailable';
    entries.add(batch, segment);
    return 'on_disk';
  }

  async function canWrite(): Promise<boolean> {
    if (!(await hasSpace())) return false;
    if (!store.isFailing()) return true;
    const segment = await store.append({ id: store.newId(), content: { v: 1, deliveries: [] }, deliveries: 0 });
    if (segment) store.settle(segment);
    return segment !== undefined;
  }

  async function check(signal?: AbortSignal): Promise<void> {
    try {
      await followWentBack();
      await catchUp(signal);
    } finally {
      await store.clean((await hasRoom()) ? maxBytes : 0);
    }
  }

  /** Makes entries of what was finished after the time that the database went back to. What the log still has, it drops. */
  async function followWentBack(): Promise<void> {
    if (keepMs === 0) return;
    const note = await needs.wentBack?.().catch(() => undefined);
    // Later, nothing is left of what was finished before it was noticed.
    if (note === undefined || note.at === followed || nowMs() - Date.parse(note.at) > keepMs + slackMs) return;
    // What is still in the queue is not added twice.
    entries.unqueueAll();
    let batches = 0;
    for (const { segment, batches: found } of await store.reopen(note.sinceMs - slackMs))
      for (const batch of found) {
        if (batch.deliveries === 0 || entries.has(batch.id) || accepting.has(batch.id)) continue;
        store.unsettle(segment);
        entries.add(batch, segment);
        batches += 1;
      }
    followed = note.at;
    const message =
      'the database went back; batches that were finished since then are enqueued again from the disk log';
    log.error({ code: 'database_went_back', batches }, message);
  }

  async function adopt(): Promise<void> {
    const { segments, retained } = await store.adopt();
    // They may have been kept since then, too.
    if (retained > 0) followed = undefined;
    for (const { segment, batches } of segments)
      for (const batch of batches)
        if (batch.deliveries > 0) entries.add(batch, segment);
        else store.settle(segment);
  }

  await adopt();
  return {
    writesEvery: losses !== undefined,
    keepsFinished: keepMs > 0,
    accept(batch) {
      const stored = { id: store.newId(), content: packBatch(batch), deliveries: batch.deliveries.length };
      return losses ? acceptEvery(stored) : acceptOtherwise(stored);
    },
    canWrite,
    hasWaiting: entries.hasWaiting,
    status,
    check,
    adopt,
    async close() {
      isClosed = true;
      await check(AbortSignal.abort()).catch(() => undefined);
      await store.close();
    },
  };
}
