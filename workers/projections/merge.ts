// Joins what a fact assigns with what is stored: of each field the greatest version wins. Commutative, associative and
// idempotent, so any order, duplication or batching of the same facts ends in the same rows.
import { canonicalJson } from '#schemas/wire.ts';
import type { Json } from '#src/store/columns.ts';
import type { StoredRow, UriRow } from '#src/store/rows.ts';
import type { Assignment, Compiled, MirrorTable, NoShowFact, Tombstone } from './contract.ts';
import { addNoShowFact, factsOf, noShowPeriods } from './no-show.ts';
import { fieldsOf } from './registry.ts';
import { observedIn } from './version.ts';

/** A row in memory. `columns` are those whose value changed since it was read; `touched` rows are written. */
export interface LiveRow {
  readonly row: UriRow;
  readonly isNew: boolean;
  readonly columns: Set<string>;
  touched: boolean;
}

export type Rows = (table: MirrorTable, uri: string) => LiveRow;

/** What changed, as users read it: table → column → [before, after]. */
export type Changes = Record<string, Record<string, [before: Json, after: Json]>>;

export interface Effect {
  readonly outcome: 'applied' | 'unchanged' | 'superseded' | 'tombstoned';
  readonly changes: Changes | null;
}

export interface JoinOptions {
  readonly eraseOnDelete: boolean;
}

// Bookkeeping and the whole payload are not news: every one of their parts is listed by itself.
const unlisted = new Set(['body', 'version', 'lagging', 'as_of', 'no_show_facts', 'deleted_source']);

export function join(rows: Rows, compiled: Compiled, options: JoinOptions): Effect {
  const subject = rows(compiled.subject.table, compiled.subject.uri);
  const wasDeleted = isDeleted(subject.row);
  const changes: Changes = {};
  let won = false;
  for (const assignment of compiled.assignments) {
    const live = rows(assignment.table, assignment.uri);
    if (isForgotten(assignment.table, live.row, options)) continue;
    if (assign(live, assignment, changes)) won = true;
  }
  if (compiled.noShow && observeNoShow(subject, compiled.noShow, changes)) won = true;
  if (
    compiled.tombstone &&
    bury(rows(compiled.tombstone.table, compiled.tombstone.uri), compiled.tombstone, options, changes)
  )
    won = true;

  const changed = Object.keys(changes).length > 0;
  const outcome = wasDeleted ? 'tombstoned' : changed ? 'applied' : won ? 'unchanged' : 'superseded';
  return { outcome, changes: changed ? changes : null };
}

/** A deleted contact is forgotten, an erased one always: nothing that is told about it, before or after, leaves a value behind. */
export function isForgotten(table: MirrorTable, row: StoredRow, { eraseOnDelete }: JoinOptions): boolean {
  return table === 'contacts' && isDeleted(row) && (eraseOnDelete || row['deleted_source'] === 'operator');
}

const isDeleted = (row: StoredRow) => typeof row['deleted_at'] === 'string';

/** True when the fact is the newest word on at least one field, whether or not its value differs. */
function assign(live: LiveRow, { table, version, fields }: Assignment, changes: Changes): boolean {
  const { row } = live;
  const greatest = String(row['version'] ?? '');
  const lagging = (row['lagging'] ?? {}) as Record<string, string>;
  const won: string[] = [];
  for (const [field, values] of Object.entries(fields)) {
    if (version <= (lagging[field] ?? greatest)) continue;
    won.push(field);
    for (const [column, value] of Object.entries(values)) set(live, table, column, value, changes);
  }
  if (won.length === 0 && version <= greatest) return false;
  const lag: Record<string, string> = {};
  if (version > greatest) {
    for (const field in fieldsOf[table]) if (!Object.hasOwn(fields, field)) lag[field] = lagging[field] ?? greatest;
    row['version'] = version;
    row['as_of'] = observedIn(version);
  } else {
    for (const field in lagging) lag[field] = lagging[field] as string;
    for (const field of won) lag[field] = version;
  }
  row['lagging'] = Object.keys(lag).length > 0 ? sorted(lag) : null;
  live.touched = true;
  return won.length > 0;
}

function observeNoShow(live: LiveRow, fact: NoShowFact, changes: Changes): boolean {
  const before = factsOf(live.row['no_show_facts'] ?? null);
  const facts = addNoShowFact(before, fact);
  if (facts === before) return false;
  live.row['no_show_facts'] = { ...facts, marks: sorted(facts.marks) } as unknown as Json;
  live.columns.add('no_show_facts');
  live.touched = true;
  const last = noShowPeriods(facts).at(-1);
  const open = last && last.unmarked_at === null ? last : null;
  set(live, 'invitees', 'no_show', open && { uri: open.uri, created_at: open.marked_at }, changes);
  set(live, 'invitees', 'no_show_uri', open && open.uri, changes);
  set(live, 'invitees', 'no_show_at', open && open.marked_at, changes);
  return true;
}

const tombstone = new Set(['uri', 'deleted_at', 'deleted_source']);
const sources = ['operator', 'webhook', 'reconcile'];

function bury(live: LiveRow, { table, deletedAt, source }: Tombstone, options: JoinOptions, changes: Changes): boolean {
  const { row } = live;
  // A row found missing and later told deleted takes what was told; one that was erased, when that was.
  const order = (from: Json, at: Json) => `${sources.indexOf(String(from))}${String(at)}`;
  const known = order(row['deleted_source'] ?? null, row['deleted_at'] ?? null);
  const isNews = !isDeleted(row) || order(source, deletedAt) < known;
  // Also beneath an old tombstone: it may be from a time when deletes did not erase.
  const forgets = table === 'contacts' && (options.eraseOnDelete || source === 'operator');
  const erases = forgets && (row['version'] ?? null) !== null;
  if (!isNews && !erases) return false;
  if (erases) {
    for (const column of Object.keys(row)) {
      if (tombstone.has(column) || row[column] === null) continue;
      row[column] = null;
      live.columns.add(column);
    }
  }
  if (isNews) {
    set(live, table, 'deleted_at', deletedAt, changes);
    row['deleted_source'] = source;
  }
  if ((row['version'] ?? null) === null) row['as_of'] = row['deleted_at'] ?? null;
  live.touched = true;
  return true;
}

function set(live: LiveRow, table: MirrorTable, column: string, value: Json, changes: Changes): void {
  const before = live.row[column] ?? null;
  if (before === value) return;
  // Also when only the order of keys differs: what is stored is then the winner's own text, whoever came first.
  live.row[column] = value;
  if (same(before, value)) return;
  live.columns.add(column);
  if (!unlisted.has(column)) (changes[table] ??= {})[column] = [before, value];
}

/** Keys in one order, so that the stored text does not tell in which order facts arrived. */
function sorted<Value>(record: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}

// PostgreSQL's jsonb gives keys back in an order of its own.
function same(a: Json, b: Json): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  return canonicalJson(a) === canonicalJson(b);
}
