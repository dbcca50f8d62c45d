// Takes old content out of the log where no row draws from it any more, so that a rebuild makes the same rows from what is left.
//
//   old, a row draws from it       ─▶ the body stays, what it once changed goes
//   old, no row draws from it      ─▶ pruned: the entry stays in the ledger without content
//   old, quarantined or unhandled  ─▶ pruned: it can no longer be replayed
//   told by an operator            ─▶ the body stays
//
// Facts only ever replace each other upwards, so what no row draws from today no row will draw from again, unless the same
// content is read again: that gives its entry the body back (`sync/records.ts`).
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
import { mirrorTables, type Fact, type MirrorTable } from '#workers/projections/contract.ts';
import { originColumns, drawsFrom, type Row } from '#workers/projections/field-origins.ts';
import { isUnprojected, reparse } from '#workers/pipeline/parse.ts';

export interface RetentionNeeds {
  readonly store: Store;
  /** Returns early when `signal` aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly nowMs: () => number;
}

export interface RetentionReport {
  /** Entries old enough that still had content. */
  readonly examined: number;
  readonly pruned: number;
  /** Of those: quarantined or unhandled, and now beyond replay. */
  readonly unreplayable: number;
  /** Whose body stays, and whose record of what it changed went. */
  readonly blanked: number;
}

const nothing: RetentionReport = { examined: 0, pruned: 0, unreplayable: 0, blanked: 0 };
const stretchSize = 500;
const pageSize = 100;
const pageBytes = 4_194_304;

/** `before`: entries received earlier are old. Half of the time is left to those who deliver meanwhile. */
export async function prune(
  { store, sleep, nowMs }: RetentionNeeds,
  { before, signal }: { readonly before: string; readonly signal: AbortSignal },
): Promise<RetentionReport> {
  // On SQLite nothing here waits for anything else: without the pauses nobody would have a turn until the end of the log.
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
    const stretch = await paced(() => agedEntries(store, { after: from, limit: stretchSize, before }));
    for (const page of pagesOf(stretch.aged)) report = sumOf(report, await paced(() => prunePage(store, page)));
    after = stretch.last ?? end;
  }
  return report;
}

/** So many entries, and so many bytes, as one transaction takes without keeping others waiting. */
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

interface Examined {
  readonly entry: LogEntry;
  readonly fact: Fact | null;
}

async function prunePage(store: Store, seqs: readonly number[]): Promise<RetentionReport> {
  const examined = (await entriesAt(store, seqs)).map((entry) => ({ entry, fact: reparse(entry).fact }));
  // Holding nothing: most entries are drawn from, day after day, and nobody should wait for that to be seen.
  const seen = await rowsOf(store, examined, { hold: false });
  const due = examined.filter((each) => each.entry.changes !== null || isSpent(each, seen));
  if (due.length === 0) return { ...nothing, examined: seqs.length };
  return store.transaction(async (unit) => {
    const rows = await rowsOf(unit, due, { hold: true });
    await lockLog(unit);
    const states = await statesAt(
      unit,
      due.map(({ entry }) => placeOf(entry)),
    );
    const still = due.filter(({ entry }) => isSame(entry, states.get(entry.seq as number)));
    const spent = still.filter((each) => isSpent(each, rows)).map(({ entry }) => entry);
    const kept = still.filter(({ entry }) => entry.changes !== null && !spent.includes(entry));
    await pruneEntries(unit, spent.map(placeOf));
    await blankChanges(
      unit,
      kept.map(({ entry }) => placeOf(entry)),
    );
    return {
      examined: seqs.length,
      pruned: spent.length,
      unreplayable: spent.filter(isUnprojected).length,
      blanked: kept.length,
    };
  });
}

const placeOf = ({ seq }: LogEntry): number => seq as number;

type RowOf = (table: MirrorTable, uri: string) => Row | undefined;

/** Read in the one order in which every writer holds them. */
async function rowsOf(
  { db, engine }: Unit | Store,
  examined: readonly Examined[],
  { hold }: { readonly hold: boolean },
): Promise<RowOf> {
  const rows = new Map<string, Row>();
  for (const table of mirrorTables) {
    const uris = new Set(
      examined
        .flatMap(({ fact }) => (fact ? [fact.subject, ...fact.assignments].filter((each) => each.table === table) : []))
        .map(({ uri }) => uri),
    );
    if (uris.size === 0) continue;
    const lookup = { columns: originColumns(table), key: 'uri' as const, values: [...uris], lock: hold };
    for (const row of await readUnchecked({ db, engine }, table, lookup))
      rows.set(`${table} ${String(row['uri'])}`, row);
  }
  return (table, uri) => rows.get(`${table} ${uri}`);
}

/** An entry that was observed again, replayed, redacted or moved meanwhile is looked at another time. */
function isSame(entry: LogEntry, now: ReturnType<Awaited<ReturnType<typeof statesAt>>['get']>): boolean {
  return (
    now?.delivery_id === entry.delivery_id &&
    now.occurred_at === entry.occurred_at &&
    now.outcome === entry.outcome &&
    now.redacted === entry.redacted
  );
}

function isSpent({ entry, fact }: Examined, rowOf: RowOf): boolean {
  if (entry.source === 'operator' || entry.body === null) return false;
  if (isUnprojected(entry)) return true;
  // Not understood today, although it was once: nobody can say what draws from it.
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
