// The stored state of reconcile: how far it came, and what the last complete runs found. Metrics, status and doctor read it; only
// repairs write it, since a comparison stores nothing.
import { z } from 'zod';
import type { Store } from '#src/store/contract.ts';
import { changeValue, keyValue, readValue } from '#src/store/key-value.ts';

const counts = z.record(z.string(), z.record(z.string(), z.number()));

const lastRun = z.object({
  started_at: z.string(),
  finished_at: z.string(),
  read: z.number(),
  /** Earlier versions stored it under another name. */
  quarantined: z.number().default(0),
  /** Found and repaired, by kind and how. */
  drift: counts,
  /** Contacts of which only the meeting dates were repaired; earlier versions counted them as drift. */
  meeting_dates: z.number().default(0),
  /** What may not be read, and is therefore not compared. */
  unreadable: z.array(z.string()),
  /** Deletes that wait for a yes, by kind. */
  held_back: z.record(z.string(), z.number()),
  /** Rows about which the service could not be asked; earlier versions did not count them. */
  not_compared: z.number().default(0),
});
export type LastRun = z.output<typeof lastRun>;

const state = z.object({
  /** When the last complete walk through changed contacts began, on the service's clock. */
  contacts_from: z.string().optional(),
  recent: lastRun.optional(),
  full: lastRun.optional(),
});
export type ReconcileState = z.output<typeof state>;

const stored = keyValue('reconcile', state);

export async function readReconcileState(store: Pick<Store, 'db' | 'engine'>): Promise<ReconcileState> {
  return (await readValue(store, stored)) ?? {};
}

/** One after the other: a sweep and a reconcile may end at the same moment. */
export function updateReconcileState(store: Store, change: (before: ReconcileState) => ReconcileState): Promise<void> {
  return changeValue(store, stored, (before = {}) => ({ result: undefined, after: change(before) }));
}
