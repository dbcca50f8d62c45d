// Notices that the database went back: after a failover to a replica that was behind, or the restore of a backup, entries that were
// committed are not in the log any more. They are known by their `delivery_id`: one that moves keeps it, and none is ever removed.
//
//   committed ──every second──▶ the newest is noted in the queue, under the name of this process
//   at the start and every 5 seconds ──are the entries in the log that this process has in memory, and those noted in the queue?
//        ├── all ──▶ the newest entry of the log is remembered too
//        └── one is not ──▶ recorded for health and alerts, with the gap that a comparison repairs ──▶ a note for the receivers
import { z } from 'zod';
import { slotstream } from '#src/base/command.ts';
import { hourMs, instantOf, secondMs } from '#src/base/time.ts';
import { withTimeout } from '#src/base/timeout.ts';
import type { Log } from '#src/observability/log.ts';
import type { QueueNotes } from '#src/queue/contract.ts';
import { readWentBackNote, writeWentBack } from '#src/queue/went-back.ts';
import { recordWentBack, type WentBack } from '#src/read/health/recorded-inputs.ts';
import type { Store } from '#src/store/contract.ts';
import { knownDeliveries } from '#src/store/log/append.ts';
import { lastReceivedBefore, newestEntry } from '#src/store/log/read.ts';
import { noteGapWithin } from '#src/store/jobs/missed-window.ts';
import { lostSinceMs, MarkHistory, type Mark } from './log-marks.ts';

export interface LogWatch extends AsyncDisposable {
  /** This process has committed entries of these ids, in this order. */
  committed(entries: readonly { readonly delivery_id: string }[]): void;
}

interface WatchNeeds {
  readonly store: Store;
  readonly notes: QueueNotes;
  readonly log: Log;
  /** The name of this process among the notes. */
  readonly holder: string;
  readonly nowMs: () => number;
}

const ticksPerCheck = 5;
const notesTimeoutMs = 2 * secondMs;
/** A note of a process that ended says nothing more than a newer one of another. */
const olderByMs = hourMs;

const noteOfEntry = z.object({ mirror: z.string(), entry: z.string(), at_ms: z.number() });
const namePrefix = 'log ';

export function watchLog({ store, notes, log, holder, nowMs }: WatchNeeds): LogWatch {
  const ownName = `${namePrefix}${holder}`;
  const mirror = store.settings.id;
  const history = new MarkHistory();
  let noted: string | undefined;
  let ticks = 0;
  let running: Promise<void> | undefined;

  async function noteNewest(): Promise<void> {
    const { newest } = history;
    if (newest === undefined || newest.entry === noted) return;
    const text = JSON.stringify({ mirror, entry: newest.entry, at_ms: newest.atMs });
    await withTimeout(notes.write(ownName, text), notesTimeoutMs);
    noted = newest.entry;
  }

  /** Those of this mirror, by name; none while the queue does not answer. */
  async function readNotes(): Promise<ReadonlyMap<string, Mark>> {
    const found = await withTimeout(notes.read(), notesTimeoutMs).catch(() => new Map<string, string>());
    const marks = new Map<string, Mark>();
    for (const [name, text] of found) {
      const note = name.startsWith(namePrefix) ? noteOfEntry.safeParse(jsonIn(text)).data : undefined;
      if (note?.mirror === mirror) marks.set(name, { entry: note.entry, atMs: note.at_ms });
    }
    return marks;
  }

  async function check(): Promise<void> {
    const own = history.due();
    const noted = await readNotes();
    const asked = [...own, ...noted.values()];
    const known = await knownDeliveries(store, entriesOf(asked));
    if (asked.some(({ entry }) => !known.has(entry))) return wentBack(noted);
    history.found(own);
    await dropOld(noted);
    const newest = await newestEntry(store);
    if (newest !== undefined) history.add({ entry: newest, atMs: nowMs() });
  }

  async function dropOld(noted: ReadonlyMap<string, Mark>): Promise<void> {
    const newestMs = Math.max(...[...noted.values()].map(({ atMs }) => atMs));
    const old = [...noted].filter(([name, { atMs }]) => name !== ownName && newestMs - atMs > olderByMs);
    if (old.length > 0) await notes.remove(old.map(([name]) => name));
  }

  async function wentBack(noted: ReadonlyMap<string, Mark>): Promise<void> {
    const marks = [...history.all(), ...noted.values()];
    const known = await knownDeliveries(store, entriesOf(marks));
    const isLost = ({ entry }: Mark): boolean => !known.has(entry);
    const lost = marks.filter(isLost);
    if (lost.length === 0) return;
    const sinceMs = lostSinceMs(marks, isLost);
    const found: WentBack = {
      since: sinceMs === undefined ? await lastBefore(lost) : instantOf(sinceMs),
      noticedAt: instantOf(nowMs()),
    };
    const lastLost = instantOf(Math.max(...lost.map(({ atMs }) => atMs)));
    const result = await store.transaction(async (unit) => {
      // Again, where rows are written: a server that only reads may be behind.
      if ((await knownDeliveries(unit, entriesOf(lost))).size > 0) return 'found';
      const recorded = await recordWentBack(unit, found, lastLost);
      if (recorded !== 'known') await noteGapWithin(unit, found.since);
      return recorded;
    });
    if (result === 'found') return;
    if (result === 'new') {
      const hint = `Repeat erasures since then first: docs/backup.md#went-back. Then: ${slotstream} reconcile --repair`;
      log.error({ code: 'database_went_back', since: found.since, hint }, wentBackText);
    }
    await announce(lastLost, sinceMs);
    history.drop(isLost);
    await notes.remove([...noted].filter(([, mark]) => isLost(mark)).map(([name]) => name));
  }

  /** Unless another process has. Fails while the queue does not answer, and is tried again with what is remembered. */
  async function announce(lastLost: string, sinceMs = Number.NEGATIVE_INFINITY): Promise<void> {
    const announced = await readWentBackNote(notes);
    if (announced && announced.at >= lastLost && announced.sinceMs <= sinceMs) return;
    await writeWentBack(notes, { at: instantOf(nowMs()), sinceMs });
  }

  /** Without an entry of before that is known, the newest of the log that is older than what is lost. */
  async function lastBefore(lost: readonly Mark[]): Promise<string> {
    const first = Math.min(...lost.map(({ atMs }) => atMs));
    return (await lastReceivedBefore(store, instantOf(first))) ?? instantOf(0);
  }

  async function tick(): Promise<void> {
    if (ticks % ticksPerCheck === 0) await check();
    ticks += 1;
    await noteNewest();
  }

  /** What fails is tried again; the outages of store and queue are reported elsewhere. */
  const turn = (): Promise<void> =>
    (running ??= tick()
      .catch(() => undefined)
      .finally(() => (running = undefined)));
  void turn();
  const timer = setInterval(() => void turn(), secondMs).unref();
  return {
    committed(entries) {
      const last = entries.at(-1);
      if (last) history.add({ entry: last.delivery_id, atMs: nowMs() });
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await running;
      await noteNewest().catch(() => undefined);
    },
  };
}

const wentBackText = 'the database went back: entries that were committed are not in the log any more';

const entriesOf = (marks: readonly Mark[]): string[] => [...new Set(marks.map(({ entry }) => entry))];

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
