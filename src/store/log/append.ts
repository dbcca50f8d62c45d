// Writes to the event log. Every caller holds the log's lock (`lockLog`) until its transaction ends.
import { sql } from 'kysely';
import type { Unit } from '#src/store/contract.ts';
import { chunks, runPrepared } from '#src/store/prepared-sql.ts';
import { insertRows, readColumns } from '#src/store/rows.ts';
import { columnsOf } from '#src/store/schema/tables.ts';
import { isUnprojected, type LogEntry, type NewEntry } from './read.ts';

/** The permanent ledger: which of these deliveries are in the log already. */
export async function knownDeliveries(unit: Unit, ids: readonly string[]): Promise<Set<string>> {
  const rows = await readColumns(unit, 'event_log', { columns: ['delivery_id'], key: 'delivery_id', values: ids });
  return new Set(rows.map((row) => row.delivery_id));
}

const knownColumns = columnsOf('event_log', 'delivery_id seq occurred_at outcome redacted');
export type KnownEntry = Pick<LogEntry, (typeof knownColumns)[number]>;

/** Those of these entries that are in the log already, by their identity. */
export async function knownEntries(unit: Unit, ids: readonly string[]): Promise<Map<string, KnownEntry>> {
  const rows = await readColumns(unit, 'event_log', { columns: knownColumns, key: 'delivery_id', values: ids });
  return new Map(rows.map((entry) => [entry.delivery_id, entry]));
}

/** The same content was observed at another time: an entry keeps the latest time, or of a deleted record the earliest. */
export async function observeAgain(
  unit: Unit,
  ids: readonly string[],
  { at, keep }: { readonly at: string; readonly keep: 'latest' | 'earliest' },
): Promise<void> {
  for (const chunk of chunks(ids))
    await runPrepared(unit, {
      id: `observe ${keep}`,
      values: { at, ids: chunk },
      build: (parameters) =>
        unit.db
          .updateTable('event_log')
          .set({ occurred_at: parameters.at })
          .where('delivery_id', 'in', parameters.ids)
          .where('occurred_at', keep === 'latest' ? '<' : '>', parameters.at),
    });
}

/** Fails as contention when another transaction has appended one of them since this one looked for it. */
export function appendEntries(unit: Unit, entries: readonly NewEntry[]): Promise<void> {
  return insertRows(unit, 'event_log', entries, { without: ['seq'], unique: 'delivery_id' });
}

/** Counts copies of deliveries on the entry of the first. */
export async function countDuplicates(unit: Unit, copies: ReadonlyMap<string, number>): Promise<void> {
  const byCount = Map.groupBy(copies.entries(), ([, count]) => count);
  for (const [count, found] of byCount) {
    await unit.db
      .updateTable('event_log')
      .set({ duplicates: sql<number>`duplicates + ${count}` })
      .where(
        'delivery_id',
        'in',
        found.map(([id]) => id),
      )
      .execute();
  }
}

/** Replaces an entry's body by a stub or by null, and removes everything else that it says about a person. */
export async function redactEntry(unit: Unit, seq: number, stub: string | null): Promise<void> {
  await unit.db
    .updateTable('event_log')
    .set({ body: stub, encoding: null, changes: null, redacted: unit.engine.encode('flag', true) })
    .where('seq', '=', seq)
    .execute();
}

/** Marks those of these entries that were not projected and not dismissed before. Answers how many there were. */
export async function markDismissed(unit: Unit, seqs: readonly number[], at: string): Promise<number> {
  const { numUpdatedRows } = await unit.db
    .updateTable('event_log')
    .set({ dismissed_at: at })
    .where('seq', 'in', seqs)
    .where(isUnprojected)
    .where('dismissed_at', 'is', null)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Moves a changed entry to the end of the log, so that no consumer of the feed misses it. */
export async function moveEntry(unit: Unit, { seq }: Pick<LogEntry, 'seq'>, entry: NewEntry): Promise<void> {
  const removed = await unit.db
    .deleteFrom('event_log')
    .where('seq', '=', seq)
    .returning('duplicates')
    .executeTakeFirst();
  // Without a row, another process has moved it meanwhile. Copies counted meanwhile are kept.
  if (removed) await appendEntries(unit, [{ ...entry, duplicates: removed.duplicates }]);
}
