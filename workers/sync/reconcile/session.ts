// One reconcile run: takes records as they are read, lists what differs, and repairs it, or rolls everything back when it only
// compares. A comparison takes the same path as a repair, so its report shows what a repair would do.
import { isDeletableKind, type DeletableKind } from '#schemas/records.ts';
import { instantOf } from '#src/base/time.ts';
import { dryRunStore } from '#src/store/open-store.ts';
import type { FoldNeeds } from '#workers/fold/pipeline/fold.ts';
import { driftOf, isDrift, type Drift } from './drift-report.ts';
import { counted, type DriftCounts } from '#src/store/jobs/drift-counts.ts';
import { findDeleted, unconfirmedAs, type HeldBack } from './find-deleted.ts';
import { openSeenSet, type SeenSet } from './seen-set.ts';
import { ingestDeletes, ingestRecords, type ServiceRecord } from '#workers/sync/records.ts';
import type { LeftOut } from '#workers/sync/resources/left-out.ts';
import type { Sources } from '#workers/sync/sources.ts';

export interface RunNeeds extends FoldNeeds {
  readonly sources: Sources;
  readonly now: () => Date;
  /** Called for each row that differs: at once in a comparison, after the repair otherwise. */
  readonly onDrift?: (drift: Drift) => void;
  readonly signal?: AbortSignal | undefined;
  /** Without webhooks, what differs is news and no drift. */
  readonly isPolled?: boolean;
}

export interface RunOptions {
  readonly repair: boolean;
  /** Carry out any number of deletes. */
  readonly allowDeletes: boolean;
}

export interface RunTally {
  readonly drift: DriftCounts;
  /** Contacts of which only the meeting dates differed. They are repaired too, and are no drift. */
  readonly meetingDates: number;
  /** Records compared. */
  readonly read: number;
  /** Records that could not be parsed. */
  readonly quarantined: number;
  readonly heldBack: readonly HeldBack[];
  /** Rows that could not be requested from the service. */
  readonly notCompared: number;
}

export interface Run extends Disposable {
  /** Returns the URIs of those that differed. */
  take(records: readonly ServiceRecord[]): Promise<readonly string[]>;
  /**
   * Deletes the rows that a complete listing lacked and that the service answers with 404. Rows observed after `since`, when the
   * listing began, were listed in an earlier slice or arrived meanwhile, so they are not checked. Returns what could not be confirmed.
   */
  carryOutDeletes(kind: DeletableKind, since: string): Promise<readonly LeftOut[]>;
  readonly tally: RunTally;
}

const batchSize = 200;

export function openRun(needs: RunNeeds, { repair, allowDeletes }: RunOptions): Run {
  const seenSet = openSeenSet();
  const into: FoldNeeds = repair ? needs : { ...needs, store: dryRunStore(needs.store) };
  let tally: RunTally = { drift: {}, meetingDates: 0, read: 0, quarantined: 0, heldBack: [], notCompared: 0 };

  function note(drift: Drift): void {
    const { kind, how } = drift;
    if (how === 'meeting_dates') tally = { ...tally, meetingDates: tally.meetingDates + 1 };
    if (isDrift(how) && needs.isPolled !== true) tally = { ...tally, drift: counted(tally.drift, { kind, how }) };
    needs.onDrift?.(drift);
  }

  async function take(records: readonly ServiceRecord[]): Promise<readonly string[]> {
    const report = await ingestRecords(into, records, { source: 'reconcile', now: instantOf(needs.now()) });
    tally = { ...tally, read: tally.read + records.length, quarantined: tally.quarantined + report.quarantined };
    // A comparison changes no row, so a row that appears on two pages would be counted twice.
    for (const changed of report.changed) if (repair || seenSet.isFirst('drift', changed.uri)) note(driftOf(changed));
    noteSeen(seenSet, records);
    return report.changed.map(({ uri }) => uri);
  }

  async function carryOutDeletes(kind: DeletableKind, since: string): Promise<readonly LeftOut[]> {
    const { heldBack, unconfirmed, notCompared } = await findDeleted(
      { ...needs, seenSet, onFound: take },
      { kind, since, allowDeletes, wasSeen: (uri) => seenSet.wasSeen(kind, uri) },
    );
    tally = { ...tally, notCompared: tally.notCompared + notCompared };
    const unconfirmedDeletes = unconfirmed === 0 ? [] : [unconfirmedAs(kind, unconfirmed)];
    if (heldBack !== undefined) {
      tally = { ...tally, heldBack: [...tally.heldBack, heldBack] };
      return unconfirmedDeletes;
    }
    for (const deletes of seenSet.deleted(kind, batchSize)) {
      if (repair) await ingestDeletes(needs, deletes, { now: instantOf(needs.now()) });
      for (const { uri } of deletes) note({ how: 'extra', kind, uri, fields: [] });
    }
    return unconfirmedDeletes;
  }

  return {
    take,
    carryOutDeletes,
    get tally() {
      return tally;
    },
    [Symbol.dispose]: () => seenSet[Symbol.dispose](),
  };
}

function noteSeen(seenSet: SeenSet, records: readonly ServiceRecord[]): void {
  for (const { kind, record } of records)
    if (isDeletableKind(kind) && typeof record['uri'] === 'string') seenSet.isFirst(kind, record['uri']);
}
