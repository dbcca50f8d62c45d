// Retention: removes old content from the log where it decides no value of a row, so that a rebuild still yields the same rows.
//
//   old, decides a value           ─▶ the body stays, the record of its changes is removed
//   old, names a blank meeting     ─▶ the same: the row is there because of it
//   old, decides no value          ─▶ pruned: the entry stays in the log without content
//   old, quarantined or unhandled  ─▶ pruned: it can no longer be replayed
//   written by an operator         ─▶ the body stays
//
// Versions only grow, so an entry that decides no value today never will again, unless the same content is read again: then its
// entry gets the body back (`sync/records.ts`).
import { lockLog } from '#src/store/locks.ts';
import type { Store, Unit } from '#src/store/contract.ts';
import { lastSeq, type LogEntry } from '#src/store/log/read.ts';
import {
  agedEntries,
  blankChanges,
  entriesAt,
  pruneEntries,
  statesAt,
  type AgedEntry,
} from '#src/store/log/retention.ts';
import { readUnchecked } from '#src/store/rows.ts';
import { mirrorTables, type Fact, type MirrorTable } from '#workers/fold/projections/contract.ts';
import { originColumns, drawsFrom, type Row } from '#workers/fold/projections/field-origins.ts';
import { rowsNeededBy } from '#workers/fold/projections/touches.ts';
import { isUnprojected, reparse } from '#workers/fold/pipeline/parse.ts';

export interface RetentionNeeds {
  readonly store: Store;
  /** Returns early when `signal` aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly nowMs: () => number;
  /** Counts pruned entries in the transaction that prunes them, so that an interrupted run counts too. */
  readonly count?: (unit: Unit, pruned: number) => Promise<void>;
}

export interface RetentionReport {
  /** Old entries that still had content. */
  readonly examined: number;
  readonly pruned: number;
  /** How many of them were quarantined or unhandled and can no longer be replayed. */
  readonly unreplayable: number;
  /** Entries that kept their body and lost the record of their changes. */
  readonly blanked: number;
}

const nothing: RetentionReport = { examined: 0, pruned: 0, unreplayable: 0, blanked: 0 };
const rangeSize = 500;
const pageSize = 100;
const pageBytes = 4_194_304;

/** `before`: entries received earlier are old. Half of the time is left to other writers. */
export async function prune(
  { store, sleep, nowMs, count }: RetentionNeeds,
  { before, signal }: { readonly before: string; readonly signal: AbortSignal },
): Promise<RetentionReport> {
  // On SQLite this work never waits: without the pauses no other work would run until the end of the log.
  const paced = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    signal.throwIfAborted();
    const startedMs = nowMs();
    const result = await work();
    await sleep(Math.max(1, nowMs() - startedMs), signal);
    return result;
  };
  let report = nothing;
  const end = await lastSeq(store);
  for (let after = 0; after < end;) {
    const from = after;
    const range = await paced(() => agedEntries(store, { after: from, limit: rangeSize, before }));
    for (const page of pagesOf(range.aged))
      report = sumOf(report, await paced(() => prunePage({ store, count }, page)));
    after = range.last ?? end;
  }
  return report;
}

/** Pages of as many entries and bytes as one transaction takes without delaying other writers. */
function pagesOf(aged: readonly AgedEntry[]): number[][] {
  const pages: number[][] = [];
  let bytes = 0;
  for (const entry of aged) {
    const page = pages.at(-1);
    bytes += entry.bytes;
    if (page !== undefined && page.length < pageSize && bytes <= pageBytes) page.push(entry.seq);
    else {
      pages.push([entry.seq]);
      bytes = entry.bytes;
    }
  }
  return pages;
}

interface EntryWithFact {
  readonly entry: LogEntry;
  readonly fact: Fact | null;
}

async function prunePage(
  { store, count }: { readonly store: Store; readonly count: RetentionNeeds['count'] },
  seqs: readonly number[],
): Promise<RetentionReport> {
  const examined = (await entriesAt(store, seqs)).map((entry) => ({ entry, fact: reparse(entry).fact }));
  // Without locks: most entries still decide a value, and other writers must not wait for this check.
  const seen = await rowsOf(store, examined, { hold: false });
  const due = examined.filter((each) => each.entry.changes !== null || isSpent(each, seen));
  if (due.length === 0) return { ...nothing, examined: seqs.length };
  return store.transaction(async (unit) => {
    const rows = await rowsOf(unit, due, { hold: true });
    await lockLog(unit);
    const states = await statesAt(
      unit,
      due.map(({ entry }) => entry.seq),
    );
    const still = due.filter(({ entry }) => isSame(entry, states.get(entry.seq)));
    const spent = still.filter((each) => isSpent(each, rows)).map(({ entry }) => entry);
    const retained = still.filter(({ entry }) => entry.changes !== null && !spent.includes(entry));
    await pruneEntries(
      unit,
      spent.map(({ seq }) => seq),
    );
    await count?.(unit, spent.length);
    await blankChanges(
      unit,
      retained.map(({ entry }) => entry.seq),
    );
    return {
      examined: seqs.length,
      pruned: spent.length,
      unreplayable: spent.filter(isUnprojected).length,
      blanked: retained.length,
    };
  });
}

type RowOf = (table: MirrorTable, uri: string) => Row | undefined;

/** Reads the rows in the order in which every writer locks them. */
async function rowsOf(
  { db, engine }: Unit | Store,
  examined: readonly EntryWithFact[],
  { hold }: { readonly hold: boolean },
): Promise<RowOf> {
  const rows = new Map<string, Row>();
  for (const table of mirrorTables) {
    const uris = new Set(
      examined
        .flatMap(({ fact }) => (fact ? rowsNeededBy(fact).filter((row) => row.table === table) : []))
        .map(({ uri }) => uri),
    );
    if (uris.size === 0) continue;
    const lookup = { columns: originColumns(table), key: 'uri' as const, values: [...uris], lock: hold };
    for (const row of await readUnchecked({ db, engine }, table, lookup))
      rows.set(`${table} ${String(row['uri'])}`, row);
  }
  return (table, uri) => rows.get(`${table} ${uri}`);
}

/** An entry that was observed again, replayed, redacted or moved meanwhile is left to the next run. */
function isSame(entry: LogEntry, now: ReturnType<Awaited<ReturnType<typeof statesAt>>['get']>): boolean {
  return (
    now?.delivery_id === entry.delivery_id &&
    now.occurred_at === entry.occurred_at &&
    now.outcome === entry.outcome &&
    now.redacted === entry.redacted
  );
}

function isSpent({ entry, fact }: EntryWithFact, rowOf: RowOf): boolean {
  if (entry.source === 'operator' || entry.body === null) return false;
  if (isUnprojected(entry)) return true;
  // An entry that today's schemas cannot parse is kept: what it decided is unknown.
  return fact !== null && !drawsFrom(rowOf, fact);
}

function sumOf(a: RetentionReport, b: RetentionReport): RetentionReport {
  return {
    examined: a.examined + b.examined,
    pruned: a.pruned + b.pruned,
    unreplayable: a.unreplayable + b.unreplayable,
    blanked: a.blanked + b.blanked,
  };
}
