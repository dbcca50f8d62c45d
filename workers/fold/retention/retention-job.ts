// Runs retention once a day, and within a minute after RETENTION_DAYS changed, in one process of all that share the store. Stores the
// result of the last complete run.
import { z } from 'zod';
import { dayMs, instantOf, minuteMs } from '#src/base/time.ts';
import type { Store, Unit } from '#src/store/contract.ts';
import { keyValue, readValue, writeValue } from '#src/store/key-value.ts';
import type { Job } from '#workers/sync/scheduling/scheduler.ts';
import { prune, type RetentionNeeds, type RetentionReport } from './retention.ts';

const state = z.object({
  finished_at: z.string(),
  /** Entries received earlier were old. */
  before: z.string(),
  /** The setting that it followed; versions before did not store it. */
  days: z.number().default(0),
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

export interface RetentionRun extends RetentionReport {
  /** Entries received earlier were old. */
  readonly before: string;
}

/** Prunes what is older than RETENTION_DAYS now. */
export async function runRetention(needs: RetentionNeeds, signal: AbortSignal): Promise<RetentionRun> {
  const { retentionDays: days } = needs.store.settings;
  const before = instantOf(needs.nowMs() - days * dayMs);
  const report = await prune({ ...needs, count }, { before, signal });
  const { examined, pruned } = report;
  const last = { finished_at: instantOf(needs.nowMs()), before, days, examined, pruned };
  await needs.store.transaction((unit) => writeValue(unit, lastRun, last));
  return { before, ...report };
}

export function retentionJob(needs: RetentionNeeds): Job {
  return {
    name: 'retention',
    everyMs: minuteMs,
    async run(signal) {
      const { retentionDays: days } = needs.store.settings;
      if (days === 0) return undefined;
      const last = await readValue(needs.store, lastRun);
      const isDone = last?.days === days && needs.nowMs() - Date.parse(last.finished_at) < dayMs;
      return isDone ? undefined : runRetention(needs, signal);
    },
  };
}
