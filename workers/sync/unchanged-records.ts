// Content that its row already shows: all that moves is when it was last observed. Most of a sweep is this, so it costs no
// parsing and no join, only the columns that hold that time.
import { isGone } from '#schemas/records.ts';
import { isObject, isUri } from '#schemas/wire.ts';
import type { Json } from '#src/store/columns.ts';
import type { Store, Unit } from '#src/store/contract.ts';
import { readUnchecked, writeUnchecked, type StoredRow } from '#src/store/rows.ts';
import { mirrorTables, type MirrorTable } from '#workers/projections/contract.ts';
import { factsOf, snapshotAgain } from '#workers/projections/no-show.ts';
import { isPageOf, observedAgain, ranks } from '#workers/projections/version.ts';
import { tableOf } from './record-tables.ts';
import { observe, type Sighting } from './record-entry.ts';

/** The one row a read touches. A membership touches two, and is rare. */
const touchedBy = ({ kind, event }: Sighting): MirrorTable | undefined =>
  isGone(event) || kind === 'organization_membership' ? undefined : tableOf[kind];

/** Observes again what the rows already show; answers the rest. In a transaction of its own: rows are held in one order. */
export function observeSeen(store: Store, sightings: readonly Sighting[]): Promise<Sighting[]> {
  return store.transaction(async (unit) => {
    const seen = new Set<Sighting>();
    for (const table of mirrorTables) {
      const about = sightings.filter((sighting) => touchedBy(sighting) === table);
      if (about.length > 0) for (const sighting of await observeRows(unit, table, about)) seen.add(sighting);
    }
    if (seen.size > 0) {
      await unit.engine.lockLog(unit.db);
      await observe(unit, [...seen]);
    }
    return sightings.filter((sighting) => !seen.has(sighting));
  });
}

async function observeRows(unit: Unit, table: MirrorTable, about: readonly Sighting[]): Promise<Sighting[]> {
  const columns = ['version', 'as_of', ...(table === 'invitees' ? ['no_show_facts'] : [])];
  const values = [...new Set(about.map(({ record }) => record['uri']).filter(isUri))];
  const stored = await readUnchecked(unit, table, { columns: ['uri', ...columns], key: 'uri', values, lock: true });
  const rows = new Map(stored.map((row) => [row['uri'] as string, row]));
  const seen: Sighting[] = [];
  const later: StoredRow[] = [];
  for (const sighting of about) {
    const row = rows.get(sighting.record['uri'] as string);
    const next = row && laterOf(row, sighting);
    if (next === undefined) continue;
    seen.push(sighting);
    if (next !== row) later.push(next);
  }
  await writeUnchecked(unit, table, { columns, rows: later });
  return seen;
}

/** The row as this sighting leaves it, the same one when it is no later; undefined when more than times may change. */
function laterOf(row: StoredRow, { event, record, observed, tie }: Sighting): StoredRow | undefined {
  const version = String(row['version'] ?? '');
  if (observed === '' || !isPageOf(version, tie)) return undefined;
  const next = observedAgain(version, observed);
  if (next <= version) return row;
  const moved = { ...row, version: next, as_of: observed };
  if (event !== 'invitee.read') return moved;
  if (record['scheduled_event'] !== undefined) return undefined;
  const mark = record['no_show'];
  if (mark === undefined) return moved;
  // A mark without a time of its own has the time at which it was observed.
  if (isObject(mark) && typeof mark['created_at'] !== 'string') return undefined;
  const facts = snapshotAgain(factsOf(row['no_show_facts'] ?? null), {
    order: `${ranks.page}${tie}`,
    at: observed,
  });
  return facts && { ...moved, no_show_facts: facts as unknown as Json };
}
