// Keeps the table of the contact search up to date, in one process at a time. Searches are correct without it, but slower.
import { codeOf, SlotstreamError } from '#src/base/errors.ts';
import { sleepUntilNext } from '#src/base/time.ts';
import type { Tail } from '#src/feed/tail.ts';
import type { Store } from '#src/store/contract.ts';
import { catchUpContactSearch, clearContactSearch } from '#src/store/contact-search/contact-follower.ts';
import type { Job } from '#workers/scheduling/scheduler.ts';

export interface ContactSearchNeeds {
  readonly store: Store;
  readonly tail: Pick<Tail, 'beyond' | 'closing'>;
  /** False while the disk of the store is almost full: nothing is written then. */
  readonly hasRoom: () => Promise<boolean>;
  /** Receives a failure, once until it works again. */
  readonly report: (error: unknown) => void;
  /** Between two updates: a contact that changes often is then copied once for many changes. */
  readonly pauseMs?: number;
}

/** A search compares what is newer itself, so a delay costs little. */
const usualPauseMs = 1_000;
/** How many pauses to wait while there is nothing to do: before the first search, or while the disk is almost full. */
const unusedFactor = 5;

/** A job that runs for as long as its lease is held. */
export function contactSearchJob(needs: ContactSearchNeeds): Job {
  const { store, tail, report, hasRoom, pauseMs = usualPauseMs } = needs;
  return {
    name: 'contact search',
    everyMs: 1_000,
    async run(signal) {
      const stopping = AbortSignal.any([signal, tail.closing]);
      let isFailing = false;
      while (!stopping.aborted) {
        try {
          const offset = await catchUpContactSearch(store, { signal: stopping, hasRoom });
          isFailing = false;
          if (offset === undefined) await sleepUntilNext(pauseMs * unusedFactor, stopping);
          else await tail.beyond(offset, stopping);
        } catch (error) {
          if (!isFailing && !stopping.aborted) report(notUpToDate(error));
          isFailing = true;
        }
        await sleepUntilNext(pauseMs, stopping);
      }
      return undefined;
    },
  };
}

/** The error code only: messages of the engines may quote values. */
const notUpToDate = (cause: unknown): SlotstreamError =>
  new SlotstreamError('refused', `The search table of contacts is not up to date (${codeOf(cause)}).`, {
    hint: 'Searches are correct but slow. The update is retried: check that the database answers and its disk has space.',
    cause,
  });

/** Where the search is switched off, its table is emptied. */
export function clearContactSearchJob({ store }: Pick<ContactSearchNeeds, 'store'>): Job {
  return {
    name: 'clear contact search',
    everyMs: 3_600_000,
    async run(signal) {
      await clearContactSearch(store, { signal });
      return undefined;
    },
  };
}
