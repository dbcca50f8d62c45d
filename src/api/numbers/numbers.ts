// Numbers about bookings and payments within a range of days.
import { z } from 'zod';
import { atLeast } from '#src/api/at-least.ts';
import { defineOperation } from '#src/api/api-operation.ts';
import { uri } from '#schemas/wire.ts';
import { timezoneName } from '#schemas/timezone.ts';
import { fewestMeetings } from '#src/read/numbers/no-show-counts.ts';
import { mostGroups, readBookingNumbers, type Outcome } from '#src/read/numbers/booking-numbers.ts';
import { daysBetween, mostDays } from '#src/read/numbers/day-range.ts';
import { readRevenueNumbers } from '#src/read/numbers/revenue-numbers.ts';

const defaultDays = 90;

/** Every day of a range that begins or ends with one of these has a year of four digits. */
const askedDay = z.iso.date().refine((text) => text > '1900' && text < '9999', 'a day from 1900 to 9998');
const rangeQuery = z.strictObject({
  days: z.coerce
    .number()
    .int()
    .min(1)
    .max(mostDays)
    .default(defaultDays)
    .describe('How many days, the last one included; without effect where `from` is given.'),
  from: askedDay.optional().describe('The first day.'),
  to: askedDay.optional().describe('The last day; today when absent.'),
  event_type: uri.optional().describe('The URI of an event type.'),
  host: uri.optional().describe('The URI of one of the hosts.'),
  timezone: timezoneName
    .optional()
    .describe('The time zone of the days: `Europe/Berlin`. That of `REPORT_TIMEZONE` when absent.'),
  ...atLeast,
});

const inRange = <Query extends z.ZodType<z.output<typeof rangeQuery>>>(query: Query) =>
  query.check(({ value: { from, to }, issues }) => {
    if (from === undefined || to === undefined) return;
    const days = daysBetween(from, to);
    const message = days < 1 ? 'has to be the first day or later' : `at most ${mostDays} days after \`from\``;
    if (days < 1 || days > mostDays) issues.push({ code: 'custom', path: ['to'], message, input: to });
  });

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
  run: ({ store, query, clock }) => readBookingNumbers(store, query, clock()),
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
  run: ({ store, query, clock }) => readRevenueNumbers(store, query, clock()),
});

export const numberOperations = [getBookingNumbers, getRevenueNumbers] as const;
