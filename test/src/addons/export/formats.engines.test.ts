// Incremental exports: a copy kept from them is the table or the list, wherever the history is cut into runs.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planExport, runExport } from '#src/addons/export/export.ts';
import {
  changeTracking,
  changeTrackingOfView,
  type ChangeTracking,
  type ExportedTable,
} from '#src/addons/export/change-tracking.ts';
import type { Destination } from '#src/addons/export/output.ts';
import type { Store } from '#src/store/contract.ts';
import type { StoredRow } from '#src/store/rows.ts';
import { canonicalJson } from '#schemas/wire.ts';
import { openedOnce } from '../../../harness/opened.ts';
import { cut, reordered } from '../../../harness/data/delivery-histories.ts';
import { ingestObservations, mixedHistory } from '../../../harness/data/api-reads.ts';
import {
  columnKindsOf,
  describedRowsOf,
  emptyTables,
  availableEngines,
  isList,
  keyColumnsOf,
  listNames,
  rowsOf,
  type MirroredName,
} from '../../../harness/stores.ts';
import { propertyTimeoutMs, runs } from '../../../harness/runs.ts';

const trackingOf = (name: Followed): ChangeTracking =>
  isList(name) ? changeTrackingOfView(name, undefined) : changeTracking[name];
type Followed = ExportedTable | (typeof listNames)[number];
const followed = [...(Object.keys(changeTracking) as ExportedTable[]), ...listNames].filter(
  (name) => trackingOf(name).follows === 'subjects',
);

/** Moves when a record is merely seen again, which the log does not tell. */
const bookkeeping = new Set(['as_of', 'version', 'lagging', 'no_show_facts']);

type Copy = Map<string, StoredRow>;

/** As docs/exports.md tells users to keep a copy: rows replace rows of their key; children replace those of their parent. */
function takeIn(copy: Copy, name: Followed, rows: readonly StoredRow[]): void {
  const key = keyColumnsOf(name);
  const { parent } = trackingOf(name);
  if (parent) {
    const parents = new Set(rows.map((row) => row[parent.key]));
    for (const [id, row] of copy) if (parents.has(row[parent.key] as string)) copy.delete(id);
  }
  for (const row of rows) if (key.every((name) => row[name] !== null)) copy.set(idOf(key, row), row);
}

const idOf = (key: readonly string[], row: StoredRow) => JSON.stringify(key.map((name) => row[name]));

async function exportedRows(store: Store, name: MirroredName): Promise<StoredRow[]> {
  const chunks: Buffer[] = [];
  const destination: Destination = {
    bytes: 0,
    write: async (bytes) => void chunks.push(Buffer.from(bytes)),
    complete: async () => {},
    [Symbol.asyncDispose]: async () => {},
  };
  const plan = await planExport(store, { name, format: 'ndjson', incremental: 'copy' });
  await runExport({ store, now: () => new Date(0) }, plan, destination);
  const lines = Buffer.concat(chunks).toString().split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as StoredRow);
}

function comparable(table: MirroredName, rows: Iterable<StoredRow>): string[] {
  const names = Object.keys(columnKindsOf(table)).filter((name) => !bookkeeping.has(name));
  return [...rows].map((row) => canonicalJson(Object.fromEntries(names.map((name) => [name, row[name]])))).toSorted();
}

const history = mixedHistory().chain((facts) =>
  fc.record({
    batches: reordered(facts).chain(cut),
    eraseOnDelete: fc.boolean(),
    exports: fc.infiniteStream(fc.boolean()),
  }),
);

describe.each(availableEngines)('a copy kept from incremental exports of $name', ({ name, fresh }) => {
  const opened = openedOnce(fresh);

  it('equals every table after any history, cut into runs anywhere', { timeout: propertyTimeoutMs }, async () => {
    await fc.assert(
      fc.asyncProperty(history, async ({ batches, eraseOnDelete, exports }) => {
        const { store } = opened;
        await emptyTables(store);
        const copies = new Map(followed.map((table) => [table, new Map() as Copy]));
        const log: Copy = new Map();
        const exportNow = async (table: Followed) =>
          takeIn(copies.get(table) as Copy, table, await exportedRows(store, table));
        for (const batch of batches) {
          await ingestObservations(store, batch, eraseOnDelete);
          for (const table of followed) if (exports.next().value) await exportNow(table);
          if (exports.next().value)
            for (const row of await exportedRows(store, 'event_log')) log.set(String(row['delivery_id']), row);
        }
        for (const table of followed) {
          await exportNow(table);
          expect([table, ...comparable(table, (copies.get(table) as Copy).values())]).toEqual([
            table,
            ...comparable(table, await describedRowsOf(store, table)),
          ]);
        }
        for (const row of await exportedRows(store, 'event_log')) log.set(String(row['delivery_id']), row);
        const entries = await rowsOf(store, 'event_log');
        expect([...log.values()].map(({ seq }) => seq).toSorted()).toEqual(entries.map(({ seq }) => seq).toSorted());
      }),
      runs(name === 'sqlite' ? 8 : 3),
    );
  });
});
