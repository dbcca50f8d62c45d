// Redacts erased people from entries of the log and from the rows that those entries decided. An entry about another subject moves to
// the end of the log: readers of the feed learn from `person.erased` which subjects to erase, but not which others mentioned them.
import type { Unit } from '#src/store/contract.ts';
import { moveEntry, redactEntry } from '#src/store/log/append.ts';
import type { LogEntry } from '#src/store/log/read.ts';
import { blankChanges, entriesAt } from '#src/store/log/retention.ts';
import { fold, type FoldPolicy } from '#workers/fold/pipeline/fold.ts';
import { isUnprojected, reparse, type ParsedItem } from '#workers/fold/pipeline/parse.ts';
import type { RowWorkspace } from '#workers/fold/pipeline/row-workspace.ts';
import { alreadyScreened } from '#workers/fold/pipeline/screen.ts';
import { mirrorTables } from '#workers/fold/projections/contract.ts';
import { reapply } from '#workers/fold/projections/merge.ts';
import type { Erasures } from './erasure-index.ts';
import { redactedKind, redactErased } from './redact-fact.ts';
import { containsAddress } from './redact-mentions.ts';

/** The URIs of changed rows, by table. */
export type ChangedRows = Map<string, Set<string>>;

export interface RedactionCounts {
  readonly log_entries: number;
  readonly quarantined: number;
  /** How many of both are about another subject. */
  readonly moved: number;
}

interface RedactedItem extends ParsedItem {
  readonly stored: LogEntry;
  /** The body to store instead; undefined when only the changes are removed. */
  readonly body: string | null | undefined;
  /** The log records the erasure of the subject itself, so the entry need not move. */
  readonly isErasedSubject: boolean;
}

const pageSize = 200;

/** The log must be locked. */
export async function redactLog(
  unit: Unit,
  erasures: Erasures,
  { seqs, changedRows }: { readonly seqs: Iterable<number>; readonly changedRows: ChangedRows },
): Promise<RedactionCounts> {
  const counts = { log_entries: 0, quarantined: 0, moved: 0 };
  const ordered = [...seqs].toSorted((a, b) => a - b);
  const policy: FoldPolicy<RedactedItem, void> = {
    apply(rows, fact) {
      reapply(rows, fact);
      return null;
    },
    locksLog: false,
    async record(_unit, folded, rows) {
      noteChanged(rows, changedRows);
      for (const { item } of folded) {
        await storeRedacted(unit, item);
        if (!item.isErasedSubject) counts.moved += 1;
        counts[isUnprojected(item.stored) ? 'quarantined' : 'log_entries'] += 1;
      }
    },
  };
  for (let from = 0; from < ordered.length; from += pageSize) {
    const page = await entriesAt(unit, ordered.slice(from, from + pageSize));
    const items = page.flatMap((entry) => redactedItem(erasures, entry) ?? []);
    await fold(unit, alreadyScreened(items), policy);
  }
  return counts;
}

function redactedItem(erasures: Erasures, stored: LogEntry): RedactedItem | undefined {
  const before = reparse(stored);
  const after = redactErased(erasures, before);
  if (after === before && !changesConcern(erasures, stored)) return undefined;
  const isErasedSubject = stored.subject_uri !== null && erasures.subjects.has(stored.subject_uri);
  // A quarantined entry has not changed any row.
  const fact = after === before || isUnprojected(stored) ? null : after.fact;
  return { ...after, fact, stored, body: after === before ? undefined : after.entry.body, isErasedSubject };
}

async function storeRedacted(unit: Unit, item: RedactedItem): Promise<void> {
  const { stored, body, isErasedSubject } = item;
  const { seq, ...entry } = stored;
  const isRenamed = item.entry.event === redactedKind;
  const renaming = isRenamed ? { event: redactedKind } : {};
  const redaction = body === undefined ? {} : { body, encoding: null, redacted: true, ...renaming };
  if (!isErasedSubject || isRenamed) await moveEntry(unit, { seq }, { ...entry, ...redaction, changes: null });
  else if (body === undefined) await blankChanges(unit, [seq]);
  else await redactEntry(unit, seq, body);
}

/** Former values may contain data that the entry itself no longer holds. */
function changesConcern(erasures: Erasures, { changes, subject_uri: subject }: LogEntry): boolean {
  if (changes === null) return false;
  return (subject !== null && erasures.subjects.has(subject)) || changesContainAddress(erasures, changes);
}

export const changesContainAddress = (erasures: Erasures, changes: LogEntry['changes']): boolean =>
  containsAddress({ erasures, at: '' }, changes);

export function noteChanged(rows: RowWorkspace, changedRows: ChangedRows): void {
  for (const table of mirrorTables)
    for (const [uri, { isTouched }] of rows.all(table))
      if (isTouched) changedRows.set(table, (changedRows.get(table) ?? new Set()).add(uri));
}
