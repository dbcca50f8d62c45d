// Local time as the runtime writes it, asked for each minute; and instants among which the changes of clocks are frequent.
const formats = new Map<string, Intl.DateTimeFormat>();

/** `2026-11-16T09:30` */
export function written(timeZone: string, ms: number): string {
  const fields = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const;
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('sv', { timeZone, hourCycle: 'h23', ...fields });
  formats.set(timeZone, format);
  return format.format(ms).replace(' ', 'T');
}

/** Day, weekday and hour in a zone; null where there is no such zone or no time. */
export function localParts(time: unknown, zone: unknown) {
  try {
    const local = written(String(zone || 'none'), Date.parse(String(time)));
    return { day: local.slice(0, 10), weekday: weekdayOf(local.slice(0, 10)), hour: local.slice(11, 13) };
  } catch {
    return { day: null, weekday: null, hour: null };
  }
}

/** From 1 (Monday) to 7, of a day such as `2026-11-16`. */
export const weekdayOf = (day: string): number => ((new Date(day).getUTCDay() + 6) % 7) + 1;

/** Between 2000 and 2060; every other one is within two hours of a change of clocks, where the zone has any. */
export function someInstant(periods: readonly { readonly startsMs: number }[], n: number, share: number): number {
  const change = n % 2 === 0 ? periods.slice(1).at(n % Math.max(1, periods.length - 1))?.startsMs : undefined;
  const [from, to] =
    change === undefined ? [Date.UTC(2000, 0), Date.UTC(2061, 0)] : [change - 7_200_000, change + 7_200_000];
  return Math.floor((from + share * (to - from)) / 60_000) * 60_000;
}
