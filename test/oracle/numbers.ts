// Numbers computed the plain way: every booking is looked at by itself, and local time is asked of the runtime each time.
import type { Json } from '#src/store/columns.ts';
import { journeysOf } from './journeys.ts';
import { localParts } from './local-time.ts';
import type { WorldRows } from '../harness/data/booking-world.ts';
import type { Contents } from '../harness/stores.ts';

interface Asked {
  readonly from: string;
  readonly to: string;
  readonly event_type?: string;
  readonly host?: string;
  readonly time_zone?: string;
  /** Of reports. */
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
const dayOf = (time: unknown, { timezone }: Asked): string => localParts(time, timezone).day ?? '';
const dayIn = (time: unknown, asked: Asked): boolean =>
  dayOf(time, asked) >= asked.from && dayOf(time, asked) <= asked.to;
const matches = (event: Event | undefined, asked: Asked): boolean =>
  (asked.event_type === undefined || event?.event_type === asked.event_type) &&
  (asked.host === undefined || (event !== undefined && hostsOf(event).includes(asked.host)));

/** The bookings of the world by the model of journeys: each has a meeting. */
const bookingsOf = (rows: WorldRows, now = ''): readonly Booking[] =>
  journeysOf(rows as unknown as Contents, now).map(
    ({ first, last, lastEvent: event, outcome }) => ({ first, last, event, outcome }) as unknown as Booking,
  );

const dailyOutcomes =
  'upcoming came no_show unknown canceled_by_invitee late_cancellation canceled_by_host canceled'.split(' ');

const missedOf = (bookings: readonly Booking[]) => {
  const noShows = bookings.filter(({ outcome }) => outcome === 'no_show').length;
  // The world has no recaps.
  const unknown = bookings.length - noShows;
  return {
    ended: bookings.length,
    came: 0,
    no_shows: noShows,
    unknown,
    rate: bookings.length < 5 ? null : noShows / bookings.length,
    rate_high: bookings.length < 5 ? null : (noShows + unknown) / bookings.length,
  };
};

/** The groups by size, then by key. */
function groupsOf(bookings: readonly Booking[], keysOf: (booking: Booking) => readonly (string | null)[]) {
  const keys = new Set(bookings.flatMap((booking) => keysOf(booking).map((key) => key ?? '')));
  return [...keys]
    .map((key) => ({ key, ...missedOf(bookings.filter((each) => keysOf(each).some((one) => (one ?? '') === key))) }))
    .toSorted((a, b) => b.ended - a.ended || (a.key < b.key ? -1 : 1));
}

export function bookingNumbersOf(rows: WorldRows, asked: Asked, now: string) {
  const bookings = bookingsOf(rows, now).filter(({ event }) => dayIn(event.start_time, asked) && matches(event, asked));
  const ended = bookings.filter(({ outcome }) => outcome === 'unknown' || outcome === 'no_show');
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
    .filter(({ outcome }) => ['unknown', 'no_show', 'upcoming'].includes(outcome))
    .map(({ event, last }) => {
      const zone =
        place === 'invitee' ? last.timezone : rows.users.find(({ uri }) => uri === hostsOf(event)[0])?.timezone;
      const local = localParts(event.start_time, zone);
      const { weekday, hour } = local.day === null ? localParts(event.start_time, asked.timezone) : local;
      return { weekday, hour: Number(hour), isKnown: local.day !== null };
    });
  const cells = Array.from({ length: 168 }, (_, index) => ({ weekday: Math.floor(index / 24) + 1, hour: index % 24 }));
  const countOf = (day: string, outcome: string) =>
    bookings.filter((each) => each.outcome === outcome && dayOf(each.event.start_time, asked) === day).length;
  return {
    from: asked.from,
    to: asked.to,
    timezone: asked.timezone,
    time_zone: place,
    bookings: bookings.length,
    ...missedOf(ended),
    days: daysOf(asked).map((day) => ({
      day,
      ended: ended.filter(({ event }) => dayOf(event.start_time, asked) === day).length,
      ...Object.fromEntries(dailyOutcomes.map((outcome) => [outcome, countOf(day, outcome)])),
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

/** Each payment once: with the last invitee of its chain, all of which carry it. */
export function revenueOf(rows: WorldRows, asked: Asked) {
  const paid = bookingsOf(rows)
    .map(({ last }) => last)
    .filter(
      ({ payment_successful, created_at, event_uri }) =>
        payment_successful === true &&
        dayIn(created_at, asked) &&
        matches(
          rows.scheduled_events.find(({ uri }) => uri === event_uri),
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
      days: [...Map.groupBy(payments, ({ created_at: time }) => dayOf(time, asked))]
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
