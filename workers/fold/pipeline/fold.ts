// Folds facts into rows and their entries into the log. Every writer of rows follows this protocol, in one transaction:
//
//   lock the rows ─▶ select the items ─▶ merge ─▶ insert the new rows ─▶ write the others ─▶ lock the log ─▶ check the screening
//     ─▶ compute bookings whose links changed ─▶ record in the log
//
// When another writer has inserted one of the new rows first, the fold reads the rows, selects and merges once more, and goes on.
// Rows are locked before the log, always, which avoids deadlocks. Which invitees are one booking is computed with the log locked, when the
// links of all earlier writers are visible, and without locks on rows. A policy says how facts change rows and what the log records:
//
//   append    deliveries: new entries                                         (pipeline/ingest.ts)
//   observe   records read from the API: appended, moved, or observed again   (sync/records.ts)
//   move      entries folded again: moved when their outcome changes          (sync/replay.ts)
//   redact    entries that lost a person: moved or redacted                   (privacy/redact-log.ts)
//   erase     the erasures themselves: new entries, in a log that is locked   (privacy/erase.ts)
//
// Only a rebuild does without it (sync/rebuild.ts): no other transaction sees its tables, and it records nothing.
import { codeOf } from '#src/base/errors.ts';
import { linkedAmong, updateBookingInvitees } from '#src/store/bookings/booking-invitees.ts';
import { lockLog } from '#src/store/locks.ts';
import type { Store, Unit } from '#src/store/contract.ts';
import { inOrder } from '#src/store/in-order.ts';
import type { NewEntry } from '#src/store/log/read.ts';
import type { Fact } from '#workers/fold/projections/contract.ts';
import type { Effect, RowLookup } from '#workers/fold/projections/merge.ts';
import { bisect } from './bisect.ts';
import { linkChangesIn } from './link-changes.ts';
import { quarantined, type ParsedItem } from './parse.ts';
import { emptyWorkspace, type RowWorkspace } from './row-workspace.ts';
import type { Screen, ScreenResult } from './screen.ts';
import { storedChanges } from './stored-changes.ts';

export interface FoldNeeds {
  readonly store: Store;
  readonly screen: Screen;
}

export interface FoldPolicy<Item extends ParsedItem, Report> {
  /** Changes the rows that a fact touches. Returns the effect for the log, or null when the recorded outcome must not change. */
  readonly apply: (rows: RowLookup, fact: Fact) => Effect | null;
  /** Whether the fold locks the log: not where the caller has locked it. */
  readonly locksLog: boolean;
  /**
   * Its statements run with the rows locked. Called again when another writer has inserted a new row first. Returns the items to
   * fold; without it, all are folded.
   */
  readonly select?: (unit: Unit, items: readonly Item[]) => Promise<readonly Item[]>;
  /** Called with the rows written and the log locked. */
  readonly record: (unit: Unit, folded: readonly FoldedItem<Item>[], rows: RowWorkspace) => Promise<Report>;
}

export interface FoldedItem<Item extends ParsedItem> {
  readonly item: Item;
  /** The entry for the log: with its outcome and changes, and redacted where required. */
  readonly entry: NewEntry;
  /** Null when the item holds no fact, or the policy keeps the outcome. */
  readonly effect: Effect | null;
  /** No fact had described the subject's row before. */
  readonly isNew: boolean;
}

export interface FoldResult<Report> {
  readonly report: Report;
  /** Personal data was removed: copies of it may remain in database files until they are scrubbed. */
  readonly hasRedacted: boolean;
}

export async function fold<Item extends ParsedItem, Report>(
  unit: Unit,
  screened: ScreenResult<Item>,
  policy: FoldPolicy<Item, Report>,
): Promise<FoldResult<Report>> {
  const rows = emptyWorkspace(unit);
  let { items } = screened;
  const select = async () => void (items = (await policy.select?.(unit, screened.items)) ?? items);
  const mergeAll = () => {
    for (const fact of screened.facts) policy.apply(rows.row, fact);
    return items.map((item) => mergeItem(rows, item, policy));
  };
  // Not where the caller has locked the log: it searches the log as well, and not by key.
  const planning = policy.locksLog ? [() => unit.engine.keepPlans(unit.db)] : [];
  await inOrder(unit, [
    ...planning,
    () => rows.open([...screened.facts, ...screened.items.flatMap(({ fact }) => fact ?? [])]),
    select,
  ]);
  let merged = mergeAll();
  if (!(await rows.create())) {
    // Another writer was first, and some of the items may be in the log now.
    await select();
    merged = mergeAll();
  }
  const locking = policy.locksLog ? [() => lockLog(unit)] : [];
  const { linked, perhapsNamed } = linkChangesIn(rows);
  let named: readonly string[] = [];
  const findNamed = async () => void (named = await linkedAmong(unit, perhapsNamed));
  await rows.write([...locking, findNamed, () => screened.requireCurrent(unit)]);
  await updateBookingInvitees(unit, [...linked, ...named]);
  const redact = await screened.redactor(unit, { items, rows });
  const folded = merged.map((each) => ({ ...each, entry: redact(entryOf(each), each.item.record) }));
  const report = await policy.record(unit, folded, rows);
  return { report, hasRedacted: await screened.finish(unit, items) };
}

/**
 * Screens and folds a batch in one transaction. Where the store refuses it, the batch is bisected; an entry that is refused by
 * itself is quarantined. Throws only errors that a later retry can resolve.
 */
export function foldBatch<Item extends ParsedItem, Report>(
  { store, screen }: FoldNeeds,
  items: readonly Item[],
  policyOf: () => FoldPolicy<Item, Report>,
): Promise<FoldResult<Report>[]> {
  const attempt = (some: readonly Item[]) =>
    store.transaction(async (unit) => fold(unit, await screen.screen(unit, some), policyOf()));
  return bisect(items, {
    attempt,
    refused(item, error) {
      if (item.fact === null) throw error;
      return attempt([quarantined(item, `The store refused it (${codeOf(error)}).`)]);
    },
  });
}

type MergeResult<Item extends ParsedItem> = Pick<FoldedItem<Item>, 'item' | 'effect' | 'isNew'>;

function mergeItem<Item extends ParsedItem>(
  rows: RowWorkspace,
  item: Item,
  { apply }: Pick<FoldPolicy<Item, unknown>, 'apply'>,
): MergeResult<Item> {
  const { fact } = item;
  if (fact === null) return { item, effect: null, isNew: false };
  const isNew = (rows.row(fact.subject.table, fact.subject.uri).row['version'] ?? null) === null;
  return { item, effect: apply(rows.row, fact), isNew };
}

function entryOf({ item: { entry, fact }, effect }: MergeResult<ParsedItem>): NewEntry {
  return effect && fact ? { ...entry, outcome: effect.outcome, changes: storedChanges(effect) } : entry;
}
