// What other parts of the program record for the conditions, in the store: the process that evaluates the conditions need not be the one
// that has the information.
import { z } from 'zod';
import { hourMs, minuteMs, sleepUnlessAborted } from '#src/base/time.ts';
import type { Store } from '#src/store/contract.ts';
import { changeValue, keyValue, readValue, writeValue } from '#src/store/key-value.ts';
import type { LostSubscription } from './condition.ts';

const clockRecord = z.object({ ahead_seconds: z.number(), at_ms: z.number() });
const lossRecords = z.array(
  z.object({ uri: z.string(), how: z.enum(['disabled', 'missing']), mended: z.boolean(), at_ms: z.number() }),
);
const processRecords = z.record(
  z.string(),
  z.object({
    spooled: z.number(),
    refused_as_stale: z.number(),
    /** Missing in the records of older versions. */
    queue_losses: z.number().default(0),
    journal_full: z.boolean().default(false),
    low_disks: z.array(z.object({ part: z.string(), free_mb: z.number() })).default([]),
    at_ms: z.number(),
  }),
);

const stored = {
  clock: keyValue('alerts clock', clockRecord),
  lost: keyValue('alerts lost', lossRecords),
  processes: keyValue('alerts processes', processRecords),
};

/** The service is called at least every hour. */
const clockValidMs = 3 * hourMs;
/** How long a lost subscription is reported, replaced or not. */
const lossValidMs = hourMs;
/** The record of a killed process expires. */
const processValidMs = 3 * minuteMs;

const isValid = (atMs: number, nowMs: number, validMs: number): boolean => Math.abs(nowMs - atMs) <= validMs;

/** Records by how much our clock was ahead of the service's at its latest answer. */
export function recordClockSkew(store: Store, aheadSeconds: number, nowMs: number): Promise<void> {
  return store.transaction((unit) => writeValue(unit, stored.clock, { ahead_seconds: aheadSeconds, at_ms: nowMs }));
}

/** Undefined when the service was not called lately. */
export async function readClockSkew(store: Store, nowMs: number): Promise<number | undefined> {
  const record = await readValue(store, stored.clock);
  return record && isValid(record.at_ms, nowMs, clockValidMs) ? record.ahead_seconds : undefined;
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

/** A disk that is getting full, by what writes to it. */
export interface LowDiskRecord {
  readonly part: string;
  readonly freeMb: number;
}

/** The state of one process; only receivers have a spool, a journal and rejections. */
export interface ProcessState {
  /** Deliveries on its disk, waiting for the queue. */
  readonly spooled: number;
  /** Correctly signed deliveries that it rejected as too old within the last minutes. */
  readonly rejectedAsStale: number;
  /** How often it found within the last minutes that the queue had lost jobs. */
  readonly queueLosses: number;
  /** Its journal is full, so it rejects deliveries. */
  readonly isJournalFull: boolean;
  readonly lowDisks: readonly LowDiskRecord[];
}

async function recordProcess(
  store: Store,
  { holder, nowMs }: { readonly holder: string; readonly nowMs: number },
  { spooled, rejectedAsStale, queueLosses, isJournalFull, lowDisks }: ProcessState,
): Promise<void> {
  await changeValue(store, stored.processes, (before = {}) => {
    const others = Object.entries(before).filter(
      ([name, { at_ms }]) => name !== holder && isValid(at_ms, nowMs, processValidMs),
    );
    const own = {
      spooled,
      refused_as_stale: rejectedAsStale,
      queue_losses: queueLosses,
      journal_full: isJournalFull,
      low_disks: lowDisks.map(({ part, freeMb: free_mb }) => ({ part, free_mb })),
      at_ms: nowMs,
    };
    return { result: undefined, after: Object.fromEntries([...others, [holder, own]]) };
  });
}

/** All processes together. */
export async function readProcesses(store: Store, nowMs: number): Promise<ProcessState> {
  const records = Object.values((await readValue(store, stored.processes)) ?? {});
  const valid = records.filter(({ at_ms }) => isValid(at_ms, nowMs, processValidMs));
  return {
    spooled: valid.reduce((sum, { spooled }) => sum + spooled, 0),
    rejectedAsStale: valid.reduce((sum, { refused_as_stale: rejected }) => sum + rejected, 0),
    queueLosses: valid.reduce((sum, { queue_losses: losses }) => sum + losses, 0),
    isJournalFull: valid.some(({ journal_full: isFull }) => isFull),
    lowDisks: fullestOf(valid.flatMap(({ low_disks: disks }) => disks)),
  };
}

/** Of several disks of the same part, the fullest. */
function fullestOf(disks: readonly { readonly part: string; readonly free_mb: number }[]): readonly LowDiskRecord[] {
  const byPart = new Map<string, number>();
  for (const { part, free_mb: free } of disks) byPart.set(part, Math.min(free, byPart.get(part) ?? free));
  return [...byPart].map(([part, freeMb]) => ({ part, freeMb }));
}

export interface HeartbeatNeeds {
  readonly store: Store;
  readonly nowMs: () => number;
  /** Identifies this process. */
  readonly holder: string;
  /** Deliveries on disk. */
  spooled(): number;
  /** Correctly signed deliveries rejected as too old since the process started. */
  rejectedAsStale(): number;
  /** Undefined where the receiver has no journal. */
  journal(): { readonly losses: number; readonly is_full: boolean } | undefined;
  lowDisks(): Promise<readonly LowDiskRecord[]>;
}

const heartbeatMs = 20_000;
/** What happened within this many heartbeats counts together: about ten minutes. */
const heartbeatsTogether = 30;

/** Returns a function that takes a total and returns how much of it is recent. */
function recentOf(): (total: number) => number {
  const totals: number[] = [0];
  return (total) => {
    totals.push(total);
    if (totals.length > heartbeatsTogether + 1) totals.shift();
    return total - (totals[0] ?? 0);
  };
}

/** Returns a function that records the state of this process while there is something to report, and once more when it has ended. */
export function createHeartbeat(needs: HeartbeatNeeds): () => Promise<void> {
  const [recentlyRejected, recentlyLost] = [recentOf(), recentOf()];
  const isHealthy = (one: ProcessState | undefined): boolean =>
    !one || (one.spooled + one.rejectedAsStale + one.queueLosses + one.lowDisks.length === 0 && !one.isJournalFull);
  let recorded: ProcessState | undefined;
  return async () => {
    const journal = needs.journal();
    const state = {
      spooled: needs.spooled(),
      rejectedAsStale: recentlyRejected(needs.rejectedAsStale()),
      queueLosses: recentlyLost(journal?.losses ?? 0),
      isJournalFull: journal?.is_full ?? false,
      lowDisks: await needs.lowDisks(),
    };
    if (isHealthy(state) && isHealthy(recorded)) return;
    await recordProcess(needs.store, { holder: needs.holder, nowMs: needs.nowMs() }, state);
    recorded = state;
  };
}

export function startHeartbeat(needs: HeartbeatNeeds): { close(): Promise<void> } {
  const beat = createHeartbeat(needs);
  const stopping = new AbortController();
  const running = (async () => {
    while (!stopping.signal.aborted) {
      await sleepUnlessAborted(heartbeatMs, stopping.signal, { ref: false });
      // Others report a store that does not answer.
      if (!stopping.signal.aborted) await beat().catch(() => undefined);
    }
  })();
  return {
    async close() {
      stopping.abort();
      await running;
    },
  };
}
