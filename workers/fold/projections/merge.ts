// Merges facts into rows: for each field the greatest version wins. Merging is commutative, associative and idempotent, so any
// order, duplication or batching of the same facts yields the same rows.
import { isObject, isSameJson as isSame } from '#schemas/wire.ts';
import type { Json } from '#src/store/columns.ts';
import type { StoredRow, UriRow } from '#src/store/rows.ts';
import { hasChildRows } from './child-rows.ts';
import type { Assignment, Fact, MirrorTable, NoShowFact, Tombstone } from './contract.ts';
import { columnsOf, columnsOfField } from './field-mapping.ts';
import { addNoShowFact, factsOf, noShowPeriods } from './no-show.ts';
import { fieldVersions, observedIn, rowVersion, type Version } from './version.ts';

/**
 * A row in memory. `former` holds the values that columns with child rows and links had when it was read, where they have changed; rows
 * with `isTouched` are written.
 */
export interface WorkingRow {
  readonly row: UriRow;
  readonly isNew: boolean;
  readonly former: Map<string, Json>;
  isTouched: boolean;
}

export type RowLookup = (table: MirrorTable, uri: string) => WorkingRow;

/** What changed, as users read it: table → column → [before, after]. */
export type Changes = Record<string, Record<string, [before: Json, after: Json]>>;

export interface Effect {
  readonly outcome: 'applied' | 'unchanged' | 'superseded' | 'tombstoned';
  readonly changes: Changes | null;
  /** The tables whose changes follow from the fact alone, because it was the first about their row. */
  readonly created: readonly string[];
  /** The periods of no-shows have changed: they are rows of their own, which `changes` does not list. */
  readonly movesPeriods?: true;
}

export interface MergeOptions {
  readonly eraseOnDelete: boolean;
}

/** Fields that this version does not know are not reported as a change. */
const isListed = (column: string): boolean => column !== 'extra';

export function merge(rows: RowLookup, fact: Fact, options: MergeOptions): Effect {
  const { row } = rows(fact.subject.table, fact.subject.uri);
  const wasDeleted = isDeleted(row);
  const changes: Changes = {};
  const before = fact.noShow && row['no_show_facts'];
  const { won, created } = mergeInto(changes, rows, fact, options);
  const changed = Object.keys(changes).length > 0;
  const outcome = wasDeleted ? 'tombstoned' : changed ? 'applied' : won ? 'unchanged' : 'superseded';
  const movesPeriods = before !== undefined && !isSame(periodsIn(before), periodsIn(row['no_show_facts'] ?? null));
  return { outcome, changes: changed ? changes : null, created, ...(movesPeriods && { movesPeriods }) };
}

const periodsIn = (facts: Json): unknown => noShowPeriods(factsOf(facts));

/** As `merge`, where the log records nothing. */
export function mergeUnrecorded(rows: RowLookup, fact: Fact, options: MergeOptions): void {
  mergeInto(null, rows, fact, options);
}

function mergeInto(
  changes: Changes | null,
  rows: RowLookup,
  fact: Fact,
  options: MergeOptions,
): { readonly won: boolean; readonly created: readonly string[] } {
  const created: string[] = [];
  let won = false;
  for (const assignment of fact.assignments) {
    const { table, uri } = assignment;
    const working = rows(table, uri);
    if (isBlanked(table, working.row, options)) continue;
    const isFirst = changes !== null && rowVersion(working.row) === '' && !isDeleted(working.row);
    if (assign(working, assignment, changes)) won = true;
    if (isFirst && !isTimed(fact, table) && changes[table] !== undefined) created.push(table);
  }
  if (fact.noShow && addToNoShow(rows(fact.subject.table, fact.subject.uri), fact.noShow, changes)) won = true;
  if (fact.tombstone) markDeleted(rows(fact.tombstone.table, fact.tombstone.uri), fact.tombstone, options, changes);
  if (fact.meeting !== undefined) keepBlank(rows('scheduled_events', fact.meeting));
  return { won, created };
}

/** A row that is not stored yet is written, without a version: whatever describes it later is newer. */
function keepBlank(working: WorkingRow): void {
  if (working.isNew) working.isTouched = true;
}

/** Whether a fact sets columns of a table to the time at which it was observed, which may change when it is read again. */
const isTimed = ({ subject, assignments, tombstone, noShow }: Fact, table: MirrorTable): boolean =>
  tombstone?.table === table ||
  assignments.some((each) => each.table === table && (each.fields['deleted_at'] ?? null) !== null) ||
  (subject.table === table && noShow !== undefined && isMark(noShow));

const isMark = (noShow: NoShowFact): boolean => 'mark' in noShow && noShow.mark !== null;

/** What `merge` reports for a table that it names in `created`: every value that the fact has, from nothing. */
export function changesFromNothing({ assignments }: Fact, table: string): Changes[string] {
  const changes: Changes[string] = {};
  for (const assignment of assignments.filter((each) => each.table === table))
    for (const [column, value] of Object.entries(columnsOf(assignment)))
      if (value !== null && isListed(column)) changes[column] = [null, value];
  return changes;
}

/**
 * Writes what a fact says now, after a person was redacted from it. The fact keeps its versions, so the fields it decided are
 * those with its version; no other fact is needed.
 */
export function reapply(rows: RowLookup, { assignments }: Fact): void {
  for (const { table, uri, version, fields, definition } of assignments) {
    const working = rows(table, uri);
    const versionOf = fieldVersions(working.row);
    for (const [field, given] of Object.entries(fields)) {
      if (versionOf(field) !== version) continue;
      for (const [column, value] of Object.entries(columnsOfField(definition, field, given))) {
        // Compared as text: the stored order of keys is that of the fact which decided.
        if (JSON.stringify(working.row[column] ?? null) === JSON.stringify(value)) continue;
        keepFormer(working, column);
        working.row[column] = value;
        working.isTouched = true;
      }
    }
  }
}

/** Whether a row is a tombstone without values: an erased contact, or a deleted one where deletes erase. No fact fills it again. */
export function isBlanked(table: MirrorTable, row: StoredRow, { eraseOnDelete }: MergeOptions): boolean {
  return table === 'contacts' && isDeleted(row) && (eraseOnDelete || row['deleted_source'] === 'operator');
}

/** Finally: what can exist again has no `deleted_source`. */
const isDeleted = (row: StoredRow) => typeof row['deleted_source'] === 'string';

/** Returns true when the fact is the newest one for at least one field, whether or not the value differs. */
function assign(
  working: WorkingRow,
  { table, version, fields, definition }: Assignment,
  changes: Changes | null,
): boolean {
  const { row } = working;
  const greatest = rowVersion(row);
  const versionOf = fieldVersions(row);
  const won: string[] = [];
  for (const field in fields) {
    if (version <= versionOf(field)) continue;
    won.push(field);
    const value = fields[field] ?? null;
    const column = definition[field];
    if (typeof column === 'string') set(working, table, column, value, changes);
    else for (const [name, part] of Object.entries(column?.(value) ?? {})) set(working, table, name, part, changes);
  }
  if (won.length === 0 && version <= greatest) return false;
  const lagging: Record<string, Version | ''> = {};
  if (version > greatest) {
    for (const field in definition) if (!Object.hasOwn(fields, field)) lagging[field] = versionOf(field);
    row['version'] = version;
    row['as_of'] = observedIn(version);
  } else {
    for (const field in isObject(row['lagging']) ? row['lagging'] : {}) lagging[field] = versionOf(field);
    for (const field of won) lagging[field] = version;
  }
  row['lagging'] = Object.keys(lagging).length > 0 ? sorted(lagging) : null;
  working.isTouched = true;
  return won.length > 0;
}

function addToNoShow(working: WorkingRow, fact: NoShowFact, changes: Changes | null): boolean {
  const before = factsOf(working.row['no_show_facts'] ?? null);
  const facts = addNoShowFact(before, fact);
  if (facts === before) return false;
  keepFormer(working, 'no_show_facts');
  const { marks, unmarks, snapshot, removals, answer } = facts;
  working.row['no_show_facts'] = {
    marks: sorted(marks),
    unmarks,
    snapshot,
    ...(removals && { removals: sorted(removals) }),
    ...(answer && { answer }),
  };
  working.isTouched = true;
  const last = noShowPeriods(facts).at(-1);
  const open = last && last.unmarked_at === null ? last : null;
  set(working, 'invitees', 'no_show', open && { uri: open.uri, created_at: open.marked_at }, changes);
  set(working, 'invitees', 'no_show_uri', open && open.uri, changes);
  set(working, 'invitees', 'no_show_at', open && open.marked_at, changes);
  const came = answer?.came === true ? answer : null;
  set(working, 'invitees', 'attendance_confirmed_at', came && came.at, changes);
  set(working, 'invitees', 'attendance_confirmed_by', came && came.by, changes);
  set(working, 'invitees', 'attendance_entry', came && came.entry, changes);
  return true;
}

const tombstoneColumns = new Set(['uri', 'deleted_at', 'deleted_source']);
const sourcesByPriority = ['operator', 'webhook', 'reconcile'];

function markDeleted(
  working: WorkingRow,
  { table, deletedAt, source }: Tombstone,
  options: MergeOptions,
  changes: Changes | null,
): void {
  const { row } = working;
  // The source with the highest priority sets the time of deletion, and within one source the earliest time.
  const orderOf = (from: Json, at: Json) => `${sourcesByPriority.indexOf(String(from))}${String(at)}`;
  const current = orderOf(row['deleted_source'] ?? null, row['deleted_at'] ?? null);
  const replaces = !isDeleted(row) || orderOf(source, deletedAt) < current;
  // Also beneath an existing tombstone: it may date from a time when deletes did not erase.
  const mayBlank = table === 'contacts' && (options.eraseOnDelete || source === 'operator');
  const blanks = mayBlank && (row['version'] ?? null) !== null;
  if (!replaces && !blanks) return;
  if (blanks) {
    for (const column of Object.keys(row)) {
      if (tombstoneColumns.has(column) || row[column] === null) continue;
      keepFormer(working, column);
      row[column] = null;
    }
  }
  if (replaces) {
    set(working, table, 'deleted_at', deletedAt, changes);
    row['deleted_source'] = source;
  }
  if ((row['version'] ?? null) === null) row['as_of'] = row['deleted_at'] ?? null;
  working.isTouched = true;
}

function set(working: WorkingRow, table: MirrorTable, column: string, value: Json, changes: Changes | null): void {
  const before = working.row[column] ?? null;
  if (before === value) return;
  const isEqual = isSame(before, value);
  if (!isEqual) keepFormer(working, column);
  // Also when only the order of keys differs: the stored text is then the winner's own, in whichever order facts arrived.
  working.row[column] = value;
  if (changes !== null && !isEqual && isListed(column)) (changes[table] ??= {})[column] = [before, value];
}

/** Sorts the keys, so that the stored text does not depend on the order in which facts arrived. */
function sorted<Value>(record: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Of invitees: `booking_invitees` follows from them. */
const linkColumns = new Set(['old_invitee', 'new_invitee', 'rescheduled', 'created_at']);

/** Remembers the value that a column from which other tables follow had when the row was read. Called before the first change. */
function keepFormer({ row, former }: WorkingRow, column: string): void {
  if ((hasChildRows(column) || linkColumns.has(column)) && !former.has(column)) former.set(column, row[column] ?? null);
}
