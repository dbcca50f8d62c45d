// The rows that entries of the feed changed, for `include=row`: each as it is now, at least as new as its entry. A row whose record was
// deleted is null, so an erased person never appears; and one that nothing has described. One query per table, however many entries there are.
import { isBlankRow } from '#src/store/blank-meetings.ts';
import { readUnchecked, type StoredRow } from '#src/store/rows.ts';
import type { Store, Unit } from '#src/store/contract.ts';
import type { FeedRow } from '#src/store/log/feed.ts';
import { tables } from '#src/store/schema/tables.ts';
import { factIn, isUnprojected } from '#workers/fold/pipeline/parse.ts';
import { mirrorTables, type MirrorTable } from '#workers/fold/projections/contract.ts';
import { parseErasure } from '#workers/fold/projections/erasure.ts';
import { erasureEvent } from '#schemas/events.ts';
import { embeddings, rowsTouchedBy, tableOfEvent, type RowKey } from '#workers/fold/projections/touches.ts';

/** State of the fold, which may change without an entry. */
const foldColumns: readonly string[] = ['as_of', 'version', 'lagging', 'no_show_facts'];

/** By table: the row, or null where its record was deleted. */
type RowsByTable = Readonly<Record<string, StoredRow | null>>;

/** One for each entry, in their order; null for an entry that changes no row. */
export async function rowsAfter(
  from: Store | Unit,
  entries: readonly FeedRow[],
): Promise<readonly (RowsByTable | null)[]> {
  const keys = entries.map(keysOf);
  const wanted = new Map(mirrorTables.map((table) => [table, new Set<string>()]));
  for (const { table, uri } of keys.flat()) wanted.get(table)?.add(uri);
  const found = new Map<MirrorTable, ReadonlyMap<string, StoredRow>>();
  const read = async (table: MirrorTable) => found.set(table, await readTable(from, table, wanted.get(table)));
  const embedding = new Set<MirrorTable>(embeddings.map(({ within }) => within));
  for (const table of embedding) await read(table);
  // Where the content of an entry was pruned, the row of its subject names the record that was embedded in it.
  const complete = entries.map((entry, index) => {
    const touched = keys[index] ?? [];
    return entry.body === null ? [...touched, ...touched.flatMap((key) => embeddedIn(key, found))] : touched;
  });
  for (const { table, uri } of complete.flat()) wanted.get(table)?.add(uri);
  for (const table of mirrorTables) if (!embedding.has(table)) await read(table);
  return complete.map((touched) =>
    touched.length === 0
      ? null
      : Object.fromEntries(touched.map(({ table, uri }) => [table, found.get(table)?.get(uri) ?? null])),
  );
}

function keysOf(entry: FeedRow): readonly RowKey[] {
  if (isUnprojected(entry)) return [];
  const { event, subject_uri: uri, source, body } = entry;
  if (event === erasureEvent && source === 'operator') {
    const { erased } = parseErasure(body) ?? {};
    return erased !== undefined && 'uri' in erased && erased.table !== null
      ? [{ table: erased.table, uri: erased.uri }]
      : [];
  }
  const fact = factIn(entry);
  if (fact !== null) return rowsTouchedBy(fact);
  const table = tableOfEvent(event);
  return table === undefined || uri === null ? [] : [{ table, uri }];
}

function embeddedIn(
  { table, uri }: RowKey,
  found: ReadonlyMap<MirrorTable, ReadonlyMap<string, StoredRow>>,
): readonly RowKey[] {
  return embeddings
    .filter(({ within }) => within === table)
    .flatMap((embedding) => {
      const named = found.get(table)?.get(uri)?.[embedding.column];
      return typeof named === 'string' ? [{ table: embedding.table, uri: named }] : [];
    });
}

async function readTable(
  from: Store | Unit,
  table: MirrorTable,
  uris: ReadonlySet<string> = new Set(),
): Promise<ReadonlyMap<string, StoredRow>> {
  if (uris.size === 0) return new Map();
  const names = Object.keys(tables[table].columns).filter((name) => !foldColumns.includes(name));
  const rows = await readUnchecked(from, table, { columns: [...names, 'version'], key: 'uri', values: [...uris] });
  const shown = rows.filter((row) => (row['deleted_at'] ?? null) === null && !isBlankRow(table, row));
  return new Map(shown.map(({ version: _version, ...row }) => [String(row['uri']), row]));
}
