// Ingests parsed deliveries: folds them, and appends what is new to the log.
import type { Unit } from '#src/store/contract.ts';
import { appendEntries, countDuplicates, knownDeliveries } from '#src/store/log/append.ts';
import type { NewEntry } from '#src/store/log/read.ts';
import { merge } from '#workers/fold/projections/merge.ts';
import { foldBatch, type FoldNeeds, type FoldPolicy } from './fold.ts';
import { quarantineOthers } from './organization.ts';
import { parseBatch, quarantined, type ParsedItem } from './parse.ts';
import type { Screen } from './screen.ts';

export interface IngestReport {
  /** The entries appended to the log, in order. */
  readonly entries: readonly NewEntry[];
  readonly duplicates: number;
  /** Personal data was removed: database files should be scrubbed. */
  readonly hasRedacted: boolean;
}

/** Stores a delivery in quarantine, whole and with its reason, without projecting it. */
export function quarantine(
  needs: FoldNeeds,
  delivery: unknown,
  { reason, now }: { readonly reason: string; readonly now: string },
): Promise<IngestReport> {
  const items = parseBatch({ v: 1, deliveries: [delivery] }, now);
  return ingestParsed(
    needs,
    items.map((item) => quarantined(item, reason)),
  );
}

/** Throws only errors that a later retry can resolve; any other delivery that fails is quarantined. */
export async function ingestParsed(needs: FoldNeeds, items: readonly ParsedItem[]): Promise<IngestReport> {
  const own = await quarantineOthers(needs.store, items);
  const results = await foldBatch(needs, own, () => appendPolicy(needs.screen));
  return {
    entries: results.flatMap(({ report }) => report.entries),
    duplicates: results.reduce((sum, { report }) => sum + report.duplicates, 0),
    hasRedacted: results.some(({ hasRedacted }) => hasRedacted),
  };
}

/** Appends each delivery once; further copies are counted on the entry of the first. */
function appendPolicy(screen: Screen): FoldPolicy<ParsedItem, Pick<IngestReport, 'entries' | 'duplicates'>> {
  const copies = new Map<string, number>();
  const countCopy = (id: string) => copies.set(id, (copies.get(id) ?? 0) + 1);

  async function select(unit: Unit, items: readonly ParsedItem[]): Promise<readonly ParsedItem[]> {
    copies.clear();
    const firsts = new Map<string, ParsedItem>();
    for (const item of items) {
      const id = item.entry.delivery_id;
      if (firsts.has(id)) countCopy(id);
      else firsts.set(id, item);
    }
    // With the rows locked: a copy that another worker has just written is visible from here on.
    for (const id of await knownDeliveries(unit, [...firsts.keys()])) {
      firsts.delete(id);
      countCopy(id);
    }
    return [...firsts.values()];
  }

  return {
    apply: (rows, fact) => merge(rows, fact, screen),
    locksLog: true,
    select,
    async record(unit, folded) {
      const entries = folded.map(({ entry }) => entry);
      await appendEntries(unit, entries);
      await countDuplicates(unit, copies);
      return { entries, duplicates: [...copies.values()].reduce((sum, count) => sum + count, 0) };
    },
  };
}
