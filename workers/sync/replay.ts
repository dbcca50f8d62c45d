// Folds entries of the log again, without the queue. An entry whose outcome is the same stays in its position; one whose outcome
// changes moves to the end of the log, so that readers of the feed see it.
import { lockLog } from '#src/store/locks.ts';
import type { Unit } from '#src/store/contract.ts';
import { dryRunStore } from '#src/store/open-store.ts';
import { knownEntries, moveEntry } from '#src/store/log/append.ts';
import { lastSeq, readEntries, type EntryFilter, type LogEntry, type Outcome } from '#src/store/log/read.ts';
import { bisect } from '#workers/pipeline/bisect.ts';
import { fold, type FoldNeeds, type FoldPolicy } from '#workers/pipeline/fold.ts';
import { quarantineOthers } from '#workers/pipeline/organization.ts';
import { isApiRead, isUnprojected, reparse, type Parsed } from '#workers/pipeline/parse.ts';
import type { Screen } from '#workers/pipeline/screen.ts';
import { merge, type Changes } from '#workers/projections/merge.ts';

export interface ReplayNeeds extends FoldNeeds {
  /** Called for every entry whose outcome or rows change. */
  readonly onChange?: (change: ReplayedEntry) => void;
  readonly onProgress?: (done: number) => void;
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

const pageSize = 200;

export async function replay(needs: ReplayNeeds, filter: EntryFilter, { dryRun = false } = {}): Promise<ReplayReport> {
  const bounded = { ...filter, upTo: await lastSeq(needs.store) };
  const store = dryRun ? dryRunStore(needs.store) : needs.store;
  let report: ReplayReport = { read: 0, changed: 0, stillQuarantined: 0 };
  for (let after = 0; ;) {
    const page = await readEntries(needs.store, bounded, { after, limit: pageSize });
    const parts = await replayPage({ store, screen: needs.screen }, page);
    const changed = parts.flatMap((part) => part.changed);
    for (const change of changed) needs.onChange?.(change);
    report = {
      read: report.read + page.length,
      changed: report.changed + changed.length,
      stillQuarantined: parts.reduce((sum, part) => sum + part.stillQuarantined, report.stillQuarantined),
    };
    needs.onProgress?.(report.read);
    if (page.length < pageSize) break;
    after = page.at(-1)?.seq ?? after;
  }
  // Custom fields are columns of a view.
  if (report.changed > 0 && !dryRun) await needs.store.refreshViews();
  return report;
}

interface Replayed {
  readonly changed: readonly ReplayedEntry[];
  readonly stillQuarantined: number;
}

interface ReplayItem extends Parsed {
  readonly stored: LogEntry;
}

/** An entry that the store still refuses stays as it is. */
function replayPage({ store, screen }: FoldNeeds, page: readonly LogEntry[]): Promise<Replayed[]> {
  return bisect(page, {
    attempt: (entries) =>
      store.transaction(async (unit) => {
        const parsed = entries.map((stored): ReplayItem => ({ ...reparse(stored), stored }));
        const items = await quarantineOthers(unit, parsed);
        return (await fold(unit, await screen.screen(unit, items), movePolicy(screen))).report;
      }),
    refused: async () => ({ changed: [], stillQuarantined: 1 }),
  });
}

function movePolicy(screen: Screen): FoldPolicy<ReplayItem, Replayed> {
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
      for (const { item, entry, effect } of folded) {
        const { stored } = item;
        if (!effect || (!isUnprojected(stored) && effect.changes === null)) continue;
        await moveEntry(unit, stored, entry);
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
      return { changed, stillQuarantined };
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
