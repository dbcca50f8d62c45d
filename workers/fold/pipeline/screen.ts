// The port through which personal data is screened: what may be stored of each parsed entry, and what the log must redact
// along with it. The pipeline only calls it; the composition root passes the implementation in.
import type { Unit } from '#src/store/contract.ts';
import type { NewEntry } from '#src/store/log/read.ts';
import type { Fact } from '#workers/fold/projections/contract.ts';
import type { MergeOptions } from '#workers/fold/projections/merge.ts';
import type { ParsedItem } from './parse.ts';
import type { RowWorkspace } from './row-workspace.ts';

export interface Screen extends MergeOptions {
  /** Screens entries before they are folded, in the transaction that folds them. */
  screen<Item extends ParsedItem>(unit: Unit, items: readonly Item[]): Promise<ScreenResult<Item>>;
  /** Changes with every erasure and with the settings: rows computed before must be computed again. */
  version(from: Pick<Unit, 'db' | 'engine'>): Promise<string>;
}

/** One batch after screening, with the steps that the fold takes on the screen's behalf. */
export interface ScreenResult<Item extends ParsedItem = ParsedItem> {
  /** The items without the data that may not be stored. */
  readonly items: readonly Item[];
  /** Facts that the screening itself adds; they are merged before those of the items. */
  readonly facts: readonly Fact[];
  /** Its first statement runs with the log locked. Throws when the items were screened against outdated erasures or settings. */
  requireCurrent(unit: Unit): Promise<void>;
  /** Called with the log locked and the rows merged: returns what redacts an entry about a deleted contact. */
  redactor(
    unit: Unit,
    folded: { readonly items: readonly ParsedItem[]; readonly rows: RowWorkspace },
  ): Promise<Redactor>;
  /** Called when the entries are in the log: redacts older entries. Returns whether personal data was removed. */
  finish(unit: Unit, items: readonly ParsedItem[]): Promise<boolean>;
}

export type Redactor = (entry: NewEntry, record: ParsedItem['record']) => NewEntry;

/** Entries that need no screening: the log already holds them in their screened form. */
export function alreadyScreened<Item extends ParsedItem>(items: readonly Item[]): ScreenResult<Item> {
  return {
    items,
    facts: [],
    requireCurrent: async () => {},
    redactor: async () => (entry) => entry,
    finish: async () => false,
  };
}
