// What other parts of the program note for the conditions, in the store: one process asks, and it need not be the one that learned it.
import { z } from 'zod';
import type { Store } from '#src/store/contract.ts';
import { changeValue, keyValue, readValue, writeValue, type ValueAt } from '#src/store/key-value.ts';
import type { LostSubscription } from './condition.ts';

const clockNote = z.object({ ahead_seconds: z.number(), at_ms: z.number() });
const lostNotes = z.array(
  z.object({ uri: z.string(), how: z.enum(['disabled', 'missing']), mended: z.boolean(), at_ms: z.number() }),
);
const processNotes = z.record(
  z.string(),
  z.object({ spooled: z.number(), refused_as_stale: z.number(), at_ms: z.number() }),
);

const stored = {
  clock: keyValue('alerts clock', clockNote),
  lost: keyValue('alerts lost', lostNotes),
  processes: keyValue('alerts processes', processNotes),
};

/** The service is called every hour at least. */
const clockHoldsMs = 3 * 3_600_000;
/** So long a loss is news, though another may stand in its place. */
const lossHoldsMs = 3_600_000;
/** A process that died says nothing any more. */
const processHoldsMs = 180_000;

const isFresh = (atMs: number, nowMs: number, holdsMs: number): boolean => Math.abs(nowMs - atMs) <= holdsMs;

/** By how much our clock was ahead of the service's at its latest answer. */
export function noteClock(store: Store, aheadSeconds: number, nowMs: number): Promise<void> {
  return store.transaction((unit) => writeValue(unit, stored.clock, { ahead_seconds: aheadSeconds, at_ms: nowMs }));
}

/** Undefined when the service was not heard lately. */
export async function clockSkew(store: Store, nowMs: number): Promise<number | undefined> {
  const note = await readValue(store, stored.clock);
  return note && isFresh(note.at_ms, nowMs, clockHoldsMs) ? note.ahead_seconds : undefined;
}

/** What one look at the subscriptions found lost. */
export async function noteLost(store: Store, lost: readonly LostSubscription[], nowMs: number): Promise<void> {
  if (lost.length === 0) return;
  await change(store, stored.lost, (before = []) => [
    ...before.filter(({ uri, at_ms }) => isFresh(at_ms, nowMs, lossHoldsMs) && !lost.some((one) => one.uri === uri)),
    ...lost.map(({ uri, how, isMended }) => ({ uri, how, mended: isMended, at_ms: nowMs })),
  ]);
}

export async function lostLately(store: Store, nowMs: number): Promise<readonly LostSubscription[]> {
  const notes = (await readValue(store, stored.lost)) ?? [];
  return notes
    .filter(({ at_ms }) => isFresh(at_ms, nowMs, lossHoldsMs))
    .map(({ uri, how, mended }) => ({ uri, how, isMended: mended }));
}

/** What a process that receives knows of itself. */
export interface ProcessNote {
  /** Deliveries on its disk, waiting for the queue. */
  readonly spooled: number;
  /** Rightly signed deliveries that it refused for their age within the last minutes. */
  readonly refusedAsStale: number;
}

export async function noteProcess(
  store: Store,
  { holder, nowMs }: { readonly holder: string; readonly nowMs: number },
  { spooled, refusedAsStale }: ProcessNote,
): Promise<void> {
  await change(store, stored.processes, (before = {}) => {
    const others = Object.entries(before).filter(
      ([name, { at_ms }]) => name !== holder && isFresh(at_ms, nowMs, processHoldsMs),
    );
    const own = { spooled, refused_as_stale: refusedAsStale, at_ms: nowMs };
    return Object.fromEntries([...others, [holder, own]]);
  });
}

/** Of all processes together. */
export async function processesNow(store: Store, nowMs: number): Promise<ProcessNote> {
  const notes = Object.values((await readValue(store, stored.processes)) ?? {});
  const fresh = notes.filter(({ at_ms }) => isFresh(at_ms, nowMs, processHoldsMs));
  return {
    spooled: fresh.reduce((sum, { spooled }) => sum + spooled, 0),
    refusedAsStale: fresh.reduce((sum, { refused_as_stale: refused }) => sum + refused, 0),
  };
}

function change<Value extends object>(
  store: Store,
  at: ValueAt<Value>,
  make: (before: Value | undefined) => Value,
): Promise<void> {
  return changeValue(store, at, (before) => ({ result: undefined, after: make(before) }));
}
