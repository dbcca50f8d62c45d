// Keeps the tables that follow the log up to date, each in one process at a time: the bookings, and the search of contacts.
import { codeOf, SlotstreamError } from '#src/base/errors.ts';
import { sleepUntilNext } from '#src/base/time.ts';
import type { Tail } from '#src/feed/tail.ts';
import { catchUpBookings } from '#src/store/bookings/booking-follower.ts';
import { catchUpContactSearch, clearContactSearch } from '#src/store/contact-search/contact-follower.ts';
import type { Store } from '#src/store/contract.ts';
import type { Job } from '#workers/scheduling/scheduler.ts';

export interface FollowerNeeds {
  readonly store: Store;
  readonly tail: Pick<Tail, 'beyond' | 'closing'>;
  /** False while the disk of the store is almost full: nothing is written then. */
  readonly hasRoom: () => Promise<boolean>;
  /** Receives a failure, once until it works again. */
  readonly report: (error: unknown) => void;
  /** Between two updates: a row that changes often is then written once for many changes. */
  readonly pauseMs?: number;
}

interface Follower {
  readonly name: string;
  readonly pauseMs: number;
  /** Returns the offset that it has reached; undefined where there is nothing to do for now. */
  readonly catchUp: (signal: AbortSignal) => Promise<number | undefined>;
  readonly hint: string;
}

/** How many pauses to wait while there is nothing to do: before the first search, or while the disk is almost full. */
const unusedFactor = 5;

/** A job that runs for as long as its lease is held. */
function followerJob({ tail, report }: FollowerNeeds, { name, pauseMs, catchUp, hint }: Follower): Job {
  return {
    name,
    everyMs: 1_000,
    async run(signal) {
      const stopping = AbortSignal.any([signal, tail.closing]);
      let isFailing = false;
      while (!stopping.aborted) {
        try {
          const offset = await catchUp(stopping);
          isFailing = false;
          if (offset === undefined) await sleepUntilNext(pauseMs * unusedFactor, stopping);
          else await tail.beyond(offset, stopping);
        } catch (error) {
          if (!isFailing && !stopping.aborted) report(notUpToDate(name, hint, error));
          isFailing = true;
        }
        await sleepUntilNext(pauseMs, stopping);
      }
      return undefined;
    },
  };
}

/** The error code only: messages of the engines may quote values. */
const notUpToDate = (name: string, hint: string, cause: unknown): SlotstreamError =>
  new SlotstreamError('refused', `The table of the ${name} is not up to date (${codeOf(cause)}).`, {
    hint: `${hint} The update is retried: check that the database answers and its disk has space.`,
    cause,
  });

/** Bookings are at most a second behind the log; a reader that needs more brings them up to date itself. */
export const bookingsJob = (needs: FollowerNeeds): Job =>
  followerJob(needs, {
    name: 'bookings',
    pauseMs: needs.pauseMs ?? 250,
    catchUp: (signal) => catchUpBookings(needs.store, { signal, hasRoom: needs.hasRoom }),
    hint: 'Lists, numbers and views of bookings are behind the log.',
  });

/** A search compares what is newer itself, so a delay costs little. */
export const contactSearchJob = (needs: FollowerNeeds): Job =>
  followerJob(needs, {
    name: 'contact search',
    pauseMs: needs.pauseMs ?? 1_000,
    catchUp: (signal) => catchUpContactSearch(needs.store, { signal, hasRoom: needs.hasRoom }),
    hint: 'Searches are correct but slow.',
  });

/** Where the search is switched off, its table is emptied. */
export function clearContactSearchJob({ store }: Pick<FollowerNeeds, 'store'>): Job {
  return {
    name: 'clear contact search',
    everyMs: 3_600_000,
    async run(signal) {
      await clearContactSearch(store, { signal });
      return undefined;
    },
  };
}
