// Adds bookings up: by day and outcome, by what may explain a no-show, and by local weekday and hour.
import { isUtc, localClock } from '#src/base/time-zone.ts';
import { dayOf } from '#src/base/time.ts';
import type { BookingFacts } from '#src/read/numbers/booking-facts.ts';

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

/** From so many hours before the start, up to the next. */
export const leadHours = [0, 24, 48, 96, 192, 360, 720] as const;

/** Counts by a key. */
class Tally {
  readonly meetings = new Map<string, number>();
  readonly noShows = new Map<string, number>();
  readonly unconfirmed = new Map<string, number>();

  add(key: string, { outcome, isUnconfirmed }: Pick<BookingFacts, 'outcome' | 'isUnconfirmed'>): void {
    this.meetings.set(key, (this.meetings.get(key) ?? 0) + 1);
    if (outcome === 'no_show') this.noShows.set(key, (this.noShows.get(key) ?? 0) + 1);
    if (isUnconfirmed) this.unconfirmed.set(key, (this.unconfirmed.get(key) ?? 0) + 1);
  }

  of = (key: string): NoShowCounts =>
    missedOf(this.meetings.get(key) ?? 0, this.noShows.get(key) ?? 0, this.unconfirmed.get(key) ?? 0);

  /** Most meetings first; among equals in the order of their keys. */
  entries(): readonly (readonly [string, NoShowCounts])[] {
    return [...this.meetings.keys()]
      .map((key) => [key, this.of(key)] as const)
      .toSorted(([a, one], [b, other]) => other.meetings - one.meetings || (a < b ? -1 : 1));
  }
}

export interface BookingCounts {
  readonly total: NoShowCounts;
  readonly bookings: number;
  readonly days: ReadonlyMap<string, OutcomeCounts>;
  /** By URI or name; empty where it is not known. */
  readonly eventTypes: Tally;
  readonly hosts: Tally;
  readonly campaigns: Tally;
  /** By index of `leadHours`. */
  readonly leadTimes: Tally;
  /** The meetings that were not canceled: their minutes in UTC by the zone, or by the host whose zone it is. */
  readonly starts: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** Names that meetings have for event types and hosts. */
  readonly names: ReadonlyMap<string, string>;
}

export const noOutcomes = () => ({
  held: 0,
  no_show: 0,
  upcoming: 0,
  canceled_by_host: 0,
  canceled_by_invitee: 0,
  late_cancellation: 0,
  canceled: 0,
});
type OutcomeCounts = ReturnType<typeof noOutcomes>;
export type Outcome = keyof OutcomeCounts;
const outcomes: ReadonlySet<string> = new Set(Object.keys(noOutcomes()));
const isOutcome = (text: string): text is Outcome => outcomes.has(text);

const msOf = (minute: string): number => Date.parse(`${minute}:00Z`);

/** The function from minutes in UTC (`2026-11-16T09:30`) to days in a zone. */
export function dayReader(zone: string): (minute: string) => string {
  const clock = isUtc(zone) ? undefined : localClock(zone);
  return (minute) => (clock === undefined ? minute.slice(0, 10) : dayOf(clock(msOf(minute))));
}

/** `zoneBy` says whose clock the starts are grouped by, `timezone` in which zone days are. */
export async function countBookings(
  pages: AsyncIterable<readonly BookingFacts[]>,
  { zoneBy, timezone }: { readonly zoneBy: 'host' | 'invitee'; readonly timezone: string },
): Promise<BookingCounts> {
  const dayIn = dayReader(timezone);
  const days = new Map<string, OutcomeCounts>();
  const starts = new Map<string, Map<string, number>>();
  const names = new Map<string, string>();
  const [total, eventTypes, hosts, campaigns, leadTimes] = [
    new Tally(),
    new Tally(),
    new Tally(),
    new Tally(),
    new Tally(),
  ];
  let bookings = 0;
  for await (const page of pages)
    for (const booking of page) {
      const { minute, outcome, eventType, hosts: hosting, leadSeconds } = booking;
      if (!isOutcome(outcome)) continue;
      bookings += 1;
      const date = dayIn(minute);
      const day = days.get(date) ?? noOutcomes();
      day[outcome] += 1;
      days.set(date, day);
      if (eventType !== null && booking.name !== null && !names.has(eventType)) names.set(eventType, booking.name);
      for (const { uri, name } of hosting) if (name !== null && !names.has(uri)) names.set(uri, name);
      const isEnded = outcome === 'no_show' || outcome === 'held';
      if (isEnded || outcome === 'upcoming') {
        const zone = (zoneBy === 'host' ? hosting[0]?.uri : booking.zone) ?? '';
        const minutes = starts.get(zone) ?? new Map<string, number>();
        minutes.set(minute, (minutes.get(minute) ?? 0) + 1);
        starts.set(zone, minutes);
      }
      if (!isEnded) continue;
      total.add('', booking);
      eventTypes.add(eventType ?? '', booking);
      for (const { uri } of hosting) hosts.add(uri, booking);
      if (hosting.length === 0) hosts.add('', booking);
      campaigns.add(booking.campaign ?? '', booking);
      if (leadSeconds !== null) leadTimes.add(String(leadIndex(leadSeconds)), booking);
    }
  return { total: total.of(''), bookings, days, eventTypes, hosts, campaigns, leadTimes, starts, names };
}

/** A meeting that was booked after its start counts as booked at its start. */
const leadIndex = (seconds: number): number =>
  Math.max(
    0,
    leadHours.findLastIndex((hours) => seconds >= hours * 3_600),
  );

export interface LocalHours {
  readonly hours: readonly { readonly weekday: number; readonly hour: number; readonly meetings: number }[];
  /** Meetings whose zone is not known; they are counted in UTC. */
  readonly unknown: number;
}

/** The starts by local weekday and hour. `zoneOf` answers the name of the zone of a key, undefined where it is not known. */
export function byLocalHour(
  starts: BookingCounts['starts'],
  zoneOf: (key: string) => string | null | undefined,
): LocalHours {
  const meetings = Array.from({ length: 7 * 24 }, () => 0);
  let unknown = 0;
  for (const [key, minutes] of starts) {
    const zone = zoneOf(key);
    const clock = zone ? localClock(zone) : undefined;
    for (const [minute, count] of minutes) {
      if (clock === undefined) unknown += count;
      const local = clock?.(msOf(minute)) ?? new Date(msOf(minute));
      const index = ((local.getUTCDay() + 6) % 7) * 24 + local.getUTCHours();
      meetings[index] = (meetings[index] ?? 0) + count;
    }
  }
  const hours = meetings.map((count, index) => ({
    weekday: Math.floor(index / 24) + 1,
    hour: index % 24,
    meetings: count,
  }));
  return { hours: hours.filter((each) => each.meetings > 0), unknown };
}
