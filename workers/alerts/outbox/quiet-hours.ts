// When a message may leave: not within quiet hours, and with a digest only at its full periods.
import { z } from 'zod';

const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time of day such as 22:00');
const zone = z.string().refine(isZone, 'an IANA time zone such as Europe/Berlin');

/** From and to may lie on either side of midnight; the same time twice would be silence for ever. */
export const quietHours = z
  .strictObject({ from: timeOfDay, to: timeOfDay, timezone: zone.default('UTC') })
  .refine(({ from, to }) => from !== to, 'two different times');
export type QuietHours = z.output<typeof quietHours>;

function isZone(timeZone: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone }));
  } catch {
    return false;
  }
}

const dayMinutes = 1440;
const minuteMs = 60_000;

/** The first moment at or after this one at which a message may leave. */
export function leavesAt(
  dueMs: number,
  { quiet, digestMs }: { readonly quiet?: QuietHours | undefined; readonly digestMs?: number | undefined },
): number {
  const full = digestMs === undefined ? dueMs : Math.ceil(dueMs / digestMs) * digestMs;
  return quiet === undefined ? full : afterQuiet(full, quiet);
}

function afterQuiet(ms: number, quiet: QuietHours): number {
  if (!isQuiet(ms, quiet)) return ms;
  const end = minutesIn(quiet.to);
  const untilEnd = (at: number): number => (end - minuteOfDay(at, quiet.timezone) + dayMinutes) % dayMinutes;
  const minute = Math.floor(ms / minuteMs) * minuteMs;
  const ended = minute + untilEnd(minute) * minuteMs;
  const left = untilEnd(ended);
  if (left === 0) return ended;
  // The clocks changed in between: the end has passed by as much, or is not reached yet. It may have been left out, or come early.
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

const minutesIn = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

// Each holds some 30 kB outside the heap, and every message that is due asks: kept for the few zones that rules name.
const clocks = new Map<string, Intl.DateTimeFormat>();

function minuteOfDay(ms: number, timeZone: string): number {
  const clock = clocks.get(timeZone) ?? clockIn(timeZone);
  clocks.set(timeZone, clock);
  return minutesIn(clock.format(ms));
}

const clockIn = (timeZone: string) =>
  new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
