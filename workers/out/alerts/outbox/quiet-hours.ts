// The earliest time to send a message: never within quiet hours, and a digest only at the end of its period.
import { z } from 'zod';
import { minuteMs } from '#src/base/time.ts';
import { span } from '#src/config/readers.ts';

export const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time of day such as 22:00');
const zone = z.string().refine(isZone, 'must be an IANA time zone such as Europe/Berlin');

/** Quiet hours may cross midnight. Two equal times are rejected: they would be quiet for ever. */
export const quietHours = z
  .strictObject({ from: timeOfDay, to: timeOfDay, timezone: zone.default('UTC') })
  .refine(({ from, to }) => from !== to, 'must have two different times');
export type QuietHours = z.output<typeof quietHours>;

/** A digest is sent at the end of each period, or at a time of day; without a zone in that of the reports. */
export const digest = z.union(
  [span, z.strictObject({ at: timeOfDay, timezone: zone.optional() })],
  'must be a duration such as 1h, or a time of day such as {"at": "08:00", "timezone": "Europe/Berlin"}',
);
export type DigestTime = number | { readonly at: string; readonly timezone: string };

export function isZone(timeZone: string): boolean {
  try {
    return Boolean(clockIn(timeZone));
  } catch {
    return false;
  }
}

const dayMinutes = 1440;

/** The first time at or after `dueMs` at which a message may be sent. */
export function earliestSend(
  dueMs: number,
  given: { readonly quiet?: QuietHours | undefined; readonly digest?: DigestTime | undefined },
): number {
  const { quiet } = given;
  const periodEnd = given.digest === undefined ? dueMs : digestAfter(dueMs, given.digest);
  return quiet === undefined ? periodEnd : afterQuiet(periodEnd, quiet);
}

function digestAfter(ms: number, time: DigestTime): number {
  if (typeof time === 'number') return Math.ceil(ms / time) * time;
  return timeOfDayAfter(Math.ceil(ms / minuteMs) * minuteMs, time.at, time.timezone);
}

/** The first time at or after `ms` at which the clocks of the zone show `at`. An unknown zone counts as UTC. */
export function timeOfDayAfter(ms: number, at: string, zone: string): number {
  const next = (minutesIn(at) + 1) % dayMinutes;
  const from = [Math.floor(next / 60), next % 60].map((part) => String(part).padStart(2, '0')).join(':');
  // All of the day but one minute is quiet.
  const quiet = { from, to: at, timezone: isZone(zone) ? zone : 'UTC' };
  return Math.floor(afterQuiet(ms, quiet) / minuteMs) * minuteMs;
}

function afterQuiet(ms: number, quiet: QuietHours): number {
  if (!isQuiet(ms, quiet)) return ms;
  const end = minutesIn(quiet.to);
  const untilEnd = (at: number): number => (end - minuteOfDay(at, quiet.timezone) + dayMinutes) % dayMinutes;
  const minute = Math.floor(ms / minuteMs) * minuteMs;
  const ended = minute + untilEnd(minute) * minuteMs;
  const left = untilEnd(ended);
  if (left === 0) return ended;
  // A daylight saving change lies in between: the end may have come earlier, not have come yet, or have been skipped.
  const change = Math.min(left, dayMinutes - left);
  for (let at = Math.max(minute, ended - change * minuteMs); at < ended; at += minuteMs)
    if (!isQuiet(at, quiet)) return at;
  return afterQuiet(ended, quiet);
}

function isQuiet(ms: number, { from, to, timezone }: QuietHours): boolean {
  const now = minuteOfDay(ms, timezone);
  const [start, end] = [minutesIn(from), minutesIn(to)];
  return start < end ? now >= start && now < end : now >= start || now < end;
}

export const minutesIn = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

// Cached for the zones of rules and hosts: each formatter takes about 30 kB outside the heap, and every due message needs one.
const clocks = new Map<string, Intl.DateTimeFormat>();
const maxClocks = 100;

const minuteOfDay = (ms: number, timeZone: string): number => minutesIn(clockIn(timeZone).format(ms));

/** Throws for an unknown zone. */
function clockIn(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone);
  if (known !== undefined) return known;
  if (clocks.size >= maxClocks) clocks.clear();
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  clocks.set(timeZone, clock);
  return clock;
}
