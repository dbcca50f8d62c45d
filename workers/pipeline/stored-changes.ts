// The changes of a log entry as the log stores them: without what the entry's body shows already. A fact that is the first about a row
// sets every column from nothing, and the log stores `"created"` for the table. Of a long value the log stores only what it was before,
// and of a list only the items that differ: `same` counts those at its beginning and at its end that did not. Readers get every value.
//
//   merged   {"invitees": {"name": [null, "Ada"], …}, "scheduled_events": {"status": ["active", "canceled"], "guests": [[…], […]]}}
//   stored   {"invitees": "created", "scheduled_events": {"status": ["active", "canceled"], "guests": {"before": [{…}], "same": [3, 4]}}}
import { isSameJson } from '#schemas/wire.ts';
import type { Json } from '#src/store/columns.ts';
import type { LogEntry } from '#src/store/log/read.ts';
import type { Fact } from '#workers/projections/contract.ts';
import { columnsOf } from '#workers/projections/field-mapping.ts';
import { changesFromNothing, type Changes, type Effect } from '#workers/projections/merge.ts';
import { factIn, type StoredContent } from './parse.ts';

const mark = 'created';
/** Longer values are left to the body. Shorter ones are stored, because a reader would have to parse the body for them. */
const longest = 200;

type Change = readonly [before: Json, after: Json];
/** The value after it is the one that the fact has for the column. */
type ShortChange = { readonly before: Json; readonly same?: readonly [first: number, last: number] };

/** By table: `"created"`, or by column what changed. */
export type StoredChanges = Readonly<Record<string, typeof mark | Readonly<Record<string, Change | ShortChange>>>>;

export function storedChanges(
  { changes, created }: Pick<Effect, 'changes' | 'created'>,
  { assignments }: Fact,
): StoredChanges | null {
  if (changes === null) return null;
  const stored: Record<string, StoredChanges[string]> = { ...changes };
  for (const table of created) stored[table] = mark;
  for (const assignment of assignments) {
    const columns = stored[assignment.table];
    if (columns === undefined || columns === mark) continue;
    const long = Object.entries(changes[assignment.table] ?? {}).filter(([, [, after]]) => isLong(after));
    if (long.length === 0) continue;
    const given = columnsOf(assignment);
    const short = long.flatMap(([column, [before, after]]) =>
      given[column] === after ? [[column, shortened(before, after)] as const] : [],
    );
    stored[assignment.table] = { ...columns, ...Object.fromEntries(short) };
  }
  return stored;
}

const isLong = (value: Json): boolean =>
  typeof value === 'string'
    ? value.length > longest
    : typeof value === 'object' && value !== null && JSON.stringify(value).length > longest;

function shortened(before: Json, after: Json): ShortChange {
  if (!isList(before) || !isList(after)) return { before };
  const most = Math.min(before.length, after.length);
  let first = 0;
  while (first < most && isSameJson(before[first], after[first])) first += 1;
  let last = 0;
  while (first + last < most && isSameJson(before.at(-1 - last), after.at(-1 - last))) last += 1;
  return { before: before.slice(first, before.length - last), same: [first, last] };
}

/** The changes of an entry with every value. Where the body was removed, what follows from it is left out. */
export function completeChanges(entry: StoredContent & Pick<LogEntry, 'changes'>): Changes | null {
  const { changes: stored } = entry;
  if (!isStored(stored)) return null;
  const fact = isComplete(stored) ? null : factIn(entry);
  const tables = Object.entries(stored).flatMap(([table, columns]) => {
    const complete = columns === mark ? fact && changesFromNothing(fact, table) : completeColumns(table, columns, fact);
    return complete === null ? [] : [[table, complete] as const];
  });
  return tables.length === 0 ? null : Object.fromEntries(tables);
}

function completeColumns(
  table: string,
  columns: Exclude<StoredChanges[string], string>,
  fact: Fact | null,
): Changes[string] | null {
  const assignment = fact?.assignments.find((each) => each.table === table);
  const given = assignment && columnsOf(assignment);
  const complete: Changes[string] = {};
  for (const [column, change] of Object.entries(columns)) {
    if (isWhole(change)) complete[column] = [...change];
    else if (given) complete[column] = [lengthened(change, given[column] ?? null), given[column] ?? null];
  }
  return Object.keys(complete).length === 0 ? null : complete;
}

function lengthened({ before, same }: ShortChange, after: Json): Json {
  if (same === undefined || !isList(before) || !isList(after)) return before;
  const [first, last] = same;
  return [...after.slice(0, first), ...before, ...after.slice(after.length - last)];
}

/** As `completeChanges`, for changes that were read as JSON text. Most entries have nothing to complete, and stay text. */
export function completeChangesText(entry: StoredContent & { readonly changes: string | null }): string | null {
  const { changes } = entry;
  // The words may be values, too.
  if (changes === null || !(changes.includes(`"${mark}"`) || changes.includes('"before"'))) return changes;
  const complete = completeChanges({ ...entry, changes: JSON.parse(changes) });
  return complete === null ? null : JSON.stringify(complete);
}

/** Only the fold writes this column. */
const isStored = (value: Json): value is StoredChanges => typeof value === 'object' && value !== null;

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
const isWhole = (change: Change | ShortChange): change is Change => Array.isArray(change);

const isComplete = (stored: StoredChanges): stored is Changes =>
  Object.values(stored).every((columns) => columns !== mark && Object.values(columns).every(isWhole));
