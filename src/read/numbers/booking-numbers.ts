// Numbers about the bookings whose meetings start within a range of days.
import { sql } from 'kysely';
import { dayMs } from '#src/base/time.ts';
import type { Store } from '#src/store/contract.ts';
import { countBookings, firstDay, leadHours } from './booking-counts.ts';
import { daysFrom, rangeOf, type DayRange } from './day-range.ts';
import { Tally, type NoShowCounts } from './no-show-counts.ts';

/** As many as a page can show. */
export const mostGroups = 100;

const noOutcomes = () => ({
  held: 0,
  no_show: 0,
  upcoming: 0,
  canceled_by_host: 0,
  canceled_by_invitee: 0,
  late_cancellation: 0,
  canceled: 0,
});
export type Outcome = keyof ReturnType<typeof noOutcomes>;
const outcomes: ReadonlySet<string> = new Set(Object.keys(noOutcomes()));
const isOutcome = (text: string): text is Outcome => outcomes.has(text);

export interface BookingNumbersQuery extends DayRange {
  /** Whose local time `hours` are in. */
  readonly time_zone: 'host' | 'invitee';
}

function selectionOf({ engine, settings }: Store, query: DayRange, nowMs: number) {
  const { event_type: eventType, host, timezone = settings.reportTimezone } = query;
  const { from, to, instants } = rangeOf({ ...query, timezone }, nowMs);
  const where = [
    ...(eventType === undefined ? [] : [sql`event_type = ${eventType}`]),
    ...(host === undefined ? [] : [engine.dialect.hasUserAmong(sql`hosts`, sql`select ${host}`)]),
  ];
  return { from, to, timezone, bookings: { ...instants, where, timezone } };
}

/** Only the sums. */
export async function readNoShowCounts(store: Store, query: DayRange, nowMs: number): Promise<NoShowCounts> {
  const total = new Tally();
  for await (const counts of countBookings(store, selectionOf(store, query, nowMs).bookings, ['campaign']))
    for (const count of counts) total.add({ ...count, key: '' });
  return total.of('');
}

export async function readBookingNumbers(store: Store, query: BookingNumbersQuery, nowMs: number) {
  const { time_zone: zoneOf } = query;
  const { from, to, timezone, bookings: selection } = selectionOf(store, query, nowMs);
  const tallies = { event_type: new Tally(), host: new Tally(), campaign: new Tally(), lead_time: new Tally() };
  const total = new Tally();
  const days = new Map<number, ReturnType<typeof noOutcomes>>();
  const hours = Array.from({ length: 7 * 24 }, () => 0);
  let [bookings, unknown] = [0, 0];
  const groupings = ['day', 'hour', 'event_type', 'host', 'campaign', 'lead_time'] as const;
  for await (const counts of countBookings(store, { ...selection, zoneOf }, groupings))
    for (const count of counts)
      if (count.by === 'hour') {
        hours[Number(count.key)] = (hours[Number(count.key)] ?? 0) + count.bookings;
        if (count.name === 'UTC') unknown += count.bookings;
      } else if (count.by !== 'day' && count.by !== 'source') tallies[count.by].add(count);
      else if (isOutcome(count.outcome)) {
        const day = days.get(Number(count.key)) ?? noOutcomes();
        days.set(Number(count.key), day);
        day[count.outcome] += count.bookings;
        bookings += count.bookings;
        if (count.outcome === 'held' || count.outcome === 'no_show') total.add({ ...count, key: '' });
      }
  const dayNumber = (day: string): number => (Date.parse(day) - Date.parse(firstDay)) / dayMs;
  const named = (tally: Tally) =>
    tally
      .groups()
      .slice(0, mostGroups)
      .map(({ key, ...numbers }) => ({ uri: key || null, ...numbers }));
  return {
    from,
    to,
    timezone,
    time_zone: zoneOf,
    bookings,
    ...total.of(''),
    days: daysFrom(from, to).map((day) => ({ day, ...(days.get(dayNumber(day)) ?? noOutcomes()) })),
    event_types: named(tallies.event_type),
    hosts: named(tallies.host),
    campaigns: tallies.campaign
      .groups()
      .slice(0, mostGroups)
      .map(({ key, name: _name, ...numbers }) => ({ campaign: key || null, ...numbers })),
    lead_times: leadHours.map((hours, index) => ({
      min_hours: hours,
      max_hours: leadHours[index + 1] ?? null,
      ...tallies.lead_time.of(String(index)),
    })),
    hours: hours
      .map((meetings, index) => ({ weekday: Math.floor(index / 24) + 1, hour: index % 24, meetings }))
      .filter(({ meetings }) => meetings > 0),
    unknown_time_zone: unknown,
  };
}
