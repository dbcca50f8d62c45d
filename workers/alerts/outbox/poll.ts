// Puts what is due into the queue of sends. It is poked when something becomes due in this process, and looks by itself too: time
// passes, and others write into the outbox. The rows are the truth: a job that was lost is added again, and one too many finds
// nothing to do.
import { sleepUnlessAborted } from '#src/base/time.ts';
import { throttled, type Log } from '#src/observability/log.ts';
import type { SendJob } from '#src/queue/contract.ts';
import { claimsByChannel, perhapsSaid } from '#src/store/alerts/claims.ts';
import { markSent, postpone } from '#src/store/alerts/send-results.ts';
import { digestsDue, dueAlerts, holdAlerts, type Alert } from '#src/store/alerts/alert-rows.ts';
import type { Store } from '#src/store/contract.ts';
import { channelNames } from '#workers/alerts/channels/channel-name.ts';
import { dispatchOf, type Departing } from './plan.ts';
import { sendsAChannel, type Handover } from './handover.ts';
import { timeOf } from './apply.ts';

export interface DispatcherNeeds {
  readonly store: Store;
  readonly handover: Pick<Handover, 'hand'>;
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

/** So many go into one digest. */
const mostGathered = 500;
const usualEveryMs = 500;

export function startDispatcher(needs: DispatcherNeeds): Dispatcher {
  const { everyMs = usualEveryMs } = needs;
  const say = throttled(needs.log, 10_000);
  const stopping = new AbortController();
  let poked = new AbortController();

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      poked = new AbortController();
      try {
        await look(needs, stopping.signal);
      } catch (err) {
        say('warn', 'alerts that are due could not be queued; they will be', { err });
      }
      const signal = AbortSignal.any([poked.signal, stopping.signal]);
      await sleepUnlessAborted(everyMs, signal);
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

async function look(needs: DispatcherNeeds, stopping: AbortSignal): Promise<void> {
  const { store, nowMs } = needs;
  const now = timeOf(nowMs());
  await ownUp(store, now);
  // Most looks find nothing.
  if ((await dueAlerts(store, { now, limit: 1 })).length === 0) return;
  const claimed = await claimsByChannel(store, now);
  const roomOf = (channel: string): number => sendsAChannel - (claimed.get(channel) ?? 0);
  let open: readonly string[] = channelNames.filter((channel) => roomOf(channel) > 0);
  // In turns: thousands that are put off in one channel must not hold up another.
  for (let turn = 0; open.length > 0; turn += 1) {
    const left: string[] = [];
    for (const channel of open) {
      if (stopping.aborted) return;
      if (await fill(needs, { channel, now, room: roomOf(channel), isFirst: turn === 0 })) left.push(channel);
    }
    open = left;
  }
}

interface Filling {
  readonly channel: string;
  readonly now: string;
  readonly room: number;
  readonly isFirst: boolean;
}

/**
 * True when all it saw were put off and made way for others. At first it reads no more than there is room for: behind a channel that
 * is slow thousands may wait.
 */
async function fill(needs: DispatcherNeeds, { channel, now, room, isFirst }: Filling): Promise<boolean> {
  const { store, rules, handover } = needs;
  const first = await dueAlerts(store, { now, limit: isFirst ? room : mostGathered, channel });
  const isGathering = first.some(({ rule }) => rules.get(rule)?.digestMs !== undefined);
  const seen = isGathering && isFirst ? await dueAlerts(store, { now, limit: mostGathered, channel }) : first;
  const due = await inFull(store, seen, now);
  if (due.length === 0) return false;
  const jobs = await dispatch(needs, due);
  await handover.hand(channel, jobs.slice(0, room));
  return jobs.length === 0;
}

/** A digest leaves whole at every attempt: cut by a limit, it would say something else under the same key. */
async function inFull(store: Store, due: readonly Alert[], now: string): Promise<readonly Alert[]> {
  const digests = due.flatMap(({ digest }) => digest ?? []);
  if (digests.length === 0) return due;
  return [...due.filter(({ digest }) => digest === null), ...(await digestsDue(store, { now, digests }))];
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
