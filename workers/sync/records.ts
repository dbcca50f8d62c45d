// Ingests records read from the API: they pass through the same log and the same fold as deliveries.
//
//   content is new            ─▶ merged, appended to the log
//   known, changes a row      ─▶ merged, its entry moves to the end of the log, so that readers of the feed see the repair
//   known, changes no row     ─▶ merged, its entry takes the later time of observation: sweeps do not grow the log
//   pruned, decides again     ─▶ its entry moves to the end of the log, with its content, which a rebuild needs
import { isDeleteFact, isFinalDelete, type DeletableKind, type RecordKind } from '#schemas/records.ts';
import type { JsonObject } from '#schemas/wire.ts';
import { appendEntries, knownEntries, moveEntry } from '#src/store/log/append.ts';
import type { NewEntry } from '#src/store/log/read.ts';
import { prunedAmong } from '#src/store/log/retention.ts';
import { foldBatch, type FoldedItem, type FoldNeeds, type FoldPolicy } from '#workers/fold/pipeline/fold.ts';
import { isUnprojected } from '#workers/fold/pipeline/parse.ts';
import { drawsFrom } from '#workers/fold/projections/field-origins.ts';
import { merge, type Changes } from '#workers/fold/projections/merge.ts';
import {
  distinctRecords,
  observedRecord,
  parseRecord,
  storeObservations,
  type ObservedRecord,
  type ParsedRecord,
  type RecordSource,
} from './record-entry.ts';
import { observeUnchanged } from './unchanged-records.ts';

export interface ServiceRecord {
  readonly kind: RecordKind;
  /** As the service sent it. */
  readonly record: JsonObject;
  /** When it was requested, on the service's clock. */
  readonly observed: string;
}

export interface ChangedRecord {
  readonly kind: RecordKind;
  readonly uri: string;
  readonly how: 'created' | 'updated';
  readonly changes: Changes | null;
}

export interface RecordsReport {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly quarantined: number;
  readonly changed: readonly ChangedRecord[];
}

interface Input {
  readonly source: RecordSource;
  /** When it was received, on our clock. */
  readonly now: string;
}

/** As many records as one transaction takes without delaying other writers. */
const largestBatch = 500;

export function ingestRecords(
  needs: FoldNeeds,
  records: readonly ServiceRecord[],
  input: Input,
): Promise<RecordsReport> {
  return ingestObserved(
    needs,
    records.map(({ kind, record, observed }) => observedRecord({ kind, event: `${kind}.read`, record, observed })),
    input,
  );
}

export interface FoundDelete {
  readonly kind: DeletableKind;
  readonly uri: string;
  /** Of its row. */
  readonly updated_at?: string | null;
  readonly observed: string;
}

/** Ingests deletes that reconcile found: the service answers 404 for these URIs. */
export function ingestDeletes(
  needs: FoldNeeds,
  deletes: readonly FoundDelete[],
  { now }: Pick<Input, 'now'>,
): Promise<RecordsReport> {
  return ingestObserved(
    needs,
    deletes.map(({ kind, uri, updated_at, observed }) => {
      const event = `${kind}.gone`;
      return observedRecord({
        kind,
        event,
        record: isFinalDelete(event) ? { uri } : { uri, updated_at: updated_at ?? null },
        observed,
      });
    }),
    { source: 'reconcile', now },
  );
}

async function ingestObserved(
  needs: FoldNeeds,
  records: readonly ObservedRecord[],
  input: Input,
): Promise<RecordsReport> {
  const reports: RecordsReport[] = [];
  for (let from = 0; from < records.length; from += largestBatch) {
    const batch = distinctRecords(records.slice(from, from + largestBatch));
    const others = await observeUnchanged(needs.store, batch);
    reports.push({ ...emptyReport, unchanged: countCopies(batch) - countCopies(others) });
    if (others.length === 0) continue;
    const items = others.map((record) => parseRecord(record, input));
    const results = await foldBatch(needs, items, () => observePolicy(needs));
    reports.push(...results.map(({ report }) => report));
  }
  const report = reports.reduce(sumOf, emptyReport);
  // Custom fields are columns of a view.
  if (report.changed.some(({ kind }) => kind === 'custom_field_definition')) await needs.store.refreshViews();
  return report;
}

function observePolicy({ screen }: FoldNeeds): FoldPolicy<ParsedRecord, RecordsReport> {
  return {
    apply: (rows, fact) => merge(rows, fact, screen),
    locksLog: true,
    async record(unit, folded, rows) {
      const known = await knownEntries(
        unit,
        folded.map(({ item }) => item.source.id),
      );
      const redactedIds = [...known.values()].filter((entry) => entry.redacted).map((entry) => entry.delivery_id);
      const pruned = await prunedAmong(unit, redactedIds);
      const decidesAgain = ({ fact, source }: ParsedRecord) =>
        fact !== null && pruned.has(source.id) && drawsFrom((table, uri) => rows.row(table, uri).row, fact);
      const appended: NewEntry[] = [];
      const observed: ObservedRecord[] = [];
      for (const { item, entry, effect } of folded) {
        const before = known.get(item.source.id);
        if (before === undefined) appended.push(entry);
        // An entry that was quarantined until now is projected for the first time.
        else if (
          effect &&
          (effect.changes !== null || effect.movesPeriods === true || isUnprojected(before) || decidesAgain(item))
        )
          await moveEntry(unit, before, entry);
        else observed.push(item.source);
      }
      await appendEntries(unit, appended);
      await storeObservations(unit, observed);
      return reportOf(folded);
    },
  };
}

const emptyReport: RecordsReport = { created: 0, updated: 0, unchanged: 0, quarantined: 0, changed: [] };

function reportOf(folded: readonly FoldedItem<ParsedRecord>[]): RecordsReport {
  const counts = { created: 0, updated: 0, unchanged: 0, quarantined: 0 };
  const changed: ChangedRecord[] = [];
  for (const each of folded) {
    const { kind, copies } = each.item.source;
    const outcome = outcomeOf(each);
    counts[outcome] += 1;
    // The copies have the same content, so they change nothing more.
    counts[outcome === 'quarantined' ? 'quarantined' : 'unchanged'] += copies - 1;
    if (outcome === 'created' || outcome === 'updated')
      changed.push({
        kind,
        uri: String(each.item.entry.subject_uri),
        how: outcome,
        changes: each.effect?.changes ?? null,
      });
  }
  return { ...counts, changed };
}

function outcomeOf({ item, effect, isNew }: FoldedItem<ParsedRecord>): Exclude<keyof RecordsReport, 'changed'> {
  // It was emptied because it concerned an erased person; there is nothing left to parse.
  if (item.entry.body === null) return 'unchanged';
  if (effect === null) return 'quarantined';
  // A deleted record is never restored, whatever is read about it.
  if (effect.outcome === 'tombstoned') return 'unchanged';
  if (isNew && !isDeleteFact(item.source.event)) return 'created';
  return effect.changes === null ? 'unchanged' : 'updated';
}

const countCopies = (records: readonly ObservedRecord[]): number =>
  records.reduce((sum, { copies }) => sum + copies, 0);

const sumOf = (a: RecordsReport, b: RecordsReport): RecordsReport => ({
  created: a.created + b.created,
  updated: a.updated + b.updated,
  unchanged: a.unchanged + b.unchanged,
  quarantined: a.quarantined + b.quarantined,
  changed: [...a.changed, ...b.changed],
});
