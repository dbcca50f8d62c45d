// Functions of the program that this mirror is a part of: each follows the log from an offset of its own, as a sink does.
import { acknowledge } from '#src/feed/consumer.ts';
import type { FeedEntry } from '#src/feed/entry.ts';
import type { Tail } from '#src/feed/tail.ts';
import { throttled } from '#src/observability/log.ts';
import { readPosition } from '#src/store/log/consumer-offsets.ts';
import { lastSeq } from '#src/store/log/read.ts';
import type { Job, Schedules } from '#workers/sync/scheduling/scheduler.ts';
import { pump } from '#workers/out/push/pump.ts';
import { startJobs, takeoverLeaseMs, type JobNeeds } from './jobs.ts';

export interface FeedHandler {
  /** The name of its offset, among those of the consumers of the feed. */
  readonly name: string;
  /** Kinds, with stars. */
  readonly events: readonly string[];
  handle(entry: FeedEntry): Promise<void>;
}

const warnEveryMs = 10_000;
/** Subjects at a time. */
const concurrency = 8;

/** Of all processes that share the store, one at a time calls the handler of a name. Resolves once its offset is stored. */
export async function startHandler(
  needs: JobNeeds & { readonly tail: Tail },
  { name, events, handle }: FeedHandler,
): Promise<Schedules> {
  const { store, tail, log, nowMs } = needs;
  // Now, because its job begins later: a new handler gets what is committed from here on.
  if ((await readPosition(store, name)) === undefined)
    await acknowledge(store, { name, position: await lastSeq(store), nowMs: nowMs() });
  const warn = throttled(log, warnEveryMs);
  const open = async () => ({
    name,
    batch: 1,
    concurrency,
    // What has no subject is in order among itself.
    keyOf: ({ subjectUri }: FeedEntry) => subjectUri ?? '',
    send: async (entries: readonly FeedEntry[]) => {
      for (const entry of entries)
        await handle(entry).catch((error: unknown) => {
          warn('warn', 'a handler failed; it is called again', { handler: name, err: error });
          throw error;
        });
    },
    [Symbol.asyncDispose]: async () => {},
  });
  const job: Job = {
    name: `handler ${name}`,
    everyMs: 1_000,
    async run(signal, isHeld) {
      await pump(
        {
          store,
          tail,
          nowMs,
          isHeld,
          random: Math.random,
          onArrived: () => {},
          onFailed: () => {},
          onRecovered: () => {},
        },
        { name, position: name, open, events, include: 'row' },
        signal,
      );
      return undefined;
    },
  };
  return startJobs(needs, [job], { leaseMs: takeoverLeaseMs });
}
