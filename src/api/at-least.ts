// `at_least`: an answer about bookings contains all that the log has up to an entry. Without it, it may be about a second behind.
import { z } from 'zod';
import { titledError } from '#src/http/http-error.ts';
import { wholeNumber } from '#src/http/request.ts';
import { bookingsAtLeast, readBookingsState } from '#src/store/bookings/booking-follower.ts';
import { lastSeq } from '#src/store/log/read.ts';
import type { ApiContext } from './api-operation.ts';

/** The parameter, for operations that answer from the table of bookings. */
export const atLeast = {
  at_least: wholeNumber(0, Number.MAX_SAFE_INTEGER)
    .optional()
    .describe(
      'The `seq` of an entry of the log: the answer contains everything up to it. Without it, the answer may be about a second behind the log.',
    ),
};

const checkedQuery = z.object({ at_least: z.number().optional() }).catch({});

/** How long a request waits for an entry that the log does not have yet. */
const longestWaitMs = 3_000;

/** Brings the bookings up to the entry that the query names, where it names one. */
export async function reachEntry({ store, tail }: Pick<ApiContext, 'store' | 'tail'>, query: unknown): Promise<void> {
  const { at_least: seq } = checkedQuery.parse(query);
  if (seq === undefined) return;
  const signal = AbortSignal.timeout(longestWaitMs);
  if ((await lastSeq(store)) < seq) await tail.beyond(seq - 1, signal);
  const end = await lastSeq(store);
  if (end < seq)
    throw titledError(
      503,
      `The log ends with entry ${end}: it has no entry ${seq} yet. Ask again, or with a smaller at_least.`,
    );
  if ((await bookingsAtLeast(store, seq, { signal })) === undefined)
    throw titledError(503, `The bookings are being brought up to entry ${seq} of the log. Ask again.`);
}

/** Brings the bookings up to the newest entry of the log, as far as that is soon done. Returns the entry that they contain. */
export async function reachEnd({ store }: Pick<ApiContext, 'store'>): Promise<number> {
  const seq = await lastSeq(store);
  // A page that is a little behind is better than none.
  const signal = AbortSignal.timeout(longestWaitMs);
  const reached = await bookingsAtLeast(store, seq, { signal }).catch(() => undefined);
  return Math.min(seq, reached ?? (await readBookingsState(store))?.offset ?? 0);
}
