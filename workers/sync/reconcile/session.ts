// One run of comparing: takes records as they are read, names what differs, and repairs it, or takes everything back when it
// is only to look. Looking goes the very way of repairing, so that its report is what a repair would do.
import { isGoneKind, type GoneKind } from '#schemas/records.ts';
import { instantOf } from '#src/base/time.ts';
import { undone } from '#src/store/dry-run-store.ts';
import type { FoldNeeds } from '#workers/pipeline/fold.ts';
import { counted, driftOf, type Drift, type DriftCounts } from './drift-report.ts';
import { searchGone, unconfirmedAs, type HeldBack } from './find-deleted.ts';
import { openScratch, type Scratch } from './seen-set.ts';
import { ingestDeletes, ingestRecords, type ServiceRecord } from '#workers/sync/records.ts';
import type { Sources } from '#workers/sync/sources.ts';

export interface RunNeeds extends FoldNeeds {
  readonly sources: Sources;
  readonly now: () => Date;
  /** Told of each row that differs: at once when it is only looked at, else when it is repaired. */
  readonly onDrift?: (drift: Drift) => void;
  readonly signal?: AbortSignal | undefined;
}

export interface RunOptions {
  readonly repair: boolean;
  /** Also many deletes are carried out. */
  readonly allowDeletes: boolean;
}

export interface RunTally {
  readonly drift: DriftCounts;
  /** Records compared. */
  readonly read: number;
  /** Records that could not be understood: in quarantine. */
  readonly kept: number;
  readonly heldBack: readonly HeldBack[];
  /** RowLookup about which the service could not be asked. */
  readonly notCompared: number;
}

type Unconfirmed = ReturnType<typeof unconfirmedAs>;

export interface Run extends Disposable {
  take(records: readonly ServiceRecord[]): Promise<void>;
  /**
   * Buries what a complete listing did not show and what is gone by its own URI too. What was heard of after `since`, when the
   * listing began, was shown by it to an earlier slice, or came by itself meanwhile: neither is judged. Answers what it could not tell.
   */
  bury(kind: GoneKind, since: string): Promise<readonly Unconfirmed[]>;
  readonly tally: RunTally;
}

const batchSize = 200;

export function openRun(needs: RunNeeds, { repair, allowDeletes }: RunOptions): Run {
  const scratch = openScratch();
  const into: FoldNeeds = repair ? needs : { ...needs, store: undone(needs.store) };
  let tally: RunTally = { drift: {}, read: 0, kept: 0, heldBack: [], notCompared: 0 };

  function note(drift: Drift): void {
    tally = { ...tally, drift: counted(tally.drift, drift) };
    needs.onDrift?.(drift);
  }

  async function take(records: readonly ServiceRecord[]): Promise<void> {
    const report = await ingestRecords(into, records, { source: 'reconcile', now: instantOf(needs.now()) });
    tally = { ...tally, read: tally.read + records.length, kept: tally.kept + report.quarantined };
    // What is only looked at stays as it was, and would be found again on another page.
    for (const changed of report.changed) if (repair || scratch.isFirst('drift', changed.uri)) note(driftOf(changed));
    noteSeen(scratch, records);
  }

  async function bury(kind: GoneKind, since: string): Promise<readonly Unconfirmed[]> {
    const { heldBack, unconfirmed, notCompared } = await searchGone(
      { ...needs, scratch, onFound: take },
      { kind, since, allowDeletes, wasSeen: (uri) => scratch.wasSeen(kind, uri) },
    );
    tally = { ...tally, notCompared: tally.notCompared + notCompared };
    const untold = unconfirmed === 0 ? [] : [unconfirmedAs(kind, unconfirmed)];
    if (heldBack !== undefined) {
      tally = { ...tally, heldBack: [...tally.heldBack, heldBack] };
      return untold;
    }
    for (const gone of scratch.gone(kind, batchSize)) {
      if (repair) await ingestDeletes(needs, gone, { now: instantOf(needs.now()) });
      for (const { uri } of gone) note({ how: 'extra', kind, uri, fields: [] });
    }
    return untold;
  }

  return {
    take,
    bury,
    get tally() {
      return tally;
    },
    [Symbol.dispose]: () => scratch[Symbol.dispose](),
  };
}

function noteSeen(scratch: Scratch, records: readonly ServiceRecord[]): void {
  for (const { kind, record } of records)
    if (isGoneKind(kind) && typeof record['uri'] === 'string') scratch.isFirst(kind, record['uri']);
}
