// Takes erased people out of entries that stand in the log, and out of the rows those entries had decided. An entry about somebody
// else gets a new place at the end: a reader of the feed is told to forget whom `person.erased` names, and of nobody else.
import type { Unit } from '#src/store/contract.ts';
import { moveEntry, redactEntry, type LogEntry } from '#src/store/log/log.ts';
import { blankChanges, entriesAt } from '#src/store/log/retention.ts';
import { openMirror, type Mirror } from '#workers/pipeline/row-workspace.ts';
import type { Compiled } from '#workers/projections/contract.ts';
import { retell } from '#workers/projections/reapply.ts';
import { isKept, readAgain } from '#workers/sync/replay.ts';
import { withoutErased } from './redact-fact.ts';
import type { Erasures } from './erasure-index.ts';
import { holds } from './redact-mentions.ts';

/** Rows that were changed, by table. */
export type Touched = Map<string, Set<string>>;

export interface Rewritten {
  readonly log_entries: number;
  readonly quarantined: number;
  /** Of both, those about somebody else. */
  readonly moved: number;
}

const pageSize = 200;

export async function rewrite(
  unit: Unit,
  erasures: Erasures,
  { places, touched }: { readonly places: Iterable<number>; readonly touched: Touched },
): Promise<Rewritten> {
  const counts = { log_entries: 0, quarantined: 0, moved: 0 };
  const ordered = [...places].toSorted((a, b) => a - b);
  for (let from = 0; from < ordered.length; from += pageSize) {
    const facts: Compiled[] = [];
    for (const entry of await entriesAt(unit, ordered.slice(from, from + pageSize))) {
      const before = readAgain(entry);
      const after = withoutErased(erasures, before);
      if (after === before && !changesTell(erasures, entry)) continue;
      const isTold = entry.subject_uri !== null && erasures.subjects.has(entry.subject_uri);
      await keep(unit, entry, { body: after === before ? undefined : after.entry.body, isTold });
      if (!isTold) counts.moved += 1;
      counts[isKept(entry) ? 'quarantined' : 'log_entries'] += 1;
      // What is kept in quarantine has not happened yet.
      if (after !== before && after.compiled !== null && !isKept(entry)) facts.push(after.compiled);
    }
    const mirror = await openMirror(unit, facts);
    for (const compiled of facts) retell(mirror.rows, compiled);
    await writeCounted(mirror, facts, touched);
  }
  return counts;
}

interface Kept {
  /** Undefined: as it was. */
  readonly body: string | null | undefined;
  /** That its subject is erased, the log tells by itself. */
  readonly isTold: boolean;
}

async function keep(unit: Unit, { seq, ...entry }: LogEntry, { body, isTold }: Kept): Promise<void> {
  const without = body === undefined ? {} : { body, encoding: null, redacted: true };
  if (!isTold) await moveEntry(unit, { seq }, { ...entry, ...without, changes: null });
  else if (body === undefined) await blankChanges(unit, [seq as number]);
  else await redactEntry(unit, seq as number, body);
}

/** Values of before and after may hold what the entry itself does not say any more. */
function changesTell(erasures: Erasures, { changes, subject_uri: about }: LogEntry): boolean {
  if (changes === null) return false;
  return (about !== null && erasures.subjects.has(about)) || changesCarry(erasures, changes);
}

export const changesCarry = (erasures: Erasures, changes: LogEntry['changes']): boolean =>
  holds({ erasures, at: '' }, changes);

export async function writeCounted(mirror: Mirror, facts: readonly Compiled[], touched: Touched): Promise<void> {
  const tables = facts.flatMap(({ subject, assignments }) => [subject, ...assignments]).map(({ table }) => table);
  for (const table of new Set(tables))
    for (const [uri, live] of mirror.all(table))
      if (live.touched) touched.set(table, (touched.get(table) ?? new Set()).add(uri));
  await mirror.write();
}
