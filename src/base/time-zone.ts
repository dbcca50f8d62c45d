// Local days, weekdays and hours of instants, by the time zone data of the runtime.
import { dayMs, minuteMs } from './time.ts';

export interface LocalHour {
  /** From 1 (Monday) to 7. */
  readonly weekday: number;
  /** From 0 to 23. */
  readonly hour: number;
}

/**
 * Makes the function from minutes in UTC (`2026-11-16T09:30`) to local hours; undefined where there is no such zone. Asking the runtime
 * takes long, so it is asked twice a day of the zone, and more often only on days on which the clocks change.
 */
export function localHours(zone: string): ((minute: string) => LocalHour) | undefined {
  const format = formatOf(zone);
  if (format === undefined) return undefined;
  const offsets = new Map<number, number>();
  const offsetAt = (ms: number): number => {
    const known = offsets.get(ms);
    if (known !== undefined) return known;
    const offset = offsetIn(format, ms);
    offsets.set(ms, offset);
    return offset;
  };
  return (minute) => {
    const ms = Date.parse(`${minute}:00Z`);
    const day = Math.floor(ms / dayMs) * dayMs;
    const offset = offsetAt(day);
    const local = new Date(ms + (offset === offsetAt(day + dayMs) ? offset : offsetAt(ms)));
    return { weekday: ((local.getUTCDay() + 6) % 7) + 1, hour: local.getUTCHours() };
  };
}

/** When the day of this moment began in a time zone. */
export function startOfDay(nowMs: number, zone: string): number {
  const format = formatOf(zone);
  if (format === undefined) throw new RangeError(`no such time zone: ${zone}`);
  const midnight = Math.floor((nowMs + offsetIn(format, nowMs)) / dayMs) * dayMs;
  // The clock may have changed since midnight.
  return midnight - offsetIn(format, midnight - offsetIn(format, nowMs));
}

function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    const parts = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const;
    return new Intl.DateTimeFormat('en', { timeZone, hourCycle: 'h23', ...parts });
  } catch {
    return undefined;
  }
}

/** How far the clocks of the zone are ahead of UTC, in whole minutes. */
function offsetIn(format: Intl.DateTimeFormat, ms: number): number {
  const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = (
    ['year', 'month', 'day', 'hour', 'minute'] as const
  ).map((name) => parts.get(name) ?? 0);
  return Date.UTC(year, month - 1, day, hour, minute) - Math.floor(ms / minuteMs) * minuteMs;
}
