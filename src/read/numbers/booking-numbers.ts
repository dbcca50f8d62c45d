// Numbers about the bookings whose meetings start within a range of days.
import { sql } from 'kysely';
import { localClock } from '#src/base/time-zone.ts';
import { dayMs } from '#src/base/time.ts';
import type { Store } from '#src/store/contract.ts';
import { readColumns } from '#src/store/rows.ts';
import { readBookingFacts, type BookingFacts } from './booking-facts.ts';
import { daysFrom, rangeOf, type DayRange } from './day-range.ts';
import { Tally } from './no-show-counts.ts';

/** As many as a page can show. */
export const mostGroups = 100;

/** From so many hours before the start, up to the next. A meeting that was booked after its start counts as booked at its start. */
const leadHours = [0, 24, 48, 96, 192, 360, 720] as const;

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

export async function readBookingNumbers(store: Store, query: BookingNumbersQuery, nowMs: number) {
  const { event_type: eventType, host, time_zone: place, timezone = store.reportZone } = query;
  const { from, to, instants } = rangeOf({ ...query, timezone }, nowMs);
  const where = [
    ...(eventType === undefined ? [] : [sql`event_type = ${eventType}`]),
    ...(host === undefined ? [] : [store.engine.dialect.hasUserAmong(sql`hosts`, sql`select ${host}`)]),
  ];
  const counts = new BookingCounts(timezone, place);
  for await (const bookings of readBookingFacts(store, { ...instants, where }))
    for (const booking of bookings) counts.add(booking);
  const namedGroups = async (tally: Tally, table: 'event_types' | 'users') => {
    const groups = tally.groups().slice(0, mostGroups);
    const columns = ['uri', 'name'] as const;
    const rows = await readColumns(store, table, { columns, key: 'uri', values: groups.map(({ key }) => key) });
    const names = new Map(rows.map(({ uri, name }) => [uri, name]));
    return groups.map(({ key, name, ...numbers }) => ({ uri: key || null, name: names.get(key) ?? name, ...numbers }));
  };
  return {
    from,
    to,
    timezone,
    time_zone: place,
    bookings: counts.bookings,
    ...counts.total.of(''),
    days: daysFrom(from, to).map((day) => ({ day, ...(counts.days.get(Date.parse(day) / dayMs) ?? noOutcomes()) })),
    event_types: await namedGroups(counts.eventTypes, 'event_types'),
    hosts: await namedGroups(counts.hosts, 'users'),
    campaigns: counts.campaigns
      .groups()
      .slice(0, mostGroups)
      .map(({ key, name: _name, ...numbers }) => ({ campaign: key || null, ...numbers })),
    lead_times: leadHours.map((hours, index) => ({
      min_hours: hours,
      max_hours: leadHours[index + 1] ?? null,
      ...counts.leadTimes.of(String(index)),
    })),
    hours: counts.hours
      .map((meetings, index) => ({ weekday: Math.floor(index / 24) + 1, hour: index % 24, meetings }))
      .filter(({ meetings }) => meetings > 0),
    unknown_time_zone: counts.unknown,
  };
}

class BookingCounts {
  bookings = 0;
  /** Of `hours`: counted in UTC, because the zone is not known. */
  unknown = 0;
  /** By how many days they are after 1 January 1970. */
  readonly days = new Map<number, ReturnType<typeof noOutcomes>>();
  /** Meetings that were not canceled, by local hour of the week. */
  readonly hours: number[] = Array.from({ length: 7 * 24 }, () => 0);
  readonly total = new Tally();
  readonly eventTypes = new Tally();
  readonly hosts = new Tally();
  readonly campaigns = new Tally();
  /** By index of `leadHours`. */
  readonly leadTimes = new Tally();
  readonly #clocks = new Map<string, ReturnType<typeof localClock>>();
  readonly #timezone: string;
  readonly #place: 'host' | 'invitee';

  constructor(timezone: string, place: 'host' | 'invitee') {
    this.#timezone = timezone;
    this.#place = place;
  }

  add(booking: BookingFacts): void {
    const { minute, outcome, hosts, leadSeconds } = booking;
    if (!isOutcome(outcome)) return;
    const startMs = Date.parse(`${minute}:00Z`);
    const number = Math.floor(Number(this.#clockOf(this.#timezone)?.(startMs) ?? startMs) / dayMs);
    const day = this.days.get(number) ?? noOutcomes();
    this.days.set(number, day);
    day[outcome] += 1;
    this.bookings += 1;
    const isEnded = outcome === 'no_show' || outcome === 'held';
    if (isEnded || outcome === 'upcoming') this.#addStart(startMs, booking);
    if (!isEnded) return;
    this.total.add('', booking);
    this.eventTypes.add(booking.eventType ?? '', booking, booking.eventName);
    for (const { uri, name } of hosts) this.hosts.add(uri, booking, name);
    if (hosts.length === 0) this.hosts.add('', booking);
    this.campaigns.add(booking.campaign ?? '', booking);
    if (leadSeconds === null) return;
    const lead = leadHours.findLastIndex((hours) => leadSeconds >= hours * 3_600);
    this.leadTimes.add(String(Math.max(0, lead)), booking);
  }

  #addStart(startMs: number, { hostZone, inviteeZone }: BookingFacts): void {
    const clock = this.#clockOf((this.#place === 'host' ? hostZone : inviteeZone) ?? '');
    if (clock === undefined) this.unknown += 1;
    const local = clock?.(startMs) ?? new Date(startMs);
    const hour = ((local.getUTCDay() + 6) % 7) * 24 + local.getUTCHours();
    this.hours[hour] = (this.hours[hour] ?? 0) + 1;
  }

  #clockOf(zone: string): ReturnType<typeof localClock> {
    if (!this.#clocks.has(zone)) this.#clocks.set(zone, localClock(zone));
    return this.#clocks.get(zone);
  }
}
