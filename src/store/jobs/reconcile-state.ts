// The stored state of reconcile: how far it came, and what the last complete runs found. Metrics, status and doctor read it; only
// repairs write it, since a comparison stores nothing.
import { z } from 'zod';
import { dayMs, dayOf } from '#src/base/time.ts';
import type { Store } from '#src/store/contract.ts';
import { changeValue, keyValue, readValue } from '#src/store/key-value.ts';

const counts = z.record(z.string(), z.record(z.string(), z.number()));

const lastRun = z.object({
  started_at: z.string(),
  finished_at: z.string(),
  read: z.number(),
  quarantined: z.number(),
  /** Found and repaired, by kind and how. */
  drift: counts,
  /** Contacts of which only the meeting dates were repaired. */
  meeting_dates: z.number(),
  /** What may not be read, and is therefore not compared. */
  unreadable: z.array(z.string()),
  /** Deletes that wait for a yes, by kind. */
  held_back: z.record(z.string(), z.number()),
  /** Rows about which the service could not be asked. */
  not_compared: z.number(),
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

/** What a run of this scope found. One after the other: a sweep and a reconcile may end at the same moment. */
export async function recordRun(
  store: Store,
  scope: 'recent' | 'full',
  { run, contactsFrom }: { readonly run: LastRun; readonly contactsFrom?: string | undefined },
): Promise<void> {
  await changeValue(store, stored, (before = {}) => {
    const contacts_from = contactsFrom ?? before.contacts_from;
    return { result: undefined, after: { ...before, contacts_from, [scope]: run } };
  });
  await changeValue(store, storedHistory, (before = noHistory) => ({
    result: undefined,
    after: added(before, scope, run),
  }));
}

const dayOfDrift = z.object({
  /** `2026-01-31`, in UTC. */
  day: z.string(),
  runs: z.number(),
  read: z.number(),
  missing: z.number(),
  extra: z.number(),
  different: z.number(),
});

const history = z.object({
  days: z.array(dayOfDrift),
  runs: z.array(lastRun.extend({ scope: z.enum(['recent', 'full']) })),
});
export type DriftHistory = z.output<typeof history>;

const storedHistory = keyValue('drift_history', history);
const noHistory: DriftHistory = { days: [], runs: [] };
const storedDays = 120;
const storedRuns = 30;

/** By day for some months, oldest first, and the last runs, newest first. */
export async function readDriftHistory(store: Pick<Store, 'db' | 'engine'>): Promise<DriftHistory> {
  return (await readValue(store, storedHistory)) ?? noHistory;
}

function added({ days, runs }: DriftHistory, scope: 'recent' | 'full', run: LastRun): DriftHistory {
  const day = run.finished_at.slice(0, 10);
  const oldest = dayOf(Date.parse(day) - storedDays * dayMs);
  const before = days.find((each) => each.day === day) ?? { day, runs: 0, read: 0, missing: 0, extra: 0, different: 0 };
  const found = Object.values(run.drift);
  const sum = (how: string): number => found.reduce((total, hows) => total + (hows[how] ?? 0), 0);
  const after = {
    day,
    runs: before.runs + 1,
    read: before.read + run.read,
    missing: before.missing + sum('missing'),
    extra: before.extra + sum('extra'),
    different: before.different + sum('different'),
  };
  const others = days.filter((each) => each.day !== day && each.day > oldest);
  return {
    days: [...others, after].toSorted((one, other) => (one.day < other.day ? -1 : 1)),
    runs: [{ ...run, scope }, ...runs].slice(0, storedRuns),
  };
}
