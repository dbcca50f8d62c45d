// The fold without a database: compile and join over rows in memory, written and read again between batches.
import { erasureEntry } from '#workers/fold/projections/erasure.ts';
import { erasureEvent } from '#schemas/events.ts';
import { childTables } from '#workers/fold/projections/child-rows.ts';
import { mirrorTables, type Fact, type MirrorTable } from '#workers/fold/projections/contract.ts';
import { merge, type Effect, type MergeOptions, type WorkingRow } from '#workers/fold/projections/merge.ts';
import { parseText, blankEntry } from '#workers/fold/pipeline/parse.ts';
import { parseRecord, observedRecord } from '#workers/sync/record-entry.ts';
import type { StoredRow, UriRow } from '#src/store/rows.ts';
import type { Fact as HistoryFact, Observation } from '../data/delivery-histories.ts';
import { rowOf } from '../data/booking-context.ts';
import { recordOf } from '../data/api-reads.ts';
import type { Record_ } from '../data/normal-facts.ts';
import { childRows } from '../../oracle/columns.ts';
import { comparable, isList, receivedAt, type Contents } from '../stores.ts';

/** Reads a body; the same reading may then be folded many times. */
export function read(body: string): Fact | null {
  return parseText(body, { ...blankEntry, received_at: receivedAt }).fact;
}

/** Reads what was sent, or read from the API. */
export function readObservation({ body, fact }: Observation): Fact | null {
  if (body !== null) return read(body);
  if (fact.event === erasureEvent) return erasureOf(fact);
  const sighting = observedRecord({ ...recordOf(fact), event: fact.event });
  return parseRecord(sighting, { source: 'reconcile', now: receivedAt }).fact;
}

function erasureOf({ created_at: at, payload }: HistoryFact): Fact | null {
  const entry = erasureEntry({ uri: String(payload['uri']), table: 'contacts' }, { at, base: blankEntry });
  return parseText(String(entry.body), entry).fact;
}

export function fold(batches: readonly (readonly (Fact | null)[])[], options: MergeOptions) {
  const stored = new Map<MirrorTable, Map<string, string>>(mirrorTables.map((table) => [table, new Map()]));
  /** What each delivery did when it came, in order; null for one that is kept but not projected. */
  const effects: (Effect | null)[] = [];
  for (const batch of batches) {
    const live = new Map<string, { table: MirrorTable; uri: string; row: WorkingRow }>();
    const rows = (table: MirrorTable, uri: string): WorkingRow => {
      const id = `${table} ${uri}`;
      const text = stored.get(table)?.get(uri);
      const known = live.get(id)?.row ?? {
        row: text ? (JSON.parse(text) as UriRow) : { uri },
        isNew: !text,
        former: new Map(),
        isTouched: false,
      };
      live.set(id, { table, uri, row: known });
      return known;
    };
    for (const fact of batch) effects.push(fact && merge(rows, fact, options));
    for (const { table, uri, row } of live.values())
      if (row.isTouched) stored.get(table)?.set(uri, JSON.stringify(row.row));
  }
  return { contents: contentsOf(stored), effects };
}

function contentsOf(stored: ReadonlyMap<MirrorTable, ReadonlyMap<string, string>>): Contents {
  const contents: Contents = {};
  for (const [table, rows] of stored) {
    const whole = [...rows.values()].map((text) => rowOf(table, JSON.parse(text)) as StoredRow);
    contents[table] = whole;
    for (const child of childTables.filter(({ parent }) => parent === table)) {
      contents[child.table] = whole.flatMap((row) => child.rows(String(row['uri']), row[child.from] ?? null));
    }
    for (const row of whole)
      for (const [name, items] of childRows(table, String(row['uri']), row as Record_))
        if (isList(name)) (contents[name] ??= []).push(...items);
  }
  return comparable(contents);
}

/** The text of versions is the program's own business; which fields lag behind is not. */
export function forOracle(contents: Contents): unknown {
  return Object.fromEntries(
    Object.entries(contents).map(([table, rows]) => [
      table,
      rows.map(({ version: _version, no_show_facts: _facts, ...row }) =>
        'lagging' in row ? { ...row, lagging: row['lagging'] && Object.keys(row['lagging']).toSorted() } : row,
      ),
    ]),
  );
}
