// Re-folds entries of the log: past the ledger, without the queue. What is unchanged stays where it is; an entry whose
// outcome changes moves to a new place at the end of the log, so that no reader of the feed misses it.
import { isTransient } from '#src/base/errors.ts';
import type { Store, Unit } from '#src/store/contract.ts';
import {
  knownEntries,
  lastSeq,
  moveEntry,
  readEntries,
  type EntryFilter,
  type LogEntry,
  type Outcome,
} from '#src/store/log/log.ts';
import { undone } from '#src/store/dry-run-store.ts';
import { withoutErased } from '#workers/privacy/redact-fact.ts';
import { currentErasures, requireCurrent } from '#workers/privacy/erasure-index.ts';
import { buriedBy, forget, forgottenAmong, redacted } from '#workers/privacy/redact-deleted.ts';
import { openMirror } from '#workers/pipeline/row-workspace.ts';
import { join, type Changes, type JoinOptions } from '#workers/projections/merge.ts';
import { isRead, readText, type Reading } from '#workers/pipeline/parse.ts';

export interface ReplayNeeds {
  readonly store: Store;
  readonly options: JoinOptions;
  /** Told of every entry whose outcome or rows change. */
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
  /** Still not understood, or still refused. */
  readonly stillKept: number;
}

const pageSize = 200;

export async function replay(needs: ReplayNeeds, filter: EntryFilter, { dryRun = false } = {}): Promise<ReplayReport> {
  const bounded = { ...filter, upTo: await lastSeq(needs.store) };
  const { transaction: inTransaction } = dryRun ? undone(needs.store) : needs.store;
  let report: ReplayReport = { read: 0, changed: 0, stillKept: 0 };
  for (let after = 0; ;) {
    const page = await readEntries(needs.store, bounded, { after, limit: pageSize });
    const { changed, stillKept } = await replayEntries(page, (some) =>
      inTransaction((unit) => replayTogether(unit, some, needs.options)),
    );
    for (const change of changed) needs.onChange?.(change);
    report = {
      read: report.read + page.length,
      changed: report.changed + changed.length,
      stillKept: report.stillKept + stillKept,
    };
    needs.onProgress?.(report.read);
    if (page.length < pageSize) break;
    after = page.at(-1)?.seq as number;
  }
  // Definitions of custom fields are columns of a view.
  if (report.changed > 0 && !dryRun) await needs.store.refreshViews();
  return report;
}

interface Replayed {
  readonly changed: readonly ReplayedEntry[];
  readonly stillKept: number;
}

/** What the store still refuses stays where it is, and holds up no neighbour. */
async function replayEntries(
  page: readonly LogEntry[],
  together: (page: readonly LogEntry[]) => Promise<Replayed>,
): Promise<Replayed> {
  try {
    return await together(page);
  } catch (error) {
    if (isTransient(error)) throw error;
    if (page.length === 1) return { changed: [], stillKept: 1 };
    const middle = Math.ceil(page.length / 2);
    const first = await replayEntries(page.slice(0, middle), together);
    const second = await replayEntries(page.slice(middle), together);
    return { changed: [...first.changed, ...second.changed], stillKept: first.stillKept + second.stillKept };
  }
}

async function replayTogether(unit: Unit, found: readonly LogEntry[], options: JoinOptions): Promise<Replayed> {
  // They were found before this began: somebody in them may have been erased since.
  const erasures = await currentErasures(unit);
  const readNow = (entry: LogEntry): Reading => withoutErased(erasures, readAgain(entry));
  const before = new Map(found.map((entry) => [entry, readNow(entry)]));
  const mirror = await openMirror(
    unit,
    [...before.values()].flatMap(({ compiled }) => compiled ?? []),
  );
  await unit.engine.lockLog(unit.db);
  await requireCurrent(unit, erasures);
  const page = await observedByNow(unit, found);
  const readings = page.map((entry) => before.get(entry) ?? readNow(entry));
  const effects = readings.map(({ compiled }) => compiled && join(mirror.rows, compiled, options));
  await mirror.write();

  const forgotten = await forgottenAmong(unit, { mirror, readings, options });
  const changed: ReplayedEntry[] = [];
  for (const [index, entry] of page.entries()) {
    const effect = effects[index];
    if (!effect || (!isKept(entry) && effect.changes === null)) continue;
    const { record, entry: read } = readings[index] as Reading;
    const moved = { ...read, outcome: effect.outcome, changes: effect.changes };
    await moveEntry(unit, entry, forgotten.has(read.subject_uri as string) ? redacted(moved, record) : moved);
    changed.push({
      seq: entry.seq as number,
      event: read.event,
      subjectUri: read.subject_uri,
      before: entry.outcome,
      after: effect.outcome,
      changes: effect.changes,
    });
  }
  await forget(unit, buriedBy(readings, options));
  // What was pruned is beyond being understood, and of an erasure there may be nothing to project: neither waits for anything.
  const waits = (entry: LogEntry | undefined) => entry !== undefined && isKept(entry) && entry.body !== null;
  const stillKept = effects.filter((effect, index) => effect === null && waits(page[index])).length;
  return { changed, stillKept };
}

/** Reads may have been observed again, and moved, since they were found. */
async function observedByNow(unit: Unit, found: readonly LogEntry[]): Promise<readonly LogEntry[]> {
  const reads = found.filter(isRead).map((entry) => entry.delivery_id as string);
  if (reads.length === 0) return found;
  const known = await knownEntries(unit, reads);
  return found.flatMap((entry) => {
    if (!isRead(entry)) return [entry];
    const now = known.get(entry.delivery_id as string);
    if (now?.seq !== entry.seq) return [];
    return now.occurred_at === entry.occurred_at ? [entry] : [{ ...entry, occurred_at: now.occurred_at }];
  });
}

/** Kept without being projected. */
export const isKept = ({ outcome }: Pick<LogEntry, 'outcome'>) => outcome === 'quarantined' || outcome === 'unhandled';

/** An entry as it would be read today; its identity, and what it says about its own past, stay. */
export function readAgain(entry: LogEntry): Reading {
  if (entry.encoding !== null || entry.body === null) return { entry, record: null, compiled: null };
  const { seq: _place, ...rest } = entry;
  return readText(entry.body, { ...rest, reason: null });
}
