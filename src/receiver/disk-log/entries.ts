// The entries of the disk log: which batches are on disk, and whether the queue has each.
import type { LossDetection } from '#src/queue/contract.ts';
import type { BatchStore, StoredBatch } from './batch-store.ts';
import type { Segment } from './segment-writer.ts';

export interface Entry {
  readonly segment: Segment;
  readonly deliveries: number;
  /** The count of losses when the batch was enqueued; undefined when it is not queued. */
  readonly queuedUnder: number | undefined;
}

export interface Entries {
  readonly size: number;
  has(id: string): boolean;
  add(batch: Pick<StoredBatch, 'id' | 'deliveries'>, segment: Segment, queuedUnder?: number): void;
  /** The queue has the batch since this count of losses. Ignored when the entry was freed meanwhile. */
  queued(id: string, underLosses: number): void;
  /** None counts as queued: its job may be finished, and what that wrote lost. */
  unqueueAll(): void;
  /** The batch is not needed on disk any more. */
  free(id: string): void;
  /** The ids of those longest unchecked whose jobs are in the queue or finished. */
  nextQueued(limit: number): readonly string[];
  /** They are checked again after all others. */
  moveToEnd(ids: readonly string[]): void;
  /** The ids of those that are not queued, or were lost, by segment. */
  waiting(): ReadonlyMap<Segment, ReadonlySet<string>>;
  waitingDeliveries(): number;
  hasWaiting(): boolean;
}

export function createEntries(store: Pick<BatchStore, 'settle'>, losses: Pick<LossDetection, 'count'>): Entries {
  /** In the order in which they are checked. */
  const entries = new Map<string, Entry>();
  const isQueued = ({ queuedUnder }: Entry): boolean => queuedUnder === losses.count();

  function* unqueued(): Generator<readonly [string, Entry]> {
    for (const found of entries) if (!isQueued(found[1])) yield found;
  }

  return {
    get size() {
      return entries.size;
    },
    has: (id) => entries.has(id),
    add: ({ id, deliveries }, segment, queuedUnder) => void entries.set(id, { segment, deliveries, queuedUnder }),
    queued(id, queuedUnder) {
      const entry = entries.get(id);
      if (entry) entries.set(id, { ...entry, queuedUnder });
    },
    unqueueAll() {
      for (const [id, entry] of entries) entries.set(id, { ...entry, queuedUnder: undefined });
    },
    free(id) {
      const entry = entries.get(id);
      if (entry && entries.delete(id)) store.settle(entry.segment);
    },
    nextQueued(limit) {
      const ids: string[] = [];
      for (const [id, entry] of entries) {
        if (isQueued(entry)) ids.push(id);
        if (ids.length === limit) break;
      }
      return ids;
    },
    moveToEnd(ids) {
      for (const id of ids) {
        const entry = entries.get(id);
        if (entry && entries.delete(id)) entries.set(id, entry);
      }
    },
    waiting() {
      const found = new Map<Segment, Set<string>>();
      for (const [id, { segment }] of unqueued()) found.set(segment, (found.get(segment) ?? new Set()).add(id));
      return found;
    },
    waitingDeliveries: () => unqueued().reduce((sum, [, { deliveries }]) => sum + deliveries, 0),
    hasWaiting: () => unqueued().next().done === false,
  };
}
