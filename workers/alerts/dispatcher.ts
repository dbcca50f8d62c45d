// Puts what is due into the queue of sends. It is poked when something becomes due in this process, and looks by itself too: time
// passes, and others write into the outbox. The rows are the truth: a job that was lost is added again, and one too many finds
// nothing to do.
import { setTimeout as pause } from 'node:timers/promises';
import { throttled, type Log } from '#src/log.ts';
import type { SendJob, SendQueue } from '#src/queue/contract.ts';
import { claimsByChannel, perhapsSaid } from '#src/store/alert-claims.ts';
import { markSent, postpone } from '#src/store/alert-marks.ts';
import { dueAlerts, holdAlerts, type Alert } from '#src/store/alerts.ts';
import type { Store } from '#src/store/contract.ts';
import { channelNames } from './channel-name.ts';
import { dispatchOf, type Departing } from './dispatch.ts';
import { timeOf } from './outbox.ts';

export interface DispatcherNeeds {
  readonly store: Store;
  readonly sends: Pick<SendQueue, 'add'>;
  readonly rules: ReadonlyMap<string, Departing>;
  readonly nowMs: () => number;
  readonly log: Log;
  readonly everyMs?: number;
}

export interface Dispatcher {
  /** Something may be due. */
  poke(): void;
  close(): Promise<void>;
}

/** Of one channel at once, over all processes: one that hangs cannot take the places of the others. */
export const sendsAChannel = 8;
/** So many go into one digest. */
const mostGathered = 500;
const usualEveryMs = 500;
/** How long a job may lie in the queue before it is added once more, lest the queue has lost it. */
const addAgainMs = 10_000;

export function startDispatcher(needs: DispatcherNeeds): Dispatcher {
  const { everyMs = usualEveryMs } = needs;
  const say = throttled(needs.log, 10_000);
  const stopping = new AbortController();
  const added = new Map<string, number>();
  let poked = new AbortController();

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      poked = new AbortController();
      try {
        await look(needs, added);
      } catch (err) {
        say('warn', 'alerts that are due could not be queued; they will be', { err });
      }
      const signal = AbortSignal.any([poked.signal, stopping.signal]);
      await pause(everyMs, undefined, { signal }).catch(() => undefined);
    }
  }
  const running = run();
  return {
    poke: () => poked.abort(),
    async close() {
      stopping.abort();
      await running;
    },
  };
}

async function look(needs: DispatcherNeeds, added: Map<string, number>): Promise<void> {
  const { store, nowMs } = needs;
  const now = timeOf(nowMs());
  await ownUp(store, now);
  // Most looks find nothing.
  if ((await dueAlerts(store, { now, limit: 1 })).length === 0) return;
  const claimed = await claimsByChannel(store, now);
  for (const channel of channelNames) {
    const room = sendsAChannel - (claimed.get(channel) ?? 0);
    if (room > 0) await fill(needs, { channel, now, room }, added);
  }
}

/** Reads no more than there is room for: behind a channel that is slow thousands may wait. */
async function fill(
  needs: DispatcherNeeds,
  { channel, now, room }: { readonly channel: string; readonly now: string; readonly room: number },
  added: Map<string, number>,
): Promise<void> {
  const { store, rules } = needs;
  for (;;) {
    const first = await dueAlerts(store, { now, limit: room, channel });
    const isGathering = first.some(({ rule }) => rules.get(rule)?.digestMs !== undefined);
    const due = isGathering ? await dueAlerts(store, { now, limit: mostGathered, channel }) : first;
    if (due.length === 0) return;
    const jobs = await dispatch(needs, due);
    await addNew(needs, jobs.slice(0, room), added);
    // Those that were put off have made way for others.
    if (jobs.length > 0) return;
  }
}

/** Only a change is written, and only then the rows are held: another process may be doing the same. */
async function dispatch({ store, rules, nowMs }: DispatcherNeeds, due: readonly Alert[]): Promise<readonly SendJob[]> {
  const atMs = nowMs();
  const seen = dispatchOf(due, rules, atMs);
  if (seen.changes.length === 0) return seen.jobs;
  return store.transaction(async (unit) => {
    const held = await holdAlerts(
      unit,
      due.map(({ id }) => id),
    );
    const now = timeOf(atMs);
    const still = held.filter(({ state, nextAt }) => state === 'pending' && nextAt <= now);
    const { changes, jobs } = dispatchOf(still, rules, atMs);
    await postpone(unit, changes);
    return jobs;
  });
}

async function addNew(
  { sends, nowMs }: DispatcherNeeds,
  jobs: readonly SendJob[],
  added: Map<string, number>,
): Promise<void> {
  const atMs = nowMs();
  for (const [id, ms] of added) if (atMs - ms >= addAgainMs || ms > atMs) added.delete(id);
  const fresh = jobs.filter(({ id }) => !added.has(id));
  if (fresh.length === 0) return;
  await sends.add(fresh);
  for (const { id } of fresh) added.set(id, atMs);
}

/** Whoever may have been told is told that it was taken back. */
async function ownUp(store: Store, now: string): Promise<void> {
  const seen = await perhapsSaid(store, now);
  if (seen.length === 0) return;
  await store.transaction(async (unit) => {
    const ids = seen.map(({ id }) => id);
    const held = await holdAlerts(unit, ids);
    // What has become so again meanwhile is said anyway.
    const unclear = held.filter(({ state, claimedAt }) => state === 'retracted' && claimedAt !== null);
    await markSent(unit, unclear, now);
  });
}
