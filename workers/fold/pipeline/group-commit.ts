// Group commit: jobs that are active at the same time share one transaction. While one transaction runs, the next group gathers. The
// cost of a transaction is paid once for many deliveries, and a delivery that comes alone does not wait for others.
import { setImmediate as yieldToEventLoop, setTimeout as sleep } from 'node:timers/promises';

export interface GroupLimits {
  readonly items: number;
  readonly bytes: number;
}

/** What a job adds to a group. */
export interface Contribution<Item> {
  readonly items: readonly Item[];
  readonly bytes: number;
}

interface GroupNeeds<Job, Item> {
  parse(job: Job): Contribution<Item>;
  /** Handles the items of several jobs in one transaction. */
  commit(items: readonly Item[]): Promise<void>;
}

/** Resolves when the items of the job are committed; rejects when the transaction of its group failed. */
export type CommitJob<Job> = (job: Job) => Promise<void>;

interface Group<Item> {
  readonly items: Item[];
  readonly jobs: PromiseWithResolvers<void>[];
  bytes: number;
}

/**
 * Under a steady load, how long a transaction waits for more jobs: a transaction costs as much as dozens of deliveries. A delivery that
 * comes alone does not wait.
 */
const gatherMs = 10;
const busyWithinMs = 50;
/** As many are worth a transaction. */
const enoughItems = 16;

export function createGroupCommit<Job, Item>(
  { parse, commit }: GroupNeeds<Job, Item>,
  limits: GroupLimits,
): CommitJob<Job> {
  const waiting: { readonly job: Job; readonly done: PromiseWithResolvers<void> }[] = [];
  let open = newGroup<Item>();
  let gathering: Promise<void> | undefined;
  let committing: Promise<void> | undefined;

  let lastMs = Number.NEGATIVE_INFINITY;

  /** Whether the group before this one was a moment ago. */
  function isBusy(): boolean {
    const nowMs = performance.now();
    const sinceMs = nowMs - lastMs;
    lastMs = nowMs;
    return sinceMs < busyWithinMs && open.items.length < enoughItems;
  }
  const isFull = () => open.items.length >= limits.items || open.bytes >= limits.bytes;

  async function gatherWaiting(): Promise<void> {
    do {
      // Requests are answered between two jobs.
      await yieldToEventLoop();
      const next = waiting.shift();
      if (next === undefined) break;
      try {
        const { items, bytes } = parse(next.job);
        for (const item of items) open.items.push(item);
        open.bytes += bytes;
        open.jobs.push(next.done);
      } catch (error) {
        next.done.reject(error);
      }
    } while (waiting.length > 0 && !isFull());
    // Without a pause since the last look at what waits: otherwise a job that comes in between would not be seen.
    gathering = undefined;
  }
  function gather(): Promise<void> | undefined {
    if (waiting.length > 0 && !isFull()) gathering ??= gatherWaiting();
    return gathering;
  }

  async function commitGroups(): Promise<void> {
    for (;;) {
      await gather();
      const group = open;
      if (group.jobs.length === 0) {
        if (waiting.length === 0) break;
        continue;
      }
      open = newGroup();
      try {
        const committed = commit(group.items);
        void gather();
        await committed;
        for (const { resolve } of group.jobs) resolve();
      } catch (error) {
        for (const { reject } of group.jobs) reject(error);
      }
      if (isBusy()) await sleep(gatherMs);
    }
    committing = undefined;
  }

  return (job) => {
    const done = Promise.withResolvers<void>();
    waiting.push({ job, done });
    void gather();
    committing ??= commitGroups();
    return done.promise;
  };
}

const newGroup = <Item>(): Group<Item> => ({ items: [], jobs: [], bytes: 0 });
