// The range of days and the filters that the address of the numbers can have.
import { z } from 'zod';
import { uri } from '#schemas/wire.ts';
import { daysBetween, mostDays } from '#src/read/day-range.ts';

const defaultDays = 90;

/** Every day of a range that begins or ends with one of these has a year of four digits. */
const askedDay = z.iso.date().refine((text) => text > '1900' && text < '9999', 'a day from 1900 to 9998');

export const numbersQuery = z
  .strictObject({
    /** How many, the last one included; without effect where `from` is given. */
    days: z.coerce.number().int().min(1).max(mostDays).default(defaultDays),
    from: askedDay.optional(),
    to: askedDay.optional(),
    event_type: uri.optional(),
    host: uri.optional(),
    time_zone: z.enum(['host', 'invitee']).default('host'),
  })
  .check(({ value: { from, to }, issues }) => {
    if (from === undefined || to === undefined) return;
    const days = daysBetween(from, to);
    const message = days < 1 ? 'has to be the first day or later' : `at most ${mostDays} days after \`from\``;
    if (days < 1 || days > mostDays) issues.push({ code: 'custom', path: ['to'], message, input: to });
  });
