// The range of days that a request for numbers asks for.
import { z } from 'zod';
import { timezoneName } from '#schemas/timezone.ts';
import { uri } from '#schemas/wire.ts';
import { localClock, startOfDay } from '#src/base/time-zone.ts';
import { dayMs, dayOf, instantOf } from '#src/base/time.ts';
import type { NumbersRange } from '#src/read/numbers/booking-facts.ts';

const defaultDays = 90;
/** Five years. */
const mostDays = 1_830;

/** Every day of a range that begins or ends with one of these has a year of four digits. */
const askedDay = z.iso.date().refine((text) => text > '1900' && text < '9999', 'a day from 1900 to 9998');
export const rangeQuery = z.strictObject({
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
});

export const inRange = <Query extends z.ZodType<z.output<typeof rangeQuery>>>(query: Query) =>
  query.check(({ value: { from, to }, issues }) => {
    if (from === undefined || to === undefined) return;
    const days = daysBetween(from, to);
    const message = days < 1 ? 'has to be the first day or later' : `at most ${mostDays} days after \`from\``;
    if (days < 1 || days > mostDays) issues.push({ code: 'custom', path: ['to'], message, input: to });
  });

const msOf = (text: string): number => Date.parse(`${text}T00:00:00Z`);
const daysBetween = (from: string, to: string): number => (msOf(to) - msOf(from)) / dayMs + 1;
export const daysFrom = (from: string, to: string): readonly string[] =>
  Array.from({ length: daysBetween(from, to) }, (_, index) => dayOf(msOf(from) + index * dayMs));

/** The range that was asked for, with what was left out filled in. */
export function rangeOf(
  { from, to, days, timezone, ...filters }: z.output<typeof rangeQuery> & { timezone: string },
  nowMs: number,
) {
  const today = dayOf(localClock(timezone)?.(nowMs) ?? nowMs);
  // A range that only says where it begins ends today, or on its first day if that is later.
  const last = to ?? (from !== undefined && from > today ? from : today);
  const earliest = msOf(last) - (mostDays - 1) * dayMs;
  const first = from === undefined ? dayOf(msOf(last) - (days - 1) * dayMs) : dayOf(Math.max(msOf(from), earliest));
  const startOf = (text: string): string => instantOf(startOfDay(text, timezone));
  const instants: NumbersRange = { ...filters, from: startOf(first), to: startOf(dayOf(msOf(last) + dayMs)) };
  return { from: first, to: last, instants };
}
