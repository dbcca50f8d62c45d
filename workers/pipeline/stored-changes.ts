// The changes of a log entry as the log stores them. A fact that is the first about a row sets every column from nothing, which the
// entry's body shows already: the log stores `"created"` for the table, and readers derive the columns from the body.
//
//   merged   {"invitees": {"name": [null, "Ada"], …}, "scheduled_events": {"status": ["active", "canceled"]}}
//   stored   {"invitees": "created", "scheduled_events": {"status": ["active", "canceled"]}}
import type { Json } from '#src/store/columns.ts';
import type { LogEntry } from '#src/store/log/read.ts';
import { changesFromNothing, type Changes, type Effect } from '#workers/projections/merge.ts';
import { factIn, type StoredContent } from './parse.ts';

const mark = 'created';

/** By table: `"created"`, or column → [before, after]. */
export type StoredChanges = Readonly<Record<string, typeof mark | Changes[string]>>;

export function storedChanges({ changes, created }: Pick<Effect, 'changes' | 'created'>): StoredChanges | null {
  if (changes === null || created.length === 0) return changes;
  return { ...changes, ...Object.fromEntries(created.map((table) => [table, mark])) };
}

/**
 * The changes of an entry with every column. Where the body was removed, the tables of created rows are left out. Entries of earlier
 * versions list every column, and are returned as they are.
 */
export function completeChanges(entry: StoredContent & Pick<LogEntry, 'changes'>): Changes | null {
  const { changes: stored } = entry;
  if (!isStored(stored)) return null;
  if (isComplete(stored)) return stored;
  const fact = factIn(entry);
  const tables = Object.entries(stored).flatMap(([table, columns]) => {
    const complete = columns === mark ? fact && changesFromNothing(fact, table) : columns;
    return complete === null ? [] : [[table, complete] as const];
  });
  return tables.length === 0 ? null : Object.fromEntries(tables);
}

/** As `completeChanges`, for changes that were read as JSON text. Most entries have nothing to complete, and stay text. */
export function completeChangesText(entry: StoredContent & { readonly changes: string | null }): string | null {
  const { changes } = entry;
  // The word may be a value, too.
  if (changes === null || !changes.includes(`"${mark}"`)) return changes;
  const complete = completeChanges({ ...entry, changes: JSON.parse(changes) });
  return complete === null ? null : JSON.stringify(complete);
}

/** Only the fold writes this column. */
const isStored = (value: Json): value is StoredChanges => typeof value === 'object' && value !== null;

const isComplete = (stored: StoredChanges): stored is Changes => !Object.values(stored).includes(mark);
