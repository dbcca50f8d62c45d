// Local time of instants, by the time zone data of the runtime. A zone is a list of periods with one offset each; the store has the same
// list (`src/store/time-zones.ts`), so that SQL and this file agree.
import { dayMs, minuteMs } from './time.ts';

/** A time during which the clocks of a zone are ahead of UTC by the same offset. */
export interface ZonePeriod {
  readonly startsMs: number;
  readonly offsetMs: number;
}

/** Before and after these years, the first and the last offset apply. */
const [firstMs, lastMs] = [Date.UTC(2000, 0), Date.UTC(2061, 0)];
/** No period of any zone in these years is shorter than a week: the clocks changed at most once between two of these steps. */
const stepMs = 6 * dayMs;

const earliestMs = Date.parse('0001-01-01T00:00:00Z');
/** UTC is here from the start: every process asks for it, and finding the periods of a zone takes tens of milliseconds. */
const known = new Map<string, readonly ZonePeriod[]>([['utc', [{ startsMs: earliestMs, offsetMs: 0 }]]]);
/** The runtime takes long to refuse a name, and the same ones come again and again. */
const refused = new Set<string>();
const mostRefused = 1_000;

/** What a name of a zone looks like. Intl takes offsets such as +02:00 too, also with the minus sign of typography; they are no zones. */
const nameForm = /^[a-z][\w+-]*(\/[\w+-]+){0,2}$/i;
const longestName = 50;

/** False where there is certainly no such zone. `zonePeriods` knows in every case, and takes milliseconds. */
export const mayBeZone = (zone: string): boolean =>
  zone.length <= longestName && nameForm.test(zone) && !refused.has(zone.toLowerCase());

/** In order, the first from the earliest instant on; undefined where there is no such zone. Names are compared in any letter case. */
export function zonePeriods(zone: string): readonly ZonePeriod[] | undefined {
  if (!mayBeZone(zone)) return undefined;
  const name = zone.toLowerCase();
  const found = known.get(name) ?? findPeriods(zone);
  if (found !== undefined) known.set(name, found);
  else if (refused.size < mostRefused) refused.add(name);
  return found;
}

/** The function from instants to dates whose UTC fields are the local ones; undefined where there is no such zone. */
export function localClock(zone: string): ((ms: number) => Date) | undefined {
  const periods = zonePeriods(zone);
  return periods && ((ms) => new Date(ms + offsetAmong(periods, ms)));
}

export const startOfDay = (day: string, zone: string): number => localInstant(Date.parse(`${day}T00:00:00Z`), zone);

/** The first instant at which the clocks of a zone show this local time, given as if it were UTC, or a later one. */
export function localInstant(localMs: number, zone: string): number {
  const periods = zonePeriods(zone) ?? [];
  for (const [index, { startsMs, offsetMs }] of periods.entries()) {
    // Where the clocks skip the time, the period begins with the next one.
    const ms = Math.max(startsMs, localMs - offsetMs);
    if (ms < (periods[index + 1]?.startsMs ?? Infinity)) return ms;
  }
  throw new RangeError(`no such time zone: ${zone}`);
}

function offsetAmong(periods: readonly ZonePeriod[], ms: number): number {
  let [low, high] = [0, periods.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((periods[middle]?.startsMs ?? Infinity) <= ms) low = middle;
    else high = middle - 1;
  }
  return periods[low]?.offsetMs ?? 0;
}

function findPeriods(zone: string): readonly ZonePeriod[] | undefined {
  const offsetAt = offsetReader(zone);
  if (offsetAt === undefined) return undefined;
  let offset = offsetAt(firstMs);
  const periods: ZonePeriod[] = [{ startsMs: earliestMs, offsetMs: offset }];
  for (let ms = firstMs; ms < lastMs; ms += stepMs) {
    const next = offsetAt(ms + stepMs);
    if (next === offset) continue;
    let [before, after] = [ms, ms + stepMs];
    while (after - before > minuteMs) {
      const middle = before + Math.floor((after - before) / (2 * minuteMs)) * minuteMs;
      if (offsetAt(middle) === offset) before = middle;
      else after = middle;
    }
    periods.push({ startsMs: after, offsetMs: next });
    offset = next;
  }
  return periods;
}

/** How far the clocks of the zone are ahead of UTC, in whole minutes. Few fields, as text: this is most of the time it takes. */
function offsetReader(timeZone: string): ((ms: number) => number) | undefined {
  const fields = { day: 'numeric', hour: 'numeric', minute: 'numeric' } as const;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...fields });
  } catch {
    return undefined;
  }
  return (ms) => {
    // `16, 09:30`
    const text = format.format(ms);
    const [comma, colon] = [text.indexOf(','), text.indexOf(':')];
    const minutes = Number(text.slice(comma + 1, colon)) * 60 + Number(text.slice(colon + 1));
    const days = Number(text.slice(0, comma)) - new Date(ms).getUTCDate();
    // A month ends or begins in between.
    const ahead = Math.abs(days) > 1 ? -Math.sign(days) : days;
    return ahead * dayMs + minutes * minuteMs - Math.floor((ms % dayMs) / minuteMs) * minuteMs;
  };
}
