// What other parts of the program record about the health, in the store: the process that is asked need not be the one that has the
// information.
import { z } from 'zod';
import { hourMs } from '#src/base/time.ts';
import type { Store } from '#src/store/contract.ts';
import { changeValue, keyValue, readValue, writeValue } from '#src/store/key-value.ts';

export interface LostSubscription {
  readonly uri: string;
  readonly how: 'disabled' | 'missing';
  /** Another subscription was created in its place. */
  readonly isReplaced: boolean;
}

const clockRecord = z.object({ ahead_seconds: z.number(), by: z.string().default('a worker'), at_ms: z.number() });
const lossRecords = z.array(
  z.object({ uri: z.string(), how: z.enum(['disabled', 'missing']), mended: z.boolean(), at_ms: z.number() }),
);
const stored = {
  clock: keyValue('alerts clock', clockRecord),
  lost: keyValue('alerts lost', lossRecords),
};

/** The service is called at least every hour. */
const clockValidMs = 3 * hourMs;
/** How long a lost subscription is reported, replaced or not. */
const lossValidMs = hourMs;

const isValid = (atMs: number, nowMs: number, validMs: number): boolean => Math.abs(nowMs - atMs) <= validMs;

/** By how much the clock of a process was ahead of the service's at its latest answer; negative when behind. */
export interface ClockSkew {
  readonly aheadSeconds: number;
  /** The machine and its process. */
  readonly by: string;
}

export function recordClockSkew(store: Store, { aheadSeconds, by }: ClockSkew, nowMs: number): Promise<void> {
  const record = { ahead_seconds: aheadSeconds, by, at_ms: nowMs };
  return store.transaction((unit) => writeValue(unit, stored.clock, record));
}

/** Undefined when the service was not called lately. */
export async function readClockSkew(store: Store, nowMs: number): Promise<ClockSkew | undefined> {
  const record = await readValue(store, stored.clock);
  if (!record || !isValid(record.at_ms, nowMs, clockValidMs)) return undefined;
  return { aheadSeconds: record.ahead_seconds, by: record.by };
}

/** Records the subscriptions that one run of the watch found disabled or deleted. */
export async function recordLostSubscriptions(
  store: Store,
  lost: readonly LostSubscription[],
  nowMs: number,
): Promise<void> {
  if (lost.length === 0) return;
  await changeValue(store, stored.lost, (before = []) => {
    const others = before.filter(({ uri }) => !lost.some((one) => one.uri === uri));
    const added = lost.map(({ uri, how, isReplaced }) => ({ uri, how, mended: isReplaced, at_ms: nowMs }));
    const after = [...others.filter(({ at_ms }) => isValid(at_ms, nowMs, lossValidMs)), ...added];
    return { result: undefined, after };
  });
}

export async function readLostSubscriptions(store: Store, nowMs: number): Promise<readonly LostSubscription[]> {
  const records = (await readValue(store, stored.lost)) ?? [];
  return records
    .filter(({ at_ms }) => isValid(at_ms, nowMs, lossValidMs))
    .map(({ uri, how, mended }) => ({ uri, how, isReplaced: mended }));
}
