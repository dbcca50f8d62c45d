// How many of the meetings that ended were missed, in all or by a key.
import type { BookingCount } from './booking-counts.ts';

/** Bookings that ended with a meeting, and those among them that the invitee missed. */
export interface NoShowCounts {
  readonly meetings: number;
  readonly no_shows: number;
  /** Held, but nothing shows that the invitee came. */
  readonly unconfirmed: number;
  /** Null for too few meetings: one more would change it a lot. */
  readonly rate: number | null;
  /** If no invitee came without evidence. */
  readonly rate_high: number | null;
}

/** A share of fewer meetings than these says little. */
export const fewestMeetings = 5;

export const missedOf = (meetings: number, noShows: number, unconfirmed = 0): NoShowCounts => ({
  meetings,
  no_shows: noShows,
  unconfirmed,
  rate: meetings < fewestMeetings ? null : noShows / meetings,
  rate_high: meetings < fewestMeetings ? null : (noShows + unconfirmed) / meetings,
});

export class Tally {
  readonly #sums = new Map<string, { name: string | null; meetings: number; noShows: number; unconfirmed: number }>();

  add({ key, name, outcome, bookings, unconfirmed }: Omit<BookingCount, 'by'>): void {
    const sum = this.#sums.get(key) ?? { name, meetings: 0, noShows: 0, unconfirmed: 0 };
    this.#sums.set(key, sum);
    // Any will do, but always the same.
    if (name !== null && name > (sum.name ?? '')) sum.name = name;
    sum.meetings += bookings;
    sum.noShows += outcome === 'no_show' ? bookings : 0;
    sum.unconfirmed += unconfirmed;
  }

  of(key: string): NoShowCounts {
    const { meetings = 0, noShows = 0, unconfirmed = 0 } = this.#sums.get(key) ?? {};
    return missedOf(meetings, noShows, unconfirmed);
  }

  /** Most meetings first; among equals in the order of their keys. */
  groups(): readonly (NoShowCounts & { readonly key: string; readonly name: string | null })[] {
    return [...this.#sums]
      .map(([key, { name }]) => ({ key, name: key === '' ? null : name, ...this.of(key) }))
      .toSorted((a, b) => b.meetings - a.meetings || (a.key < b.key ? -1 : 1));
  }
}
