// Runs retention once a day, in one process of all that share the store, and stores the result of the last complete run.
import { z } from 'zod';
import { dayMs, instantOf } from '#src/base/time.ts';
import type { Store } from '#src/store/contract.ts';
import { changeValue, keyValue, readValue } from '#src/store/key-value.ts';
import type { Job } from '#workers/scheduling/scheduler.ts';
import { prune, type RetentionNeeds } from './retention.ts';

const state = z.object({
  finished_at: z.string(),
  /** Entries received earlier were old. */
  before: z.string(),
  examined: z.number(),
  pruned: z.number(),
  /** By all runs so far. */
  pruned_ever: z.number(),
});
export type RetentionState = z.output<typeof state>;

const lastRun = keyValue('retention', state);

/** Undefined before the first complete run. */
export function readRetentionState(store: Pick<Store, 'db' | 'engine'>): Promise<RetentionState | undefined> {
  return readValue(store, lastRun);
}

export function retentionJob(needs: RetentionNeeds, { days }: { readonly days: number }): Job {
  return {
    name: 'retention',
    everyMs: dayMs,
    async run(signal) {
      const before = instantOf(needs.nowMs() - days * dayMs);
      const { examined, pruned, unreplayable, blanked } = await prune(needs, { before, signal });
      await storeResult(needs.store, { finished_at: instantOf(needs.nowMs()), before, examined, pruned });
      return { before, examined, pruned, unreplayable, blanked };
    },
  };
}

function storeResult(store: Store, last: Omit<RetentionState, 'pruned_ever'>): Promise<void> {
  return changeValue(store, lastRun, (before) => ({
    result: undefined,
    after: { ...last, pruned_ever: (before?.pruned_ever ?? 0) + last.pruned },
  }));
}
