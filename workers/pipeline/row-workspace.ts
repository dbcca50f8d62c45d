// The rows a batch speaks about: read and held once, joined in memory, written once.
import type { Unit } from '#src/store/contract.ts';
import { deleteRows, insertRows, readRows, writeRows, type UriRow } from '#src/store/rows.ts';
import { children } from '#workers/projections/child-rows.ts';
import { mirrorTables, type Compiled, type MirrorTable } from '#workers/projections/contract.ts';
import type { LiveRow, Rows } from '#workers/projections/merge.ts';

export interface Mirror {
  readonly rows: Rows;
  /** Every row in hand, by table. */
  all(table: MirrorTable): Iterable<readonly [uri: string, live: LiveRow]>;
  /** Writes what was touched, and the child rows that follow from it. */
  write(): Promise<void>;
}

export async function openMirror(unit: Unit, facts: readonly Compiled[]): Promise<Mirror> {
  const live = new Map<MirrorTable, Map<string, LiveRow>>();
  for (const [table, uris] of urisOf(facts)) {
    const stored = await readRows(unit, table, [...uris]);
    const rows = new Map<string, LiveRow>();
    for (const uri of uris) rows.set(uri, liveRow(uri, stored.get(uri)));
    live.set(table, rows);
  }
  return {
    rows: (table, uri) => live.get(table)?.get(uri) as LiveRow,
    all: (table) => live.get(table) ?? [],
    async write() {
      for (const [table, rows] of live) {
        const touched = [...rows].filter(([, each]) => each.touched);
        await writeRows(
          unit,
          table,
          touched.map(([, each]) => each.row),
        );
        await writeChildren(unit, table, touched);
        // Made only to be locked, and then nothing was said about it (its delivery was a copy of one in quarantine).
        const unused = [...rows].filter(([, each]) => each.isNew && !each.touched).map(([uri]) => uri);
        if (unit.engine.manyWriters) await deleteRows(unit, table, 'uri', unused);
      }
    },
  };
}

/** By table, in the one order every writer locks them. */
function urisOf(facts: readonly Compiled[]): [MirrorTable, Set<string>][] {
  const uris = new Map<MirrorTable, Set<string>>(mirrorTables.map((table) => [table, new Set()]));
  for (const { subject, assignments } of facts) {
    uris.get(subject.table)?.add(subject.uri);
    for (const { table, uri } of assignments) uris.get(table)?.add(uri);
  }
  return [...uris].filter(([, set]) => set.size > 0);
}

function liveRow(uri: string, stored: UriRow | undefined): LiveRow {
  // Where rows are made before they are locked, a new one is there already, and empty.
  const isNew =
    stored === undefined || (stored['version'] === null && stored['deleted_at'] == null && stored['as_of'] === null);
  return { row: stored ?? { uri }, isNew, columns: new Set(), touched: false };
}

async function writeChildren(
  unit: Unit,
  parent: MirrorTable,
  touched: readonly (readonly [string, LiveRow])[],
): Promise<void> {
  for (const { from, table, parentKey, rows } of children.filter((each) => each.parent === parent)) {
    const changed = touched.filter(([, live]) => live.columns.has(from));
    const former = changed.filter(([, live]) => !live.isNew).map(([uri]) => uri);
    await deleteRows(unit, table, parentKey, former);
    await insertRows(
      unit,
      table,
      changed.flatMap(([uri, live]) => rows(uri, live.row[from] ?? null)),
    );
  }
}
