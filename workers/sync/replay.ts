// Re-folds entries of the log: past the ledger, without the queue. What is unchanged stays where it is; an entry whose
// outcome changes moves to a new place at the end of the log, so that no reader of the feed misses it.
import type { Store, Unit } from '#src/store/contract.ts';
import { lastSeq, moveEntry, readEntries, type EntryFilter, type LogEntry, type Outcome } from '#src/store/log.ts';
import { buriedIn, forget, forgottenAmong, redacted } from '../forgetting.ts';
import { openMirror } from '../mirror.ts';
import { join, type Changes, type JoinOptions } from '../projections/join.ts';
import { readText, type Reading } from '../reading.ts';

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
  if (!dryRun) return replayPages(needs, bounded, (work) => needs.store.transaction(work));
  // One transaction for all pages, so that each shows what it would do after those before it; then nothing happened.
  const rollback = new Error('dry run');
  let report: ReplayReport | undefined;
  await needs.store
    .transaction(async (unit) => {
      report = await replayPages(needs, bounded, (work) => work(unit));
      throw rollback;
    })
    .catch((error: unknown) => {
      if (error !== rollback) throw error;
    });
  return report as ReplayReport;
}

async function replayPages(
  needs: ReplayNeeds,
  filter: EntryFilter,
  inTransaction: <R>(work: (unit: Unit) => Promise<R>) => Promise<R>,
): Promise<ReplayReport> {
  let report: ReplayReport = { read: 0, changed: 0, stillKept: 0 };
  for (let after = 0; ;) {
    const { page, changed, stillKept } = await inTransaction((unit) => replayPage(needs, unit, { filter, after }));
    report = {
      read: report.read + page.length,
      changed: report.changed + changed.length,
      stillKept: report.stillKept + stillKept,
    };
    for (const change of changed) needs.onChange?.(change);
    needs.onProgress?.(report.read);
    if (page.length < pageSize) return report;
    after = page.at(-1)?.seq as number;
  }
}

async function replayPage(
  { options }: ReplayNeeds,
  unit: Unit,
  { filter, after }: { filter: EntryFilter; after: number },
) {
  const page = await readEntries(unit, filter, { after, limit: pageSize });
  const readings = page.map((entry) => readAgain(entry));
  const mirror = await openMirror(
    unit,
    readings.flatMap(({ compiled }) => compiled ?? []),
  );
  const effects = readings.map(({ compiled }) => compiled && join(mirror.rows, compiled, options));
  await mirror.write();

  await unit.engine.lockLog(unit.db);
  const forgotten = await forgottenAmong(unit, { mirror, readings, options });
  const changed: ReplayedEntry[] = [];
  for (const [index, entry] of page.entries()) {
    const effect = effects[index];
    if (!effect) continue;
    const wasKept = entry.outcome === 'quarantined' || entry.outcome === 'unhandled';
    if (!wasKept && effect.changes === null) continue;
    const { record, entry: read } = readings[index] as Reading;
    const { event, subject_uri, occurred_at } = read;
    const moved = {
      ...entry,
      event,
      subject_uri,
      occurred_at,
      outcome: effect.outcome,
      reason: null,
      changes: effect.changes,
    };
    await moveEntry(unit, entry, forgotten.has(subject_uri as string) ? redacted(moved, record) : moved);
    changed.push({
      seq: entry.seq as number,
      event,
      subjectUri: subject_uri,
      before: entry.outcome,
      after: effect.outcome,
      changes: effect.changes,
    });
  }
  await forget(unit, buriedIn(mirror, options));
  return { page, changed, stillKept: effects.filter((effect) => effect === null).length };
}

/** An entry as it would be read today; its identity, and what it says about its own past, stay. */
export function readAgain(entry: LogEntry): Reading {
  if (entry.encoding !== null || entry.body === null) return { entry, record: null, compiled: null };
  return readText(entry.body, entry);
}
