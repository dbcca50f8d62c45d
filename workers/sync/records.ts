// Records read from the API go through the same log and the same fold as deliveries: one transaction, one truth.
//
//   content never seen      ─▶ joined, appended to the log
//   seen, and changes a row ─▶ joined, its entry moves to the end of the log: no reader of the feed misses the repair
//   seen, changes nothing   ─▶ joined, its entry is observed at the later time: the log does not grow by sweeps
//   pruned, counts again    ─▶ its entry moves to the end of the log, with its content: a rebuild needs it
import { isGone, type GoneKind, type RecordKind } from '#schemas/records.ts';
import type { JsonObject } from '#schemas/wire.ts';
import type { Unit } from '#src/store/contract.ts';
import { appendEntries, knownEntries, moveEntry, type NewEntry } from '#src/store/log/log.ts';
import { prunedAmong } from '#src/store/log/retention.ts';
import { buriedBy, forget, forgottenAmong, redacted } from '#workers/privacy/redact-deleted.ts';
import { requireCurrent } from '#workers/privacy/erasure-index.ts';
import { inTransactions, type AppendOptions, type IngestNeeds } from '#workers/pipeline/ingest.ts';
import { openMirror, type Mirror } from '#workers/pipeline/row-workspace.ts';
import { join, type Changes, type Effect, type JoinOptions } from '#workers/projections/merge.ts';
import { drawsFrom } from '#workers/projections/field-origins.ts';
import {
  distinct,
  observe,
  readSighting,
  sightingOf,
  type RecordReading,
  type RecordSource,
  type Sighting,
} from './record-entry.ts';
import { observeSeen } from './unchanged-records.ts';
import { isKept } from './replay.ts';

export type { RecordKind };

export interface ServiceRecord {
  readonly kind: RecordKind;
  /** As the service sent it. */
  readonly record: JsonObject;
  /** When it was asked for, on the service's clock. */
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
  /** In quarantine: not understood, or refused by the store. */
  readonly kept: number;
  readonly changed: readonly ChangedRecord[];
}

interface Input {
  readonly source: RecordSource;
  /** When it was received, on our clock. */
  readonly now: string;
  /** Writes in the transaction in which records change something what must be true together with it. */
  readonly alongside?: (unit: Unit, report: RecordsReport) => Promise<void>;
}

/** As many as one transaction takes without keeping others waiting. */
const largestBatch = 500;

export function ingestRecords(
  needs: IngestNeeds,
  records: readonly ServiceRecord[],
  input: Input,
): Promise<RecordsReport> {
  return ingestSightings(
    needs,
    records.map(({ kind, record, observed }) => sightingOf({ kind, event: `${kind}.read`, record, observed })),
    input,
  );
}

/** Found gone (404 on that very URI): a tombstone told by reconcile. */
export function ingestGone(
  needs: IngestNeeds,
  gone: readonly { readonly kind: GoneKind; readonly uri: string; readonly observed: string }[],
  { now }: Pick<Input, 'now'>,
): Promise<RecordsReport> {
  return ingestSightings(
    needs,
    gone.map(({ kind, uri, observed }) => sightingOf({ kind, event: `${kind}.gone`, record: { uri }, observed })),
    { source: 'reconcile', now },
  );
}

async function ingestSightings(
  needs: IngestNeeds,
  sightings: readonly Sighting[],
  input: Input,
): Promise<RecordsReport> {
  const reports: RecordsReport[] = [];
  for (let from = 0; from < sightings.length; from += largestBatch) {
    const batch = distinct(sightings.slice(from, from + largestBatch));
    const news = await observeSeen(needs.store, batch);
    reports.push(unchangedBut(news, batch));
    const readings = news.map((sighting) => readSighting(sighting, input));
    if (readings.length > 0)
      reports.push(
        ...(await inTransactions(needs, readings, async (unit, some, options) => {
          const report = await append(unit, some, options);
          await input.alongside?.(unit, report);
          return report;
        })),
      );
  }
  const report = sumOf(reports);
  // They are columns of a view.
  if (report.changed.some(({ kind }) => kind === 'custom_field_definition')) await needs.store.refreshViews();
  return report;
}

interface Folded {
  readonly reading: RecordReading;
  readonly effect: Effect | null;
  /** The row was not there before, or as no more than a name. */
  readonly isNew: boolean;
}

async function append(unit: Unit, readings: readonly RecordReading[], options: AppendOptions): Promise<RecordsReport> {
  const facts = readings.flatMap(({ compiled }) => compiled ?? []);
  const mirror = await openMirror(unit, [...options.buried, ...facts]);
  for (const compiled of options.buried) join(mirror.rows, compiled, options);
  const folded = readings.map((reading) => foldOne(mirror, reading, options));
  await mirror.write();

  await unit.engine.lockLog(unit.db);
  await requireCurrent(unit, options.erasures);
  const forgotten = await forgottenAmong(unit, { mirror, readings, options });
  const known = await knownEntries(
    unit,
    readings.map(({ sighting }) => sighting.id),
  );
  const redactedIds = [...known.values()].filter((entry) => entry.redacted).map((entry) => entry.delivery_id);
  const pruned = await prunedAmong(unit, redactedIds);
  const countsAgain = ({ compiled, sighting }: RecordReading) =>
    compiled !== null && pruned.has(sighting.id) && drawsFrom((table, uri) => mirror.rows(table, uri).row, compiled);
  const fresh: NewEntry[] = [];
  const seen: Sighting[] = [];
  for (const { reading, effect } of folded) {
    const read = effect ? { ...reading.entry, outcome: effect.outcome, changes: effect.changes } : reading.entry;
    const entry = forgotten.has(read.subject_uri as string) ? redacted(read, reading.record) : read;
    const before = known.get(reading.sighting.id);
    if (before === undefined) fresh.push(entry);
    // What was kept until now, and could be read and stored this time, has happened.
    else if (effect && (effect.changes !== null || isKept(before) || countsAgain(reading)))
      await moveEntry(unit, before, entry);
    else seen.push(reading.sighting);
  }
  await appendEntries(unit, fresh);
  await observe(unit, seen);
  await forget(unit, buriedBy(readings, options));
  return reportOf(folded);
}

function foldOne(mirror: Mirror, reading: RecordReading, options: JoinOptions): Folded {
  const { compiled } = reading;
  if (compiled === null) return { reading, effect: null, isNew: false };
  const { row } = mirror.rows(compiled.subject.table, compiled.subject.uri);
  const isNew = (row['version'] ?? null) === null && !isGone(reading.sighting.event);
  return { reading, effect: join(mirror.rows, compiled, options), isNew };
}

function reportOf(folded: readonly Folded[]): RecordsReport {
  const report = { created: 0, updated: 0, unchanged: 0, kept: 0 };
  const changed: ChangedRecord[] = [];
  for (const { reading, effect, isNew } of folded) {
    const { kind, copies } = reading.sighting;
    // Somebody who is erased was in it: nothing is left to be understood.
    const how = reading.entry.body === null ? 'unchanged' : howOf(effect, isNew);
    report[how] += 1;
    // The others said the same: there was nothing left to change, or to understand.
    report[how === 'kept' ? 'kept' : 'unchanged'] += copies - 1;
    if (how === 'created' || how === 'updated')
      changed.push({ kind, uri: String(reading.entry.subject_uri), how, changes: effect?.changes ?? null });
  }
  return { ...report, changed };
}

function unchangedBut(news: readonly Sighting[], batch: readonly Sighting[]): RecordsReport {
  const count = (of: readonly Sighting[]) => of.reduce((sum, { copies }) => sum + copies, 0);
  return { created: 0, updated: 0, unchanged: count(batch) - count(news), kept: 0, changed: [] };
}

function howOf(effect: Effect | null, isNew: boolean): 'created' | 'updated' | 'unchanged' | 'kept' {
  if (effect === null) return 'kept';
  // What is deleted is never brought back, whatever is read of it.
  if (effect.outcome === 'tombstoned') return 'unchanged';
  if (isNew) return 'created';
  return effect.changes === null ? 'unchanged' : 'updated';
}

function sumOf(reports: readonly RecordsReport[]): RecordsReport {
  const sum = (of: 'created' | 'updated' | 'unchanged' | 'kept') =>
    reports.reduce((total, report) => total + report[of], 0);
  return {
    created: sum('created'),
    updated: sum('updated'),
    unchanged: sum('unchanged'),
    kept: sum('kept'),
    changed: reports.flatMap(({ changed }) => changed),
  };
}
