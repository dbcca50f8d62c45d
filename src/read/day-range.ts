// A range of calendar days in the time zone of reports.
import { localClock, startOfDay } from '#src/base/time-zone.ts';
import { dayMs, dayOf, instantOf } from '#src/base/time.ts';

export interface DayRange {
  /** How many days, the last one included; without effect where `from` is given. */
  readonly days: number;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Five years. */
export const mostDays = 1_830;

const msOf = (text: string): number => Date.parse(`${text}T00:00:00Z`);
export const daysBetween = (from: string, to: string): number => (msOf(to) - msOf(from)) / dayMs + 1;
export const daysFrom = (from: string, to: string): readonly string[] =>
  Array.from({ length: daysBetween(from, to) }, (_, index) => dayOf(msOf(from) + index * dayMs));

/** The first and the last day, with what was left out filled in; their first instant, and the first one after them. `timezone`: that of reports. */
export function rangeOf(timezone: string, { from, to, days }: DayRange, nowMs: number) {
  const today = dayOf(localClock(timezone)?.(nowMs) ?? nowMs);
  // A range that only says where it begins ends today, or on its first day if that is later.
  const last = to ?? (from !== undefined && from > today ? from : today);
  const earliest = msOf(last) - (mostDays - 1) * dayMs;
  const first = from === undefined ? dayOf(msOf(last) - (days - 1) * dayMs) : dayOf(Math.max(msOf(from), earliest));
  const startOf = (text: string): string => instantOf(startOfDay(text, timezone));
  const instants = { from: startOf(first), to: startOf(dayOf(msOf(last) + dayMs)) };
  return { from: first, to: last, timezone, instants };
}
