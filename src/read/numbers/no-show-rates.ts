// The share of bookings that ended within a time window and were no-shows, by event type or by host.
import { sql } from 'kysely';
import { instantOf } from '#src/base/time.ts';
import type { Store } from '#src/store/contract.ts';
import { longestMeetingMs } from '#src/read/bookings/needs-attention.ts';
import { countBookings } from './booking-counts.ts';
import { Tally } from './no-show-counts.ts';

export interface RateWindow {
  readonly by: 'event_type' | 'host';
  readonly from: string;
  readonly to: string;
}

export interface NoShowRate {
  readonly uri: string;
  readonly ended: number;
  readonly noShows: number;
}

/** Canceled and rescheduled bookings never ended. Every host of a meeting counts, once. */
export async function noShowRates(store: Store, { by, from, to }: RateWindow): Promise<readonly NoShowRate[]> {
  const { time } = store.engine.dialect;
  const starts = { from: instantOf(Date.parse(from) - longestMeetingMs), to };
  const where = [sql`end_time > ${time(from)} and end_time <= ${time(to)}`];
  const tally = new Tally();
  for await (const counts of countBookings(store, { ...starts, where }, [by]))
    for (const count of counts) if (count.key !== '') tally.add(count);
  return tally
    .groups()
    .map(({ key, meetings, no_shows: noShows }) => ({ uri: key, ended: meetings, noShows }))
    .toSorted((a, b) => (a.uri < b.uri ? -1 : 1));
}
