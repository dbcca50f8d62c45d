// Folds entries of the log again, without the queue. An entry whose outcome is the same stays in its position; one whose outcome
// changes moves to the end of the log, so that readers of the feed see it.
import { setTimeout as sleep } from 'node:timers/promises';
import { lockLog } from '#src/store/locks.ts';
import type { Readable, Unit } from '#src/store/contract.ts';
import { dryRunStore } from '#src/store/open-store.ts';
import { knownEntries, moveEntry } from '#src/store/log/append.ts';
import type { DeliveryFilter, SeqRange } from '#src/store/log/log-candidates.ts';
import { entriesMatching, readDelivery } from '#src/store/log/log-search.ts';
import { lastSeq, type LogEntry, type Outcome } from '#src/store/log/read.ts';
import { bisect } from '#workers/fold/pipeline/bisect.ts';
import { fold, type FoldNeeds, type FoldPolicy } from '#workers/fold/pipeline/fold.ts';
import { quarantineOthers } from '#workers/fold/pipeline/organization.ts';
import { isApiRead, isUnprojected, reparse, type ParsedItem } from '#workers/fold/pipeline/parse.ts';
import { merge, type Changes } from '#workers/fold/projections/merge.ts';

export interface ReplayNeeds extends FoldNeeds {
  /** Where the entries are looked for, with all that is committed; absent: in the store, which answers nothing else meanwhile on SQLite. */
  readonly searched?: Readable;
  /** Called for every entry whose outcome or rows change. */
  readonly onChange?: (change: ReplayedEntry) => void;
  /** Called after every batch with the number of entries read so far. */
  readonly onProgress?: (done: number, batch: ReplayedBatch) => void;
}

export interface ReplayedBatch {
  readonly entries: readonly LogEntry[];
  readonly stillQuarantined: number;
  /** The offsets from the first to the last entry that was moved; null when none was. */
  readonly written: SeqRange | null;
}

export interface ReplayOptions {
  readonly dryRun?: boolean;
  /** Is asked between two batches; a replay that may not continue ends early. */
  readonly mayContinue?: () => boolean;
  /** How long the store is left to others after each batch. */
  readonly pauseMs?: number;
}

export interface ReplayedEntry {
  readonly seq: number;
  readonly event: string | null;
  readonly subjectUri: string | null;
  readonly before: string | null;
  readonly after: Outcome;
  readonly changes: Changes | null;
}

export interface ReplayReport {
  readonly read: number;
  readonly changed: number;
  /** Still not parsed, or still refused by the store. */
  readonly stillQuarantined: number;
}

/** `deliveryId` names one entry. */
export async function replay(
  needs: ReplayNeeds,
  filter: DeliveryFilter & { readonly deliveryId?: string },
  { dryRun = false, mayContinue = () => true, pauseMs = 0 }: ReplayOptions = {},
): Promise<ReplayReport> {
  const store = dryRun ? dryRunStore(needs.store) : needs.store;
  let report: ReplayReport = { read: 0, changed: 0, stillQuarantined: 0 };
  for await (const entries of entriesOf(needs.searched ?? needs.store, filter, mayContinue)) {
    const parts = await replayPage({ store, screen: needs.screen, dryRun }, entries);
    const changed = parts.flatMap((part) => part.changed);
    for (const change of changed) needs.onChange?.(change);
    const stillQuarantined = parts.reduce((sum, part) => sum + part.stillQuarantined, 0);
    report = {
      read: report.read + entries.length,
      changed: report.changed + changed.length,
      stillQuarantined: report.stillQuarantined + stillQuarantined,
    };
    needs.onProgress?.(report.read, { entries, stillQuarantined, written: spanOf(parts) });
    if (!mayContinue()) break;
    if (pauseMs > 0) await sleep(pauseMs);
  }
  // Custom fields are columns of a view.
  if (report.changed > 0 && !dryRun) await needs.store.refreshViews();
  return report;
}

async function* entriesOf(
  store: Readable,
  { deliveryId, ...filter }: DeliveryFilter & { readonly deliveryId?: string },
  mayContinue: () => boolean,
): AsyncGenerator<readonly LogEntry[]> {
  if (deliveryId === undefined) {
    // A pruned entry cannot be parsed again.
    yield* entriesMatching(store, { ...filter, hasBody: filter.hasBody ?? filter.unprojected ?? false }, mayContinue);
  } else {
    const entry = await readDelivery(store, { deliveryId });
    if (entry) yield [entry];
  }
}

interface ReplayResult {
  readonly changed: readonly ReplayedEntry[];
  readonly stillQuarantined: number;
  readonly written: SeqRange | null;
}

function spanOf(parts: readonly Pick<ReplayResult, 'written'>[]): SeqRange | null {
  const ranges = parts.flatMap(({ written }) => written ?? []);
  const [first] = ranges;
  const last = ranges.at(-1);
  return first && last ? { low: first.low, high: last.high } : null;
}

interface ReplayItem extends ParsedItem {
  readonly stored: LogEntry;
}

type PageNeeds = FoldNeeds & { readonly dryRun: boolean };

/** An entry that the store still refuses stays as it is. */
function replayPage({ store, ...needs }: PageNeeds, page: readonly LogEntry[]): Promise<ReplayResult[]> {
  return bisect(page, {
    attempt: (entries) =>
      store.transaction(async (unit) => {
        const parsed = entries.map((stored): ReplayItem => ({ ...reparse(stored), stored }));
        const items = await quarantineOthers(unit, parsed);
        return (await fold(unit, await needs.screen.screen(unit, items), movePolicy(needs))).report;
      }),
    refused: async () => ({ changed: [], stillQuarantined: 1, written: null }),
  });
}

function movePolicy({ screen, dryRun }: Omit<PageNeeds, 'store'>): FoldPolicy<ReplayItem, ReplayResult> {
  return {
    apply: (rows, fact) => merge(rows, fact, screen),
    locksLog: true,
    async select(unit, items) {
      // Locked before the facts are merged: until then reads can be observed again, which changes their version.
      await lockLog(unit);
      return withCurrentTimes(unit, items);
    },
    async record(unit, folded) {
      const changed: ReplayedEntry[] = [];
      const end = await lastSeq(unit);
      for (const { item, entry, effect } of folded) {
        const { stored } = item;
        if (!effect || (!isUnprojected(stored) && effect.changes === null)) continue;
        // PostgreSQL would not give the numbers back that a dry run takes.
        if (!dryRun) await moveEntry(unit, stored, { ...entry, dismissed_at: null });
        changed.push({
          seq: stored.seq,
          event: entry.event,
          subjectUri: entry.subject_uri,
          before: stored.outcome,
          after: effect.outcome,
          changes: effect.changes,
        });
      }
      // A pruned entry can no longer be parsed, and an erasure may have nothing to project: neither is waiting for a replay.
      const isWaiting = ({ stored }: ReplayItem) => isUnprojected(stored) && stored.body !== null;
      const stillQuarantined = folded.filter(({ item, effect }) => effect === null && isWaiting(item)).length;
      const written = changed.length > 0 && !dryRun ? { low: end + 1, high: await lastSeq(unit) } : null;
      return { changed, stillQuarantined, written };
    },
  };
}

/** Takes reads at their current time of observation, and leaves out those that have moved since they were found. */
async function withCurrentTimes(unit: Unit, items: readonly ReplayItem[]): Promise<readonly ReplayItem[]> {
  const reads = items.filter(({ stored }) => isApiRead(stored)).map(({ stored }) => stored.delivery_id);
  if (reads.length === 0) return items;
  const known = await knownEntries(unit, reads);
  return items.flatMap((item) => {
    const { stored } = item;
    if (!isApiRead(stored)) return [item];
    const current = known.get(stored.delivery_id);
    if (current?.seq !== stored.seq) return [];
    const { occurred_at } = current;
    if (occurred_at === stored.occurred_at) return [item];
    return [{ ...reparse({ ...item.entry, seq: stored.seq, occurred_at }), stored: { ...stored, occurred_at } }];
  });
}
