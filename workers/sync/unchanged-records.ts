// The fast path for records whose content their row already shows: only the time of observation moves. Most records of a sweep are
// unchanged, so they cost no parsing and no merge, only the columns that hold that time.
import { isDeleteFact } from '#schemas/records.ts';
import { isObject, isUri } from '#schemas/wire.ts';
import type { Store, Unit } from '#src/store/contract.ts';
import { lockLog } from '#src/store/locks.ts';
import { readUnchecked, writeUnchecked, type StoredRow } from '#src/store/rows.ts';
import { mirrorTables, type MirrorTable } from '#workers/fold/projections/contract.ts';
import { factsOf, snapshotAgain } from '#workers/fold/projections/no-show.ts';
import { isPageOf, observedAgain, ranks, rowVersion } from '#workers/fold/projections/version.ts';
import { embeddings, tableOfKind } from '#workers/fold/projections/touches.ts';
import { storeObservations, type ObservedRecord } from './record-entry.ts';

/** The table of the one row that a read touches; undefined when it may touch another row. */
function onlyTable({ kind, event, record }: ObservedRecord): MirrorTable | undefined {
  const table = tableOfKind[kind];
  const embeds = embeddings.some(({ within, key }) => within === table && record[key] !== undefined);
  return isDeleteFact(event) || embeds ? undefined : table;
}

/**
 * Stores the new time of observation of unchanged records and returns the others. It has a transaction of its own, because rows are
 * locked in one order.
 */
export function observeUnchanged(store: Store, records: readonly ObservedRecord[]): Promise<ObservedRecord[]> {
  return store.transaction(async (unit) => {
    const unchanged = new Set<ObservedRecord>();
    for (const table of mirrorTables) {
      const candidates = records.filter((record) => onlyTable(record) === table);
      if (candidates.length === 0) continue;
      for (const record of await observeRows(unit, table, candidates)) unchanged.add(record);
    }
    if (unchanged.size > 0) {
      await lockLog(unit);
      await storeObservations(unit, [...unchanged]);
    }
    return records.filter((record) => !unchanged.has(record));
  });
}

async function observeRows(
  unit: Unit,
  table: MirrorTable,
  candidates: readonly ObservedRecord[],
): Promise<ObservedRecord[]> {
  const columns = ['version', 'as_of', ...(table === 'invitees' ? ['no_show_facts'] : [])];
  const values = [...new Set(candidates.map(({ record }) => record['uri']).filter(isUri))];
  const stored = await readUnchecked(unit, table, { columns: ['uri', ...columns], key: 'uri', values, lock: true });
  const rows = new Map(stored.map((row) => [row['uri'], row]));
  const unchanged: ObservedRecord[] = [];
  const moved: StoredRow[] = [];
  for (const record of candidates) {
    const { uri } = record.record;
    const row = isUri(uri) ? rows.get(uri) : undefined;
    const next = row && observedLater(row, record);
    if (next === undefined) continue;
    unchanged.push(record);
    if (next !== row) moved.push(next);
  }
  await writeUnchecked(unit, table, { columns, rows: moved });
  return unchanged;
}

/** The row with the later time of observation; the same row when it is not later; undefined when more than times may change. */
function observedLater(row: StoredRow, { event, record, observed, tie }: ObservedRecord): StoredRow | undefined {
  const version = rowVersion(row);
  if (observed === '' || version === '' || !isPageOf(version, tie)) return undefined;
  const next = observedAgain(version, observed);
  if (next <= version) return row;
  const moved = { ...row, version: next, as_of: observed };
  if (event !== 'invitee.read') return moved;
  const mark = record['no_show'];
  if (mark === undefined) return moved;
  // A mark without a time of its own takes the time of observation.
  if (isObject(mark) && typeof mark['created_at'] !== 'string') return undefined;
  const facts = snapshotAgain(factsOf(row['no_show_facts'] ?? null), {
    order: `${ranks.page}${tie}`,
    at: observed,
  });
  return facts && { ...moved, no_show_facts: facts };
}
