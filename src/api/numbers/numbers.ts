// Numbers about bookings and payments within a range of days.
import { z } from 'zod';
import { defineOperation } from '#src/api/api-operation.ts';
import { readBookings } from '#src/read/numbers/booking-facts.ts';
import { readPayments } from '#src/read/numbers/booking-payments.ts';
import type { Store } from '#src/store/contract.ts';
import { readColumns } from '#src/store/rows.ts';
import {
  byLocalHour,
  countBookings,
  dayReader,
  fewestMeetings,
  leadHours,
  noOutcomes,
  type BookingCounts,
  type Outcome,
} from './booking-counts.ts';
import { daysFrom, inRange, rangeOf, rangeQuery } from './day-range.ts';

/** As many as a page can show. */
const mostGroups = 100;

const day = z.iso.date();
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
const range = { from: day, to: day, timezone: z.string().describe('The time zone of the days.') };

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
    const { timezone = store.reportZone } = query;
    const { from, to, instants } = rangeOf({ ...query, timezone }, clock());
    const counts = await countBookings(readBookings(store, instants), { zoneBy: zone, timezone });
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
      timezone,
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
    'By the day of the first booking that carries the payment; a payment that moves with a rescheduled booking counts once. Currencies are never added up. The service does not report refunds.',
  query: inRange(rangeQuery),
  answers: 'object',
  schema: revenueNumbers,
  async run({ store, query, clock }) {
    const { timezone = store.reportZone } = query;
    const { from, to, instants } = rangeOf({ ...query, timezone }, clock());
    const dayIn = dayReader(timezone);
    const currencies = new Map<string, Map<string, { payments: number; amount: number }>>();
    for await (const page of readPayments(store, instants))
      for (const payment of page) {
        const days = currencies.get(payment.currency) ?? new Map<string, { payments: number; amount: number }>();
        const date = dayIn(payment.minute);
        const { payments, amount } = days.get(date) ?? { payments: 0, amount: 0 };
        days.set(date, { payments: payments + 1, amount: amount + payment.amount });
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
      timezone,
      currencies: records.toSorted(
        (a, b) => b.payments - a.payments || (String(a.currency) < String(b.currency) ? -1 : 1),
      ),
    };
  },
});

export const numberOperations = [getBookingNumbers, getRevenueNumbers] as const;

/** Without what adding binary fractions leaves behind. */
const rounded = (amount: number): number => Math.round(amount * 10_000) / 10_000;

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
