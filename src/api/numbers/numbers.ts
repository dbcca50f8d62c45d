// Numbers about bookings and payments within a range of days.
import { z } from 'zod';
import { defineOperation } from '#src/api/api-operation.ts';
import { uri } from '#schemas/wire.ts';
import { mostGroups, readBookingNumbers, type CountedOutcome } from '#src/read/booking-numbers.ts';
import { daysBetween, mostDays } from '#src/read/day-range.ts';
import { fewestEnded } from '#src/read/ended-counts.ts';
import { readRevenueNumbers } from '#src/read/revenue-numbers.ts';

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
  from: askedDay.optional().describe('The first day, in `REPORT_TIMEZONE`.'),
  to: askedDay.optional().describe('The last day; today when absent.'),
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

const day = z.iso.date();
const ended = {
  ended: z.int().describe('Bookings whose meeting ended: `came`, `no_shows` and `unknown` together.'),
  came: z.int(),
  no_shows: z.int(),
  unknown: z.int().describe('Nothing shows that the invitee came.'),
  rate: z.number().nullable().describe(`\`no_shows\` of \`ended\`, from 0 to 1; null for fewer than ${fewestEnded}.`),
  rate_high: z
    .number()
    .nullable()
    .describe('`no_shows` and `unknown` of `ended`: the rate if none of the unknown came.'),
};
const named = z.strictObject({
  uri: z.string().nullable().describe('Null where it is not known.'),
  name: z.string().nullable(),
  ...ended,
});
const count = z.int();
const outcomeCounts = {
  upcoming: count,
  came: count,
  no_show: count,
  unknown: count,
  canceled_by_invitee: count,
  late_cancellation: count,
  canceled_by_host: count,
  canceled: count,
} satisfies Record<CountedOutcome, unknown>;
const range = { from: day, to: day, timezone: z.string().describe('The time zone of the days: `REPORT_TIMEZONE`.') };

const bookingNumbers = z
  .strictObject({
    ...range,
    time_zone: z.enum(['host', 'invitee']),
    bookings: z.int(),
    ...ended,
    days: z
      .array(z.strictObject({ day, ended: ended.ended, ...outcomeCounts }))
      .describe('Every day of the range, in order.'),
    event_types: z.array(named),
    hosts: z.array(named),
    campaigns: z.array(z.strictObject({ campaign: z.string().nullable(), ...ended })),
    lead_times: z.array(z.strictObject({ min_hours: z.int(), max_hours: z.int().nullable(), ...ended })),
    hours: z
      .array(z.strictObject({ weekday: z.int(), hour: z.int(), meetings: z.int() }))
      .describe('Meetings that were not canceled, by local weekday (1 is Monday) and hour.'),
    unknown_time_zone: z
      .int()
      .describe('Those of `hours` that are counted in `REPORT_TIMEZONE`, because the time zone is not known.'),
  })
  .meta({ id: 'BookingNumbers' });

export type BookingNumbers = z.output<typeof bookingNumbers>;

export const getBookingNumbers = defineOperation({
  id: 'getBookingNumbers',
  method: 'GET',
  path: '/api/numbers/bookings',
  tag: 'Numbers',
  summary: 'Meetings by day and outcome, and no-show rates',
  description: `About the bookings whose meetings start within the range. A rescheduled booking counts once, at the time it was moved to; its lead time and campaign are those of the first booking. Every host of a meeting counts. Lists have at most ${mostGroups} entries, those with the most meetings.`,
  query: inRange(
    rangeQuery.extend({
      time_zone: z.enum(['host', 'invitee']).default('host').describe('Whose local time `hours` are in.'),
    }),
  ),
  answers: 'object',
  schema: bookingNumbers,
  run: ({ reading, query, clock }) => readBookingNumbers(reading, query, clock()),
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
    'By the day on which the last invitee that carries the payment was created; a payment counts once, by its provider and identifier, as in the view `revenue`. Currencies are never added up. The service does not report refunds.',
  query: inRange(rangeQuery),
  answers: 'object',
  schema: revenueNumbers,
  run: ({ reading, query, clock }) => readRevenueNumbers(reading, query, clock()),
});

export const numberOperations = [getBookingNumbers, getRevenueNumbers] as const;
