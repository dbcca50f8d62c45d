// Moves the feed into a sink: reads ahead as far as the window goes, sends each lane in order, tries again for ever, and keeps in the
// store how far everything has arrived. What was sent and not yet noted when a process dies is sent again by the next.
//
//   log ──read──▶ window ──lane by lane──▶ sink ──arrived──▶ position
//                            └──failed──▶ the lane waits (all lanes, where nobody answers), then again
import { sleepUnlessAborted } from '#src/base/time.ts';
import { isTransient } from '#src/base/errors.ts';
import { acknowledge } from '#src/feed/consumer.ts';
import { readFeed } from '#src/feed/page.ts';
import type { Tail } from '#src/feed/tail.ts';
import type { Store } from '#src/store/contract.ts';
import { lastSeq } from '#src/store/log/read.ts';
import { readPosition } from '#src/store/log/consumer-offsets.ts';
import { drain, type LaneNeeds } from './keyed-sender.ts';
import type { OpenSink } from './sink.ts';
import { createTurns } from './concurrency-gate.ts';
import { createWindow, type WindowBounds } from './in-flight.ts';

export interface PumpNeeds extends Pick<LaneNeeds, 'random' | 'isHeld' | 'onArrived' | 'onFailed' | 'onRecovered'> {
  readonly store: Store;
  readonly tail: Pick<Tail, 'beyond' | 'closing'>;
  readonly nowMs: () => number;
}

export interface PumpInput {
  readonly name: string;
  readonly open: OpenSink;
  readonly bounds?: WindowBounds;
}

export const positionOf = (sink: string): string => `sink:${sink}`;

/** A failing lane holds up the others once so much waits behind it. */
const usualBounds: WindowBounds = { entries: 1_000, characters: 8 * 1024 * 1024 };
const pageLimit = 100;
const noteEveryMs = 500;
const storeAgainMs = 1_000;

/** Until `signal`; throws when the sink cannot be opened, or the store fails for good. */
export async function pump(
  needs: PumpNeeds,
  { name, open, bounds = usualBounds }: PumpInput,
  signal: AbortSignal,
): Promise<void> {
  const { store } = needs;
  const note = (position: number) => acknowledge(store, { name: positionOf(name), position, nowMs: needs.nowMs() });
  const last = await lastSeq(store);
  const known = await readPosition(store, positionOf(name));
  // A new sink hears of what happens from now on, and has a place to come back to from the first moment.
  if (known === undefined) await note(last);
  await using sink = await open({ lastSeq: () => lastSeq(store) });

  const ending = new AbortController();
  const over = AbortSignal.any([signal, ending.signal, needs.tail.closing]);
  const window = createWindow(bounds);
  const lanes = new Set<Promise<void>>();
  let wake = (): void => {};
  over.addEventListener('abort', () => wake(), { once: true });
  const laneNeeds: LaneNeeds = {
    ...needs,
    sink,
    window,
    over,
    turns: createTurns(sink.concurrency, over),
    silence: { attempts: 0 },
    onArrived(count) {
      needs.onArrived(count);
      wake();
    },
  };
  let read = known ?? last;
  let noted = read;

  async function noteArrived(): Promise<void> {
    const arrived = window.arrived(read);
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
  async function readPage(): Promise<void> {
    const limit = Math.min(pageLimit, window.room());
    if (limit === 0) {
      await new Promise<void>((resolve) => (wake = resolve));
      return;
    }
    const { entries, nextAfter } = await readFeed(store, {}, { after: read, limit });
    read = nextAfter;
    for (const entry of entries) {
      const laneName = sink.laneOf(entry);
      if (!window.add(laneName, entry)) continue;
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
    await Promise.all([readOn(), noteNowAndThen()]);
  } finally {
    ending.abort();
    await Promise.all(lanes);
    // What is not noted is sent again.
    await noteArrived().catch(rethrowUnlessPassing);
  }
}

function rethrowUnlessPassing(error: unknown): void {
  if (!isTransient(error)) throw error;
}
