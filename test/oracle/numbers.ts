// Numbers computed the plain way: every booking is looked at by itself, and local time is asked of the runtime each time.
import type { Json } from '#src/store/columns.ts';
import { written } from './local-time.ts';
import type { WorldRows } from '../harness/data/booking-world.ts';

interface Asked {
  readonly from: string;
  readonly to: string;
  readonly event_type?: string;
  readonly host?: string;
  readonly time_zone?: string;
  /** Of the days. */
  readonly timezone: string;
}

type Event = WorldRows['scheduled_events'][number];
type Invitee = WorldRows['invitees'][number];
interface Booking {
  readonly first: Invitee;
  readonly last: Invitee;
  readonly event: Event;
  readonly outcome: string;
}

const hostsOf = ({ hosts }: Event): string[] => [
  ...new Set((hosts as readonly Record<string, Json>[]).map(({ user }) => String(user))),
];
const dayOf = (time: string, { timezone }: Asked): string => written(timezone, Date.parse(time)).slice(0, 10);
const dayIn = (time: string | null | undefined, asked: Asked): boolean =>
  time != null && dayOf(time, asked) >= asked.from && dayOf(time, asked) <= asked.to;
const matches = (event: Event | undefined, asked: Asked): boolean =>
  (asked.event_type === undefined || event?.event_type === asked.event_type) &&
  (asked.host === undefined || (event !== undefined && hostsOf(event).includes(asked.host)));

function bookingsOf({ scheduled_events: events, invitees }: WorldRows, asked: Asked, now: string): Booking[] {
  return invitees.flatMap((last) => {
    const event = events.find(({ uri }) => uri === last.event_uri);
    if (event === undefined || last.new_invitee !== null || !dayIn(event.start_time, asked) || !matches(event, asked))
      return [];
    let first = last;
    for (
      let before: Invitee | undefined = last;
      before;
      before = invitees.find(({ uri }) => uri === before?.old_invitee)
    )
      first = before;
    return [{ first, last, event, outcome: outcomeOf(last, event, now) }];
  });
}

function outcomeOf(last: Invitee, event: Event, now: string): string {
  if (event.status === 'canceled') return 'canceled_by_host';
  if (last.status === 'canceled') {
    const notice = Date.parse(String(event.start_time)) - Date.parse(String(last.canceled_at));
    if (last.canceler_type === 'host') return 'canceled_by_host';
    if (last.canceler_type !== 'invitee') return 'canceled';
    return notice < 86_400_000 ? 'late_cancellation' : 'canceled_by_invitee';
  }
  if (last.no_show_at) return 'no_show';
  return String(event.end_time) <= now ? 'held' : 'upcoming';
}

const missedOf = (bookings: readonly Booking[]) => {
  const noShows = bookings.filter(({ outcome }) => outcome === 'no_show').length;
  // The world has no recaps.
  const unconfirmed = bookings.length - noShows;
  return {
    meetings: bookings.length,
    no_shows: noShows,
    unconfirmed,
    rate: bookings.length < 5 ? null : noShows / bookings.length,
    rate_high: bookings.length < 5 ? null : (noShows + unconfirmed) / bookings.length,
  };
};

/** The groups by size, then by key. */
function groupsOf(bookings: readonly Booking[], keysOf: (booking: Booking) => readonly (string | null)[]) {
  const keys = new Set(bookings.flatMap((booking) => keysOf(booking).map((key) => key ?? '')));
  return [...keys]
    .map((key) => ({ key, ...missedOf(bookings.filter((each) => keysOf(each).some((one) => (one ?? '') === key))) }))
    .toSorted((a, b) => b.meetings - a.meetings || (a.key < b.key ? -1 : 1));
}

const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

function localHour(time: string, zone: string | null | undefined) {
  const options = { weekday: 'short', hour: '2-digit', hourCycle: 'h23' } as const;
  const write = (timeZone: string) =>
    new Intl.DateTimeFormat('en', { ...options, timeZone }).formatToParts(Date.parse(time));
  let parts: Intl.DateTimeFormatPart[];
  let isKnown = true;
  try {
    parts = write(zone || 'nowhere');
  } catch {
    parts = write('UTC');
    isKnown = false;
  }
  const part = (type: string) => parts.find((each) => each.type === type)?.value ?? '';
  return { weekday: weekdays.indexOf(part('weekday')) + 1, hour: Number(part('hour')), isKnown };
}

export function bookingNumbersOf(rows: WorldRows, asked: Asked, now: string) {
  const bookings = bookingsOf(rows, asked, now);
  const ended = bookings.filter(({ outcome }) => outcome === 'held' || outcome === 'no_show');
  const place = asked.time_zone ?? 'host';
  const nameOf = (table: 'event_types' | 'users', uri: string, other: string | null) =>
    rows[table].find((row) => row.uri === uri)?.name ?? (uri === '' ? null : other);
  const named = (groups: ReturnType<typeof groupsOf>, table: 'event_types' | 'users') =>
    groups.map(({ key, ...numbers }) => ({
      uri: key || null,
      name: nameOf(table, key, table === 'users' ? `Host ${key.at(-1)}` : 'Meeting'),
      ...numbers,
    }));
  const bounds = [0, 24, 48, 96, 192, 360, 720, Infinity];
  const leadOf = ({ first, event }: Booking) =>
    (Date.parse(String(event.start_time)) - Date.parse(String(first.created_at))) / 3_600_000;
  const starts = bookings
    .filter(({ outcome }) => ['held', 'no_show', 'upcoming'].includes(outcome))
    .map(({ event, last }) => {
      const zone =
        place === 'invitee' ? last.timezone : rows.users.find(({ uri }) => uri === hostsOf(event)[0])?.timezone;
      return localHour(String(event.start_time), zone);
    });
  const cells = Array.from({ length: 168 }, (_, index) => ({ weekday: Math.floor(index / 24) + 1, hour: index % 24 }));
  const countOf = (day: string, outcome: string) =>
    bookings.filter((each) => each.outcome === outcome && dayOf(String(each.event.start_time), asked) === day).length;
  return {
    from: asked.from,
    to: asked.to,
    timezone: asked.timezone,
    time_zone: place,
    bookings: bookings.length,
    ...missedOf(ended),
    days: daysOf(asked).map((day) => ({
      day,
      held: countOf(day, 'held'),
      no_show: countOf(day, 'no_show'),
      upcoming: countOf(day, 'upcoming'),
      canceled_by_host: countOf(day, 'canceled_by_host'),
      canceled_by_invitee: countOf(day, 'canceled_by_invitee'),
      late_cancellation: countOf(day, 'late_cancellation'),
      canceled: countOf(day, 'canceled'),
    })),
    event_types: named(
      groupsOf(ended, ({ event }) => [event.event_type ?? null]),
      'event_types',
    ),
    hosts: named(
      groupsOf(ended, ({ event }) => (hostsOf(event).length > 0 ? hostsOf(event) : [null])),
      'users',
    ),
    campaigns: groupsOf(ended, ({ first }) => [first.utm_campaign ?? null]).map(({ key, ...numbers }) => ({
      campaign: key || null,
      ...numbers,
    })),
    lead_times: bounds.slice(0, -1).map((min, index) => {
      const max = bounds[index + 1] ?? Infinity;
      const within = ended.filter(
        (each) => leadOf(each) < max && (leadOf(each) >= min || (min === 0 && leadOf(each) < 0)),
      );
      return { min_hours: min, max_hours: max === Infinity ? null : max, ...missedOf(within) };
    }),
    hours: cells
      .map(({ weekday, hour }) => ({
        weekday,
        hour,
        meetings: starts.filter((each) => each.weekday === weekday && each.hour === hour).length,
      }))
      .filter(({ meetings }) => meetings > 0),
    unknown_time_zone: starts.filter(({ isKnown }) => !isKnown).length,
  };
}

function daysOf({ from, to }: Asked): string[] {
  const days: string[] = [];
  for (let at = Date.parse(from); at <= Date.parse(to); at += 86_400_000)
    days.push(new Date(at).toISOString().slice(0, 10));
  return days;
}

/** Each payment once: with the first booking of its chain. */
export function revenueOf({ scheduled_events: events, invitees }: WorldRows, asked: Asked) {
  const paid = invitees.filter(
    ({ old_invitee, payment_successful, created_at, event_uri }) =>
      old_invitee === null &&
      payment_successful === true &&
      dayIn(created_at, asked) &&
      matches(
        events.find(({ uri }) => uri === event_uri),
        asked,
      ),
  );
  const sumOf = (payments: readonly Invitee[]) => ({
    payments: payments.length,
    amount: Math.round(payments.reduce((sum, { payment_amount: amount }) => sum + Number(amount), 0) * 10_000) / 10_000,
  });
  const currencies = [...Map.groupBy(paid, ({ payment_currency: currency }) => currency ?? null)].map(
    ([currency, payments]) => ({
      currency,
      ...sumOf(payments),
      days: [...Map.groupBy(payments, ({ created_at: time }) => dayOf(String(time), asked))]
        .map(([day, those]) => ({ day, ...sumOf(those) }))
        .toSorted((a, b) => (a.day < b.day ? -1 : 1)),
    }),
  );
  return {
    from: asked.from,
    to: asked.to,
    timezone: asked.timezone,
    currencies: currencies.toSorted(
      (a, b) => b.payments - a.payments || (String(a.currency) < String(b.currency) ? -1 : 1),
    ),
  };
}
