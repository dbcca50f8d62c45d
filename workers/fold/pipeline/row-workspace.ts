// The rows that a batch touches: locked and read, changed in memory, written once.
import { isSameJson } from '#schemas/wire.ts';
import type { Unit } from '#src/store/contract.ts';
import {
  addRows,
  blankRow,
  Contention,
  deleteRows,
  hasOtherWriters,
  readRows,
  writeRows,
  type StoredRow,
  type UriRow,
} from '#src/store/rows.ts';
import { inOrder, type Step } from '#src/store/in-order.ts';
import { tables } from '#src/store/schema/tables.ts';
import { addTimeZones, zonedTables } from '#src/store/time-zones.ts';
import { childTables, type ChildTable } from '#workers/fold/projections/child-rows.ts';
import { mirrorTables, type Fact, type MirrorTable } from '#workers/fold/projections/contract.ts';
import type { RowLookup, WorkingRow } from '#workers/fold/projections/merge.ts';
import { rowsNeededBy } from '#workers/fold/projections/touches.ts';

interface OpenedRow extends WorkingRow {
  /** Whether the table had the row when it was read, or it was `inserted` since, by this transaction or by another one first. */
  state: 'missing' | 'inserted' | 'stored';
  /** The values that this transaction has inserted before the facts were merged once more. */
  readonly inserted: UriRow | undefined;
}

export interface RowWorkspace {
  readonly row: RowLookup;
  size(): number;
  /** Reads the rows that these facts need and that it does not hold yet. */
  open(facts: readonly Fact[]): Promise<void>;
  /** Every row of the workspace, by table. */
  all(table: MirrorTable): Iterable<readonly [uri: string, working: WorkingRow]>;
  /**
   * Inserts the new rows. Returns false when another transaction has inserted some of them first: every row is then again as other
   * transactions have left it, those included, and the facts have to be merged once more.
   */
  create(): Promise<boolean>;
  /** Writes the changed rows and the child rows derived from them, then does what comes last. The new rows have been created. */
  write(last?: readonly Step[]): Promise<void>;
}

export function emptyWorkspace(unit: Unit): RowWorkspace {
  const workspace = new Map(mirrorTables.map((table) => [table, new Map<string, OpenedRow>()]));
  return {
    size: () => workspace.values().reduce((sum, rows) => sum + rows.size, 0),
    async open(facts) {
      const missing = new Map(mirrorTables.map((table) => [table, new Set<string>()]));
      for (const fact of facts)
        for (const { table, uri } of rowsNeededBy(fact))
          if (workspace.get(table)?.has(uri) !== true) missing.get(table)?.add(uri);
      const read = (table: MirrorTable, uris: readonly string[]) => async () => {
        const stored = await readRows(unit, table, uris);
        for (const uri of uris) workspace.get(table)?.set(uri, openedRow(table, uri, stored.get(uri)));
      };
      const filled = [...missing].filter(([, uris]) => uris.size > 0);
      // By table, in the order in which every writer locks them.
      const reads = filled.map(([table, uris]) => read(table, [...uris]));
      await inOrder(unit, reads);
    },
    row(table, uri) {
      const working = workspace.get(table)?.get(uri);
      if (working === undefined) throw new Error(`The row of ${table} was not opened for this fact.`);
      return working;
    },
    all: (table) => workspace.get(table) ?? [],
    async create() {
      // First, so that transactions wait for each other in one order. A rebuild folds what was folded before.
      if (unit.schema === undefined) await addTimeZones(unit, zonesIn(workspace));
      const steps: Step[] = [];
      const taken = new Map<MirrorTable, number>();
      for (const [table, rows] of workspace) {
        const created = [...rows].filter(([, { isTouched, state }]) => isTouched && state === 'missing');
        if (created.length === 0) continue;
        // Every writer inserts rows in this order, to avoid deadlocks: one that inserts the same row waits here.
        created.sort(([a], [b]) => (a < b ? -1 : 1));
        steps.push(async () => {
          const inserted = await addRows(unit, table, created.map(rowOf));
          for (const [, working] of created) working.state = 'inserted';
          if (inserted < created.length) taken.set(table, created.length - inserted);
        });
      }
      // By themselves: when another writer has inserted one of them first, nothing else has been written yet.
      await inOrder(unit, steps);
      if (taken.size > 0) await readAgain(taken);
      return taken.size === 0;
    },
    async write(last = []) {
      const steps: Step[] = [];
      for (const [table, rows] of workspace) {
        const touched = [...rows].filter(([, { isTouched }]) => isTouched);
        if (touched.some(([, { state }]) => state === 'missing') || rows.values().some(hasChanged))
          throw new Contention(table);
        const changed = touched.filter(([, { state }]) => state === 'stored');
        if (touched.length > 0)
          steps.push(
            () => writeRows(unit, table, changed.map(rowOf)),
            () => writeChildRows(unit, table, touched),
          );
      }
      await inOrder(unit, [...steps, ...last]);
    },
  };

  /**
   * Reads every row once more, without those that this transaction has inserted: merging the same facts gives them the same values
   * again. Does not wait for a row that another transaction holds, because that one may wait for a row that this one has inserted.
   */
  async function readAgain(taken: ReadonlyMap<MirrorTable, number>): Promise<void> {
    if (!hasOtherWriters(unit)) throw new Contention([...taken.keys()].join(', '));
    const read = (table: MirrorTable, rows: Map<string, OpenedRow>) => async () => {
      const stored = await readRows(unit, table, [...rows.keys()], { ofOthers: true });
      let found = 0;
      for (const [uri, { state, row }] of rows) {
        if (state === 'stored' && !stored.has(uri)) throw new Contention(table);
        if (state === 'inserted' && stored.has(uri)) found += 1;
        const isOurs = state === 'inserted' && !stored.has(uri);
        rows.set(uri, openedRow(table, uri, stored.get(uri), isOurs ? row : undefined));
      }
      if (found !== (taken.get(table) ?? 0)) throw new Contention(table);
    };
    const opened = [...workspace].filter(([, rows]) => rows.size > 0);
    await inOrder(
      unit,
      opened.map(([table, rows]) => read(table, rows)),
    );
  }
}

/** Whether the second merge gave an inserted row other values: some of its facts are in the log by now, and are not merged again. */
const hasChanged = ({ row, inserted }: OpenedRow): boolean => inserted !== undefined && !isSameJson(inserted, row);

function* zonesIn(workspace: ReadonlyMap<MirrorTable, ReadonlyMap<string, OpenedRow>>): Generator<string> {
  for (const table of zonedTables)
    for (const { row, isTouched } of workspace.get(table)?.values() ?? [])
      if (isTouched && typeof row['timezone'] === 'string') yield row['timezone'];
}

type RowChange = readonly [uri: string, working: OpenedRow];

const rowOf = ([, { row }]: RowChange): UriRow => row;

function openedRow(table: MirrorTable, uri: string, stored?: UriRow, inserted?: UriRow): OpenedRow {
  const isNew = stored === undefined;
  const state = stored ? 'stored' : inserted ? 'inserted' : 'missing';
  return { row: stored ?? blankRow(table, uri), isNew, former: new Map(), isTouched: false, state, inserted };
}

/** Writes the child rows that differ. Where one is gone, all of its parent are written again: there is no key of one column. */
async function writeChildRows(unit: Unit, parent: MirrorTable, touched: readonly RowChange[]): Promise<void> {
  const steps: Step[] = [];
  for (const child of childTables.filter((each) => each.parent === parent)) {
    const replaced: string[] = [];
    const written: StoredRow[] = [];
    for (const [uri, { row, former }] of touched) {
      const before = former.get(child.from);
      if (before === undefined) continue;
      const next = child.rows(uri, row[child.from] ?? null);
      const changed = before === null ? next : changedRows(child, child.rows(uri, before), next);
      if (changed === undefined) replaced.push(uri);
      for (const each of changed ?? next) written.push(each);
    }
    steps.push(
      () => deleteRows(unit, child.table, child.parentKey, replaced),
      () => writeRows(unit, child.table, written),
    );
  }
  await inOrder(unit, steps);
}

/** The rows of a parent that are new or differ; undefined when one of the stored rows is gone. */
function changedRows(
  { table, parentKey }: ChildTable,
  stored: readonly StoredRow[],
  next: readonly StoredRow[],
): readonly StoredRow[] | undefined {
  const key = tables[table].key.filter((name) => name !== parentKey);
  const isSameKey = (a: StoredRow, b: StoredRow | undefined) => key.every((name) => a[name] === b?.[name]);
  // Most lists have the same items in the same order.
  if (stored.every((each, index) => isSameKey(each, next[index])))
    return next.filter((each, index) => !isSameJson(each, stored[index]));
  const keyOf = (row: StoredRow) => JSON.stringify(key.map((name) => row[name]));
  const byKey = new Map(stored.map((each) => [keyOf(each), each]));
  const keys = new Set(next.map(keyOf));
  if ([...byKey.keys()].some((each) => !keys.has(each))) return undefined;
  return next.filter((each) => !isSameJson(each, byKey.get(keyOf(each))));
}
