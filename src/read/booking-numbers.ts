// Numbers about the bookings whose meetings start within a range of days: columns of the view `bookings`, counted.
import { sql } from 'kysely';
import { instantOf } from '#src/base/time.ts';
import { longestMeetingMs } from '#src/read/bookings/needs-attention.ts';
import { canceledOutcomes, activeOutcomes } from '#src/store/bookings/words.ts';
import type { Readable, ReadableMirror, Store } from '#src/store/contract.ts';
import { countBookings, leadHours, type BookingSelection, type Grouping } from './booking-counts.ts';
import { daysFrom, rangeOf, type DayRange } from './day-range.ts';
import { Tally, type EndedCounts, type EndedGroup } from './ended-counts.ts';

/** As many as a page can show. */
const mostGroups = 100;

/** Every outcome but `moved`. */
const countedOutcomes = [...activeOutcomes, ...canceledOutcomes] as const;
type CountedOutcome = (typeof countedOutcomes)[number];
const isCounted = (outcome: string): outcome is CountedOutcome => countedOutcomes.some((each) => each === outcome);
type DayCounts = Record<'ended' | CountedOutcome, number>;
const emptyDay = (): DayCounts => ({
  ended: 0,
  upcoming: 0,
  came: 0,
  no_show: 0,
  unknown: 0,
  canceled_by_invitee: 0,
  late_cancellation: 0,
  canceled_by_host: 0,
  canceled: 0,
});

export interface NumbersQuery extends DayRange {
  readonly event_type?: string | undefined;
  /** One of the hosts of a meeting. */
  readonly host?: string | undefined;
}

export interface BookingNumbersQuery extends NumbersQuery {
  /** Whose local time `hours` are in. */
  readonly time_zone: 'host' | 'invitee';
}

/** Of a row that has `event_type` and `hosts`. */
export const ofMeetings = ({ engine }: Pick<Store, 'engine'>, { event_type: eventType, host }: NumbersQuery) => [
  ...(eventType === undefined ? [] : [sql`event_type = ${eventType}`]),
  ...(host === undefined ? [] : [engine.dialect.hasUserAmong(sql`hosts`, sql`select ${host}`)]),
];

/** Only the sums. */
export async function readEndedCounts(store: ReadableMirror, query: NumbersQuery, nowMs: number): Promise<EndedCounts> {
  const { instants } = rangeOf(store.settings.reportTimezone, query, nowMs);
  const total = new Tally();
  for await (const counts of countBookings(store, { ...instants, where: ofMeetings(store, query) }, ['day']))
    for (const count of counts) total.add(count, '');
  return total.of('');
}

export type BookingNumbers = Awaited<ReturnType<typeof readBookingNumbers>>;

/**
 * About the bookings whose meetings start within the range. A rescheduled booking counts once, at the time it was moved to; its lead time and
 * campaign are those of the first booking. Every host of a meeting counts.
 */
export async function readBookingNumbers(store: ReadableMirror, query: BookingNumbersQuery, nowMs: number) {
  const { time_zone: zoneOf } = query;
  const { instants, ...range } = rangeOf(store.settings.reportTimezone, query, nowMs);
  const tallies = { event_type: new Tally(), host: new Tally(), campaign: new Tally(), lead_time: new Tally() };
  const total = new Tally();
  const days = new Map<string, DayCounts>();
  const hours = Array.from({ length: 7 * 24 }, () => 0);
  let [bookings, unknown] = [0, 0];
  const groupings = ['day', 'hour', 'event_type', 'host', 'campaign', 'lead_time'] as const;
  const selection = { ...instants, where: ofMeetings(store, query), zoneOf };
  for await (const counts of countBookings(store, selection, groupings))
    for (const count of counts)
      if (count.by === 'hour') {
        hours[Number(count.key)] = (hours[Number(count.key)] ?? 0) + count.bookings;
        if (count.name === 'unknown') unknown += count.bookings;
      } else if (count.by === 'day') {
        const day = days.get(count.key) ?? emptyDay();
        days.set(count.key, day);
        if (isCounted(count.outcome)) day[count.outcome] += count.bookings;
        day.ended += count.ended;
        bookings += count.bookings;
        total.add(count, '');
      } else if (count.by !== 'source') tallies[count.by].add(count);
  const named = (tally: Tally) =>
    tally
      .groups()
      .slice(0, mostGroups)
      .map(({ key, ...numbers }) => ({ uri: key || null, ...numbers }));
  return {
    ...range,
    time_zone: zoneOf,
    bookings,
    ...total.of(''),
    days: daysFrom(range.from, range.to).map((day) => ({ day, ...(days.get(day) ?? emptyDay()) })),
    event_types: named(tallies.event_type),
    hosts: named(tallies.host),
    campaigns: tallies.campaign
      .groups()
      .slice(0, mostGroups)
      .map(({ key, name: _name, ...numbers }) => ({ campaign: key || null, ...numbers })),
    lead_times: leadHours.map((minHours, index) => ({
      min_hours: minHours,
      max_hours: leadHours[index + 1] ?? null,
      ...tallies.lead_time.of(String(index)),
    })),
    hours: hours
      .map((meetings, index) => ({ weekday: Math.floor(index / 24) + 1, hour: index % 24, meetings }))
      .filter(({ meetings }) => meetings > 0),
    unknown_time_zone: unknown,
  };
}

export interface SummaryCounts {
  readonly all: EndedCounts;
  /** Most meetings first. Every host of a meeting counts. */
  readonly hosts: readonly EndedGroup[];
  /** By `utm_source`, which is empty where there is none. */
  readonly sources: readonly EndedGroup[];
}

/** Of the meetings that start within a range of days. */
export async function readSummaryCounts(
  { db, engine }: Readable,
  { timezone, ...days }: DayRange & { readonly timezone: string },
): Promise<SummaryCounts> {
  const { instants } = rangeOf(timezone, days, 0);
  const of = await tally({ db, engine }, { ...instants, where: [] }, ['host', 'source']);
  return { all: of('source').sum(), hosts: of('host').groups(), sources: of('source').groups() };
}

/** The bookings that ended within a window, by the event type or by each of the hosts. */
export async function readEndedWithin(
  { db, engine }: Readable,
  { by, from, to }: { readonly by: 'event_type' | 'host'; readonly from: string; readonly to: string },
): Promise<readonly EndedGroup[]> {
  const { time } = engine.dialect;
  // Starts have an index.
  const starts = { from: instantOf(Date.parse(from) - longestMeetingMs), to };
  const where = [sql`ended_at > ${time(from)} and ended_at <= ${time(to)}`];
  const of = await tally({ db, engine }, { ...starts, where }, [by]);
  return of(by)
    .groups()
    .filter(({ key }) => key !== '')
    .toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

async function tally(
  store: Readable,
  selection: BookingSelection,
  groupings: readonly Grouping[],
): Promise<(by: Grouping) => Tally> {
  const tallies = new Map(groupings.map((by) => [by, new Tally()]));
  for await (const counts of countBookings(store, selection, groupings))
    for (const count of counts) tallies.get(count.by)?.add(count);
  return (by) => tallies.get(by) ?? new Tally();
}
