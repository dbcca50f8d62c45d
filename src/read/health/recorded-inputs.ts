// What other parts of the program record about the health, in the store: the process that is asked need not be the one that has the
// information.
import { z } from 'zod';
import { dayMs, hourMs } from '#src/base/time.ts';
import type { Store, Unit } from '#src/store/contract.ts';
import { lockKey } from '#src/store/locks.ts';
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
const wentBackRecord = z.object({ since: z.string(), noticed_at: z.string() });
const stored = {
  clock: keyValue('alerts clock', clockRecord),
  lost: keyValue('alerts lost', lossRecords),
  wentBack: keyValue('went_back', wentBackRecord),
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

/** The database is as it was earlier: what was committed after that is lost. */
export interface WentBack {
  /** From when on entries are missing, as far as it is known. */
  readonly since: string;
  readonly noticedAt: string;
}

/** How long it is reported at least: erasures may have to be repeated. */
const wentBackShownMs = 3 * dayMs;
const isShown = (noticedAt: string, nowMs: number): boolean => nowMs - Date.parse(noticedAt) <= wentBackShownMs;

/**
 * Several processes notice the same: `known` where one has recorded it after the last entry that is lost, `earlier` where entries are
 * missing from before what it had found.
 */
export async function recordWentBack(
  unit: Unit,
  { since, noticedAt }: WentBack,
  lastLost: string,
): Promise<'new' | 'earlier' | 'known'> {
  await lockKey(unit, stored.wentBack.key);
  const before = await readValue(unit, stored.wentBack);
  const isSame = before !== undefined && before.noticed_at >= lastLost;
  const stays = before !== undefined && (isSame || isShown(before.noticed_at, Date.parse(noticedAt)));
  if (isSame && before.since <= since) return 'known';
  const earliest = stays && before.since < since ? before.since : since;
  await writeValue(unit, stored.wentBack, { since: earliest, noticed_at: isSame ? before.noticed_at : noticedAt });
  return isSame ? 'earlier' : 'new';
}

/** Undefined when the last time is old. A comparison that is still due keeps its gap (`missed-window.ts`). */
export async function readWentBack(store: Store, nowMs: number): Promise<WentBack | undefined> {
  const record = await readValue(store, stored.wentBack);
  if (!record || !isShown(record.noticed_at, nowMs)) return undefined;
  return { since: record.since, noticedAt: record.noticed_at };
}
