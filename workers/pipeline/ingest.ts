// One batch, the whole story: read each delivery, fold what it says, write the log and the tables in one transaction.
import { codeOf, isTransient } from '#src/base/errors.ts';
import type { Store, Unit } from '#src/store/contract.ts';
import { appendEntries, countDuplicates, knownDeliveries, type NewEntry } from '#src/store/log/log.ts';
import { withoutErased } from '#workers/privacy/redact-fact.ts';
import { currentErasures, requireCurrent, type Erasures } from '#workers/privacy/erasure-index.ts';
import { eraseLate, lateAmong } from '#workers/privacy/late-facts.ts';
import { buriedBy, forget, forgottenAmong, redacted } from '#workers/privacy/redact-deleted.ts';
import { openMirror } from './row-workspace.ts';
import type { Compiled } from '#workers/projections/contract.ts';
import { join, type JoinOptions } from '#workers/projections/merge.ts';
import { readBatch, type Reading } from './parse.ts';

export interface IngestNeeds {
  readonly store: Store;
  readonly options: JoinOptions;
}

export interface IngestReport {
  /** What was appended to the log, in order. */
  readonly entries: readonly NewEntry[];
  readonly duplicates: number;
  /** A person was forgotten: what deletes leave behind in files should be scrubbed. */
  readonly forgot: boolean;
}

/** Throws only for causes that pass by themselves; whatever else is wrong with a delivery ends in quarantine. */
export async function ingest(needs: IngestNeeds, batch: unknown, now: string): Promise<IngestReport> {
  return ingestReadings(needs, readBatch(batch, now));
}

/** Keeps a delivery out of the way: whole, with its reason, and without trying to project it. */
export async function quarantine(
  needs: IngestNeeds,
  delivery: unknown,
  { reason, now }: { reason: string; now: string },
): Promise<IngestReport> {
  const readings = readBatch({ v: 1, deliveries: [delivery] }, now);
  return ingestReadings(
    needs,
    readings.map((reading) => quarantined(reading, reason)),
  );
}

function quarantined<Read extends Reading>(reading: Read, reason: string): Read {
  return { ...reading, compiled: null, entry: { ...reading.entry, outcome: 'quarantined', reason } };
}

async function ingestReadings(needs: IngestNeeds, readings: readonly Reading[]): Promise<IngestReport> {
  const reports = await inTransactions(needs, readings, append);
  return {
    entries: reports.flatMap(({ entries }) => entries),
    duplicates: reports.reduce((sum, { duplicates }) => sum + duplicates, 0),
    forgot: reports.some(({ forgot }) => forgot),
  };
}

/** How a batch is folded, and without whom. */
export interface AppendOptions extends JoinOptions {
  /** As they stood when it was read. */
  readonly erasures: Erasures;
  /** Contacts that turn out to be erased. */
  readonly buried: readonly Compiled[];
}

/**
 * Does the work in one transaction, without anybody who is erased. When something among the readings cannot be stored,
 * halves them until the culprit stands alone, which then is kept without being projected, and lets its neighbours through.
 */
export async function inTransactions<Read extends Reading, Report>(
  needs: IngestNeeds,
  readings: readonly Read[],
  work: (unit: Unit, readings: readonly Read[], options: AppendOptions) => Promise<Report>,
): Promise<Report[]> {
  try {
    const report = await needs.store.transaction(async (unit) => {
      const standing = await currentErasures(unit);
      const late = lateAmong(standing, readings);
      const kept = readings.map((reading) => withoutErased(late.erasures, reading));
      const done = await work(unit, kept, { ...needs.options, erasures: standing, buried: late.buried });
      await eraseLate(unit, late);
      return done;
    });
    return [report];
  } catch (error) {
    if (isTransient(error)) throw error;
    if (readings.length > 1) {
      const middle = Math.ceil(readings.length / 2);
      const first = await inTransactions(needs, readings.slice(0, middle), work);
      return [...first, ...(await inTransactions(needs, readings.slice(middle), work))];
    }
    const [reading] = readings;
    if (reading === undefined || reading.compiled === null) throw error;
    return inTransactions(needs, [quarantined(reading, `The store refused it (${codeOf(error)}).`)], work);
  }
}

async function append(unit: Unit, readings: readonly Reading[], options: AppendOptions): Promise<IngestReport> {
  const first = new Map<string, Reading>();
  const copies = new Map<string, number>();
  for (const reading of readings) {
    const id = reading.entry.delivery_id as string;
    if (first.has(id)) copies.set(id, (copies.get(id) ?? 0) + 1);
    else first.set(id, reading);
  }
  const facts = [...first.values()].flatMap(({ compiled }) => compiled ?? []);
  const mirror = await openMirror(unit, [...options.buried, ...facts]);
  // Only now, when the rows are held: a copy of a delivery being written by another worker is visible from here on.
  for (const id of await knownDeliveries(unit, [...first.keys()])) {
    first.delete(id);
    copies.set(id, (copies.get(id) ?? 0) + 1);
  }

  for (const compiled of options.buried) join(mirror.rows, compiled, options);
  const folded = [...first.values()].map((reading) => ({
    reading,
    effect: reading.compiled && join(mirror.rows, reading.compiled, options),
  }));
  await mirror.write();

  await unit.engine.lockLog(unit.db);
  await requireCurrent(unit, options.erasures);
  const forgotten = await forgottenAmong(unit, { mirror, readings, options });
  const entries: NewEntry[] = folded.map(({ reading, effect }) => {
    const entry = effect ? { ...reading.entry, outcome: effect.outcome, changes: effect.changes } : reading.entry;
    return forgotten.has(entry.subject_uri as string) ? redacted(entry, reading.record) : entry;
  });
  const late = unit.engine.manyWriters
    ? await knownDeliveries(
        unit,
        entries.map((entry) => entry.delivery_id as string),
      )
    : new Set();
  const fresh = entries.filter((entry) => !late.has(entry.delivery_id));
  for (const id of late) copies.set(id as string, (copies.get(id as string) ?? 0) + 1);
  await appendEntries(unit, fresh);
  await countDuplicates(unit, copies);
  const buried = buriedBy([...first.values()], options);
  await forget(unit, buried);
  return {
    entries: fresh,
    duplicates: [...copies.values()].reduce((sum, count) => sum + count, 0),
    forgot: buried.length + options.buried.length > 0,
  };
}
