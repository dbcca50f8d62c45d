// What retention leaves in the store: what its last complete run took out of the log. Read by status.
import { z } from 'zod';
import type { Store } from '#src/store/contract.ts';
import { changeValue, keyValue, readValue } from '#src/store/key-value.ts';

const state = z.object({
  finished_at: z.string(),
  /** Entries received earlier were old. */
  before: z.string(),
  examined: z.number(),
  pruned: z.number(),
  /** By all runs there ever were. */
  pruned_ever: z.number(),
});
export type RetentionState = z.output<typeof state>;

const lastRun = keyValue('retention', state);

/** Undefined where none has run yet. */
export function readRetentionState(store: Pick<Store, 'db' | 'engine'>): Promise<RetentionState | undefined> {
  return readValue(store, lastRun);
}

export function noteRetention(store: Store, last: Omit<RetentionState, 'pruned_ever'>): Promise<void> {
  return changeValue(store, lastRun, (before) => ({
    result: undefined,
    after: { ...last, pruned_ever: (before?.pruned_ever ?? 0) + last.pruned },
  }));
}
