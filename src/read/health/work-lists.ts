// The lists that people go through: meetings without evidence that the invitee came, and forms without a booking.
import { z } from 'zod';
import { counted } from '#src/base/number-text.ts';
import { dayMs, instantOf, minuteMs } from '#src/base/time.ts';
import type { Store } from '#src/store/contract.ts';
import { countUnbooked, countUnconfirmed } from '#src/read/bookings/needs-attention.ts';

export const workList = z.strictObject({
  id: z.enum(['unconfirmed', 'unbooked']),
  count: z.int().min(0),
  sentence: z.string(),
  page: z.string().describe('The page that lists them.'),
});
type WorkList = z.output<typeof workList>;

const shownDays = 7;

/** Those with entries. */
export async function readWorkLists(store: Store, nowMs: number): Promise<readonly WorkList[]> {
  const { sinceMs, unconfirmed, unbooked } = await readWork(store, nowMs);
  const lists: readonly WorkList[] = [
    {
      id: 'unconfirmed',
      count: unconfirmed,
      sentence: `${counted(unconfirmed, 'meeting')} in the last ${shownDays} days: did the invitee come?`,
      page: '/bookings?unconfirmed=true',
    },
    {
      id: 'unbooked',
      count: unbooked,
      sentence: `${counted(unbooked, 'form')} in the last ${shownDays} days did not lead to a booking.`,
      page: `/routing?booked=false&result_type=event_type&from=${instantOf(sinceMs)}`,
    },
  ];
  return lists.filter(({ count }) => count > 0);
}

interface Work {
  readonly sinceMs: number;
  readonly unconfirmed: number;
  readonly unbooked: number;
}

/** These two join a week of meetings, and change slowly. */
const countEveryMs = 2 * minuteMs;
const works = new WeakMap<Store, { readonly atMs: number; readonly work: Promise<Work> }>();

/** Counted at most every two minutes: the lists behind them are longer only by what ended since. */
async function readWork(store: Store, nowMs: number): Promise<Work> {
  const known = works.get(store);
  if (known !== undefined && Math.abs(nowMs - known.atMs) < countEveryMs) return known.work;
  const sinceMs = nowMs - shownDays * dayMs;
  const count = async (): Promise<Work> => ({
    sinceMs,
    unconfirmed: await countUnconfirmed(store, sinceMs),
    unbooked: await countUnbooked(store, sinceMs),
  });
  const work = count();
  works.set(store, { atMs: nowMs, work });
  work.catch(() => works.delete(store));
  return work;
}
