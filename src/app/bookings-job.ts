// Keeps the table of bookings up to date with the log, in one process at a time.
import { codeOf, SlotstreamError } from '#src/base/errors.ts';
import { sleepUntilNext } from '#src/base/time.ts';
import type { Tail } from '#src/feed/tail.ts';
import { catchUpBookings } from '#src/store/bookings/booking-follower.ts';
import type { Store } from '#src/store/contract.ts';
import type { Job } from '#workers/sync/scheduling/scheduler.ts';

export interface BookingsJobNeeds {
  readonly store: Store;
  readonly tail: Pick<Tail, 'beyond' | 'closing'>;
  /** False while the disk of the store is almost full: nothing is written then. */
  readonly hasRoom: () => Promise<boolean>;
  /** Receives a failure, once until it works again. */
  readonly report: (error: unknown) => void;
  /** Between two updates: a row that changes often is then written once for many changes. */
  readonly pauseMs?: number;
}

/** How many pauses to wait while the disk is almost full. */
const fullDiskFactor = 5;

/**
 * A job that runs for as long as its lease is held. Bookings are at most a second behind the log; a reader that needs more brings them up
 * to date itself.
 */
export function bookingsJob({ store, tail, hasRoom, report, pauseMs = 250 }: BookingsJobNeeds): Job {
  return {
    name: 'bookings',
    everyMs: 1_000,
    async run(signal) {
      const stopping = AbortSignal.any([signal, tail.closing]);
      let isFailing = false;
      while (!stopping.aborted) {
        try {
          const offset = await catchUpBookings(store, { signal: stopping, hasRoom });
          isFailing = false;
          if (offset === undefined) await sleepUntilNext(pauseMs * fullDiskFactor, stopping);
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
  new SlotstreamError('refused', `The table of the bookings is not up to date (${codeOf(cause)}).`, {
    hint: 'Lists, numbers and views of bookings are behind the log. The update is retried: check that the database answers and its disk has space.',
    cause,
  });
