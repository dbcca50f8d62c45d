// Runs retention once a day, in one process of all that share the store, and stores the result of the last complete run.
import { z } from 'zod';
import { dayMs, instantOf } from '#src/base/time.ts';
import type { Store, Unit } from '#src/store/contract.ts';
import { keyValue, readValue, writeValue } from '#src/store/key-value.ts';
import type { Job } from '#workers/scheduling/scheduler.ts';
import { prune, type RetentionNeeds } from './retention.ts';

const state = z.object({
  finished_at: z.string(),
  /** Entries received earlier were old. */
  before: z.string(),
  examined: z.number(),
  pruned: z.number(),
});
export interface RetentionState extends z.output<typeof state> {
  /** By all runs so far. */
  readonly pruned_ever: number;
}

const lastRun = keyValue('retention', state);
const total = keyValue('retention_total', z.object({ pruned: z.number() }));

/** Undefined before the first complete run. */
export async function readRetentionState(store: Pick<Store, 'db' | 'engine'>): Promise<RetentionState | undefined> {
  const last = await readValue(store, lastRun);
  return last && { ...last, pruned_ever: await readPruned(store) };
}

async function readPruned(from: Pick<Store, 'db' | 'engine'>): Promise<number> {
  return (await readValue(from, total))?.pruned ?? 0;
}

/** Under the lock of the log. */
async function count(unit: Unit, pruned: number): Promise<void> {
  if (pruned > 0) await writeValue(unit, total, { pruned: (await readPruned(unit)) + pruned });
}

export function retentionJob(needs: RetentionNeeds, { days }: { readonly days: number }): Job {
  return {
    name: 'retention',
    everyMs: dayMs,
    async run(signal) {
      const before = instantOf(needs.nowMs() - days * dayMs);
      const { examined, pruned, unreplayable, blanked } = await prune({ ...needs, count }, { before, signal });
      const last = { finished_at: instantOf(needs.nowMs()), before, examined, pruned };
      await needs.store.transaction((unit) => writeValue(unit, lastRun, last));
      return { before, examined, pruned, unreplayable, blanked };
    },
  };
}
