// The rows that a batch touches: locked and read once, changed in memory, written once.
import type { Unit } from '#src/store/contract.ts';
import { deleteRows, insertRows, readRows, writeRows, type UriRow } from '#src/store/rows.ts';
import { childTables } from '#workers/projections/child-rows.ts';
import { mirrorTables, type Fact, type MirrorTable } from '#workers/projections/contract.ts';
import type { RowLookup, WorkingRow } from '#workers/projections/merge.ts';
import { rowsTouchedBy } from '#workers/projections/touches.ts';

export interface RowWorkspace {
  readonly row: RowLookup;
  /** Every row of the workspace, by table. */
  all(table: MirrorTable): Iterable<readonly [uri: string, working: WorkingRow]>;
  /** Writes the changed rows and the child rows derived from them. */
  write(): Promise<void>;
}

export async function openRows(unit: Unit, facts: readonly Fact[]): Promise<RowWorkspace> {
  const workspace = new Map<MirrorTable, Map<string, WorkingRow>>();
  for (const [table, uris] of urisByTable(facts)) {
    const stored = await readRows(unit, table, [...uris]);
    workspace.set(table, new Map([...uris].map((uri) => [uri, workingRow(uri, stored.get(uri))])));
  }
  return {
    row(table, uri) {
      const working = workspace.get(table)?.get(uri);
      if (working === undefined) throw new Error(`The row of ${table} was not opened for this fact.`);
      return working;
    },
    all: (table) => workspace.get(table) ?? [],
    async write() {
      for (const [table, rows] of workspace) {
        const touched = [...rows].filter(([, { isTouched }]) => isTouched);
        await writeRows(
          unit,
          table,
          touched.map(([, { row }]) => row),
        );
        await writeChildRows(unit, table, touched);
        // Rows that were inserted only to lock them: no fact was merged into them, because their delivery is a duplicate of a
        // quarantined one.
        const unused = [...rows].filter(([, { isNew, isTouched }]) => isNew && !isTouched).map(([uri]) => uri);
        if (unit.engine.manyWriters) await deleteRows(unit, table, 'uri', unused);
      }
    },
  };
}

/** By table, in the order in which every writer locks them. */
function urisByTable(facts: readonly Fact[]): [MirrorTable, Set<string>][] {
  const uris = new Map<MirrorTable, Set<string>>(mirrorTables.map((table) => [table, new Set()]));
  for (const fact of facts) for (const { table, uri } of rowsTouchedBy(fact)) uris.get(table)?.add(uri);
  return [...uris].filter(([, set]) => set.size > 0);
}

function workingRow(uri: string, stored: UriRow | undefined): WorkingRow {
  // Where rows are inserted to be locked, a new one is already stored, and empty.
  const isNew =
    stored === undefined || (stored['version'] === null && stored['deleted_at'] == null && stored['as_of'] === null);
  return { row: stored ?? { uri }, isNew, columns: new Set(), isTouched: false };
}

async function writeChildRows(
  unit: Unit,
  parent: MirrorTable,
  touched: readonly (readonly [string, WorkingRow])[],
): Promise<void> {
  for (const { from, table, parentKey, rows } of childTables.filter((each) => each.parent === parent)) {
    const changed = touched.filter(([, { columns }]) => columns.has(from));
    const former = changed.filter(([, { isNew }]) => !isNew).map(([uri]) => uri);
    await deleteRows(unit, table, parentKey, former);
    await insertRows(
      unit,
      table,
      changed.flatMap(([uri, { row }]) => rows(uri, row[from] ?? null)),
    );
  }
}
