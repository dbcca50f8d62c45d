// Pumps the feed into a sink: reads ahead within bounds, sends the entries of each key in order, retries without limit, and stores the
// offset up to which everything has arrived. Entries sent but not yet acknowledged when a process dies are sent again by the next.
//
//   log ──read──▶ in flight ──key by key──▶ sink ──arrived──▶ offset
//                               └──failed──▶ the key waits (all keys, when the sink does not answer), then retries
//
// It ends where a person lets the sink go on elsewhere, and where the store has another log than it has read: one that was restored, or
// that a failover made shorter. The next one goes on at the offset that is stored there.
import { instantOf, sleepUnlessAborted } from '#src/base/time.ts';
import { isTransient } from '#src/base/errors.ts';
import { readFeed, type Inclusion } from '#src/feed/entry.ts';
import { filterOf } from '#src/feed/filter.ts';
import type { Tail } from '#src/feed/tail.ts';
import type { Store, Unit } from '#src/store/contract.ts';
import { lastSeq, newestUpTo, receiptTimes } from '#src/store/log/read.ts';
import { advancePosition, readPosition } from '#src/store/log/consumer-offsets.ts';
import { drain, type KeyedSenderNeeds } from './keyed-sender.ts';
import { carryOutRestart, isRestartRequested } from './restart.ts';
import { sinkNeedsOf } from './sink-log.ts';
import type { OpenSink } from './sink.ts';
import { createConcurrencyGate } from './concurrency-gate.ts';
import { createInFlight, type InFlightBounds } from './in-flight.ts';

export interface PumpNeeds extends Pick<
  KeyedSenderNeeds,
  'random' | 'isHeld' | 'onArrived' | 'onFailed' | 'onRecovered'
> {
  readonly store: Store;
  readonly tail: Pick<Tail, 'beyond' | 'closing'>;
  readonly nowMs: () => number;
}

export interface PumpInput {
  readonly name: string;
  readonly open: OpenSink;
  /** The name of its offset, where it is not that of a sink. */
  readonly position?: string;
  readonly include?: Inclusion | undefined;
  /** Kinds to push, with stars; all where there are none. */
  readonly events?: readonly string[] | undefined;
  readonly bounds?: InFlightBounds;
}

export const positionOf = (sink: string): string => `sink:${sink}`;

/** A failing key delays the others once so much is in flight behind it. */
const usualBounds: InFlightBounds = { entries: 1_000, characters: 8 * 1024 * 1024 };
const pageLimit = 100;
const noteEveryMs = 500;
const storeAgainMs = 1_000;
const lookEveryMs = 2_000;

/** Runs until `signal` aborts, or has to begin anew; throws when the sink cannot be opened, or the store fails permanently. */
export async function pump(
  needs: PumpNeeds,
  { name, open, position = positionOf(name), include, events = [], bounds = usualBounds }: PumpInput,
  signal: AbortSignal,
): Promise<void> {
  const { store } = needs;
  await carryOutRestart(store, position, needs.nowMs());
  const last = await lastSeq(store);
  const known = await readPosition(store, position);
  let read = known ?? last;
  let noted = read;
  /** An entry that was read: while the log has it, the log is the same. */
  let anchor = await newestUpTo(store, read);
  const isSameLog = async (from: Store | Unit): Promise<boolean> =>
    anchor === undefined || (await receiptTimes(from, [anchor.seq])).get(anchor.seq) === anchor.receivedAt;
  /** An offset in another log says nothing about this one. */
  const note = (seq: number) =>
    store.transaction(async (unit) => {
      if (await isSameLog(unit))
        await advancePosition(unit, { name: position, position: seq, updated_at: instantOf(needs.nowMs()) });
    });
  // A new sink starts at the end of the log, and its offset is stored at once.
  if (known === undefined) await note(last);
  await using sink = await open(sinkNeedsOf(store, position));

  const ending = new AbortController();
  const over = AbortSignal.any([signal, ending.signal, needs.tail.closing]);
  const inFlight = createInFlight(bounds);
  const lanes = new Set<Promise<void>>();
  let wake = (): void => {};
  over.addEventListener('abort', () => wake(), { once: true });
  const laneNeeds: KeyedSenderNeeds = {
    ...needs,
    sink,
    inFlight,
    over,
    gate: createConcurrencyGate(sink.concurrency, over),
    silence: { attempts: 0 },
    onArrived(count) {
      needs.onArrived(count);
      wake();
    },
  };
  const filter = filterOf({ event: [...events] });

  async function noteArrived(): Promise<void> {
    const arrived = inFlight.arrived(read);
    if (arrived <= noted) return;
    await note(arrived);
    noted = arrived;
  }
  async function noteNowAndThen(): Promise<void> {
    while (!over.aborted) {
      await sleepUnlessAborted(noteEveryMs, over);
      await noteArrived().catch(rethrowUnlessPassing);
    }
  }
  async function lookNowAndThen(): Promise<void> {
    while (!over.aborted) {
      await sleepUnlessAborted(lookEveryMs, over);
      const mustEnd = async () => (await isRestartRequested(store, position)) || !(await isSameLog(store));
      if (await mustEnd().catch(falseWherePassing)) ending.abort();
    }
  }
  async function readPage(): Promise<void> {
    const limit = Math.min(pageLimit, inFlight.room());
    if (limit === 0) {
      await new Promise<void>((resolve) => (wake = resolve));
      return;
    }
    const { entries, nextAfter } = await readFeed(store, filter, { after: read, limit, include });
    // After the page was read: an entry of another log is not sent.
    if (!(await isSameLog(store))) return ending.abort();
    read = nextAfter;
    anchor = entries.at(-1) ?? anchor;
    for (const entry of entries) {
      const laneName = sink.keyOf(entry);
      if (!inFlight.add(laneName, entry)) continue;
      const lane = drain(laneNeeds, laneName).finally(() => lanes.delete(lane));
      lanes.add(lane);
    }
    if (entries.length === 0) await needs.tail.beyond(read, over);
  }
  async function readOn(): Promise<void> {
    while (!over.aborted) {
      await readPage().catch(async (error: unknown) => {
        rethrowUnlessPassing(error);
        await sleepUnlessAborted(storeAgainMs, over);
      });
    }
  }

  try {
    await Promise.all([readOn(), noteNowAndThen(), lookNowAndThen()]);
  } finally {
    ending.abort();
    await Promise.all(lanes);
    // Entries after the stored offset are sent again.
    await noteArrived().catch(rethrowUnlessPassing);
  }
}

function rethrowUnlessPassing(error: unknown): void {
  if (!isTransient(error)) throw error;
}

function falseWherePassing(error: unknown): false {
  rethrowUnlessPassing(error);
  return false;
}
