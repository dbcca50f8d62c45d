// Numbers about bookings and payments within a range of days.
import { z } from 'zod';
import { uri } from '#schemas/wire.ts';
import { dayMs, dayOf, instantOf } from '#src/base/time.ts';
import { defineOperation } from '#src/api/api-operation.ts';
import { readBookings, type NumbersRange } from '#src/store/booking-facts.ts';
import { readPayments } from '#src/store/booking-payments.ts';
import type { Store } from '#src/store/contract.ts';
import { readColumns } from '#src/store/rows.ts';
import {
  byLocalHour,
  countBookings,
  fewestMeetings,
  leadHours,
  noOutcomes,
  type BookingCounts,
  type Outcome,
} from './booking-counts.ts';

const defaultDays = 90;
/** Five years. */
const mostDays = 1_830;
/** As many as a page can show. */
const mostGroups = 100;

const day = z.iso.date();
/** Every day of a range that begins or ends with one of these has a year of four digits. */
const askedDay = day.refine((text) => text > '1900' && text < '9999', 'a day from 1900 to 9998');
const rangeQuery = z.strictObject({
  days: z.coerce
    .number()
    .int()
    .min(1)
    .max(mostDays)
    .default(defaultDays)
    .describe('How many days, the last one included; without effect where `from` is given.'),
  from: askedDay.optional().describe('The first day, in UTC.'),
  to: askedDay.optional().describe('The last day, in UTC; today when absent.'),
  event_type: uri.optional().describe('The URI of an event type.'),
  host: uri.optional().describe('The URI of one of the hosts.'),
});

const inRange = <Query extends z.ZodType<z.output<typeof rangeQuery>>>(query: Query) =>
  query.check(({ value: { from, to }, issues }) => {
    if (from === undefined || to === undefined) return;
    const days = daysBetween(from, to);
    const message = days < 1 ? 'has to be the first day or later' : `at most ${mostDays} days after \`from\``;
    if (days < 1 || days > mostDays) issues.push({ code: 'custom', path: ['to'], message, input: to });
  });

const missed = {
  meetings: z.int().describe('Bookings that were held or missed.'),
  no_shows: z.int(),
  unconfirmed: z.int().describe('Held, but no recap or transcript shows that the invitee came.'),
  rate: z
    .number()
    .nullable()
    .describe(`\`no_shows\` of \`meetings\`, from 0 to 1; null for fewer than ${fewestMeetings} meetings.`),
  rate_high: z
    .number()
    .nullable()
    .describe('`no_shows` and `unconfirmed` of `meetings`: the rate if no invitee came without evidence.'),
};
const named = z.strictObject({
  uri: z.string().nullable().describe('Null where it is not known.'),
  name: z.string().nullable(),
  ...missed,
});
const count = z.int();
const outcomeCounts = {
  held: count,
  no_show: count,
  upcoming: count,
  canceled_by_host: count,
  canceled_by_invitee: count,
  late_cancellation: count,
  canceled: count,
} satisfies Record<Outcome, unknown>;
const range = { from: day, to: day };

const bookingNumbers = z
  .strictObject({
    ...range,
    time_zone: z.enum(['host', 'invitee']),
    bookings: z.int(),
    ...missed,
    days: z.array(z.strictObject({ day, ...outcomeCounts })).describe('Every day of the range, in order.'),
    event_types: z.array(named),
    hosts: z.array(named),
    campaigns: z.array(z.strictObject({ campaign: z.string().nullable(), ...missed })),
    lead_times: z.array(z.strictObject({ min_hours: z.int(), max_hours: z.int().nullable(), ...missed })),
    hours: z
      .array(z.strictObject({ weekday: z.int(), hour: z.int(), meetings: z.int() }))
      .describe('Meetings that were not canceled, by local weekday (1 is Monday) and hour.'),
    unknown_time_zone: z
      .int()
      .describe('Those of `hours` that are counted in UTC, because the time zone is not known.'),
  })
  .meta({ id: 'BookingNumbers' });

export type BookingNumbers = z.output<typeof bookingNumbers>;

export const getBookingNumbers = defineOperation({
  id: 'getBookingNumbers',
  method: 'GET',
  path: '/api/numbers/bookings',
  tag: 'Numbers',
  summary: 'Bookings by day and outcome, and no-show rates',
  description: `About the bookings whose meetings start within the range. A rescheduled booking counts once, at the time it was moved to; its lead time and campaign are those of the first booking. Every host of a meeting counts. Lists have at most ${mostGroups} entries, those with the most meetings.`,
  query: inRange(
    rangeQuery.extend({
      time_zone: z.enum(['host', 'invitee']).default('host').describe('Whose local time `hours` are in.'),
    }),
  ),
  answers: 'object',
  schema: bookingNumbers,
  async run({ store, query: { time_zone: zone, ...query }, clock }) {
    const { from, to, instants } = rangeOf(query, clock());
    const counts = await countBookings(readBookings(store, instants), zone);
    const { eventTypes, users } = await namesOf(store, counts);
    const groups = (tally: BookingCounts['hosts'], nameOf: (uri: string) => string | null | undefined) =>
      tally
        .entries()
        .slice(0, mostGroups)
        .map(([key, numbers]) => ({
          uri: key || null,
          name: nameOf(key) ?? counts.names.get(key) ?? null,
          ...numbers,
        }));
    const local = byLocalHour(counts.starts, (key) => (zone === 'host' ? users.get(key)?.timezone : key));
    return {
      from,
      to,
      time_zone: zone,
      bookings: counts.bookings,
      ...counts.total,
      days: daysFrom(from, to).map((each) => ({ day: each, ...(counts.days.get(each) ?? noOutcomes()) })),
      event_types: groups(counts.eventTypes, (key) => eventTypes.get(key)?.name),
      hosts: groups(counts.hosts, (key) => users.get(key)?.name),
      campaigns: counts.campaigns
        .entries()
        .slice(0, mostGroups)
        .map(([key, numbers]) => ({ campaign: key || null, ...numbers })),
      lead_times: leadHours.map((hours, index) => ({
        min_hours: hours,
        max_hours: leadHours[index + 1] ?? null,
        ...counts.leadTimes.of(String(index)),
      })),
      hours: local.hours,
      unknown_time_zone: local.unknown,
    };
  },
});

const revenueNumbers = z
  .strictObject({
    ...range,
    currencies: z.array(
      z.strictObject({
        currency: z.string().nullable().describe('Null where the payment names none.'),
        payments: z.int(),
        amount: z.number().describe('In units of the currency (not cents).'),
        days: z
          .array(z.strictObject({ day, payments: z.int(), amount: z.number() }))
          .describe('Days with payments, in order.'),
      }),
    ),
  })
  .meta({ id: 'RevenueNumbers' });

export type RevenueNumbers = z.output<typeof revenueNumbers>;

export const getRevenueNumbers = defineOperation({
  id: 'getRevenueNumbers',
  method: 'GET',
  path: '/api/numbers/revenue',
  tag: 'Numbers',
  summary: 'Successful payments by currency and day',
  description:
    'By the day (UTC) of the first booking that carries the payment; a payment that moves with a rescheduled booking counts once. Currencies are never added up. The service does not report refunds.',
  query: inRange(rangeQuery),
  answers: 'object',
  schema: revenueNumbers,
  async run({ store, query, clock }) {
    const { from, to, instants } = rangeOf(query, clock());
    const currencies = new Map<string, Map<string, { payments: number; amount: number }>>();
    for await (const page of readPayments(store, instants))
      for (const payment of page) {
        const days = currencies.get(payment.currency) ?? new Map<string, { payments: number; amount: number }>();
        const { payments, amount } = days.get(payment.day) ?? { payments: 0, amount: 0 };
        days.set(payment.day, { payments: payments + 1, amount: amount + payment.amount });
        currencies.set(payment.currency, days);
      }
    const records = [...currencies].map(([currency, byDay]) => {
      const days = [...byDay].map(([each, { payments, amount }]) => ({ day: each, payments, amount: rounded(amount) }));
      return {
        currency: currency || null,
        payments: days.reduce((sum, { payments }) => sum + payments, 0),
        amount: rounded(days.reduce((sum, { amount }) => sum + amount, 0)),
        days: days.toSorted((a, b) => (a.day < b.day ? -1 : 1)),
      };
    });
    return {
      from,
      to,
      currencies: records.toSorted(
        (a, b) => b.payments - a.payments || (String(a.currency) < String(b.currency) ? -1 : 1),
      ),
    };
  },
});

export const numberOperations = [getBookingNumbers, getRevenueNumbers] as const;

/** Without what adding binary fractions leaves behind. */
const rounded = (amount: number): number => Math.round(amount * 10_000) / 10_000;

const msOf = (text: string): number => Date.parse(`${text}T00:00:00Z`);
const daysBetween = (from: string, to: string): number => (msOf(to) - msOf(from)) / dayMs + 1;
const daysFrom = (from: string, to: string): readonly string[] =>
  Array.from({ length: daysBetween(from, to) }, (_, index) => dayOf(msOf(from) + index * dayMs));

/** The range that was asked for, with what was left out filled in. */
function rangeOf({ from, to, days, ...filters }: z.output<typeof rangeQuery>, nowMs: number) {
  const today = dayOf(nowMs);
  // A range that only says where it begins ends today, or on its first day if that is later.
  const last = to ?? (from !== undefined && from > today ? from : today);
  const earliest = msOf(last) - (mostDays - 1) * dayMs;
  const first = from === undefined ? dayOf(msOf(last) - (days - 1) * dayMs) : dayOf(Math.max(msOf(from), earliest));
  const instants: NumbersRange = { ...filters, from: instantOf(msOf(first)), to: instantOf(msOf(last) + dayMs) };
  return { from: first, to: last, instants };
}

/** What the mirror knows about the event types and hosts that were counted. */
async function namesOf(store: Store, { eventTypes, hosts, starts }: BookingCounts) {
  const hostUris = new Set([...hosts.meetings.keys(), ...starts.keys()]);
  const [types, users] = await Promise.all([
    readColumns(store, 'event_types', {
      columns: ['uri', 'name'],
      key: 'uri',
      values: [...eventTypes.meetings.keys()],
    }),
    readColumns(store, 'users', { columns: ['uri', 'name', 'timezone'], key: 'uri', values: [...hostUris] }),
  ]);
  return {
    eventTypes: new Map(types.map((row) => [row.uri, row])),
    users: new Map(users.map((row) => [row.uri, row])),
  };
}
