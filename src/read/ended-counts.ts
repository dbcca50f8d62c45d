// How many bookings ended, and how: in all or by a key.
import type { BookingCount } from './booking-counts.ts';

export interface EndedCounts {
  /** `came`, `no_shows` and `unknown` together. */
  readonly ended: number;
  readonly came: number;
  readonly no_shows: number;
  /** Nothing shows that the invitee came. */
  readonly unknown: number;
  /** Null for too few: one more would change it a lot. */
  readonly rate: number | null;
  /** If none of the unknown came. */
  readonly rate_high: number | null;
}

export type EndedGroup = EndedCounts & { readonly key: string; readonly name: string | null };

/** A share of fewer bookings than these says little. */
export const fewestEnded = 5;

export const endedCounts = (ended: number, noShows: number, unknown = 0): EndedCounts => ({
  ended,
  came: ended - noShows - unknown,
  no_shows: noShows,
  unknown,
  rate: ended < fewestEnded ? null : noShows / ended,
  rate_high: ended < fewestEnded ? null : (noShows + unknown) / ended,
});

type Counted = Pick<BookingCount, 'key' | 'name' | 'outcome' | 'bookings' | 'ended'>;

export class Tally {
  readonly #sums = new Map<string, { name: string | null; ended: number; noShows: number; unknown: number }>();

  add({ key, name, outcome, bookings, ended }: Counted, under = key): void {
    const sum = this.#sums.get(under) ?? { name, ended: 0, noShows: 0, unknown: 0 };
    this.#sums.set(under, sum);
    // Any will do, but always the same.
    if (name !== null && name > (sum.name ?? '')) sum.name = name;
    sum.ended += ended;
    if (outcome === 'no_show') sum.noShows += bookings;
    if (outcome === 'unknown') sum.unknown += bookings;
  }

  of(key: string): EndedCounts {
    const { ended = 0, noShows = 0, unknown = 0 } = this.#sums.get(key) ?? {};
    return endedCounts(ended, noShows, unknown);
  }

  sum(): EndedCounts {
    const all = [...this.#sums.keys()].map((key) => this.of(key));
    const add = (name: 'ended' | 'no_shows' | 'unknown') => all.reduce((sum, counts) => sum + counts[name], 0);
    return endedCounts(add('ended'), add('no_shows'), add('unknown'));
  }

  /** Most bookings first; among equals in the order of their keys. */
  groups(): readonly EndedGroup[] {
    return [...this.#sums]
      .map(([key, { name }]) => ({ key, name: key === '' ? null : name, ...this.of(key) }))
      .toSorted((a, b) => b.ended - a.ended || (a.key < b.key ? -1 : 1));
  }
}
