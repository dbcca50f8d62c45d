// Filters by time: a visitor enters days and times of one time zone, which the form names, and operations get instants.
import { localClock, localInstant, zonePeriods } from '#src/base/time-zone.ts';
import { dayMs, instantOf } from '#src/base/time.ts';
import type { RawQuery } from '#src/http/request.ts';
import type { PageCall } from '#src/addons/dashboard/page.ts';

/** What a day means: its first moment, the first one after it, or its last one. */
export type Boundaries = Readonly<Record<string, 'first' | 'after' | 'last'>>;

export interface LocalQuery {
  /** For operations: every time has a zone. */
  readonly query: RawQuery;
  /** As in the address. */
  readonly given: RawQuery;
  readonly timezone: string;
  /** Whether the address names the zone; where it does not, the script replaces it by that of the browser. */
  readonly isChosen: boolean;
  readonly ends: Boundaries;
}

/** The days of a list that a range of time selects. */
export const rangeEnds = { from: 'first', to: 'after' } as const;

const dayForm = /^\d{4}-\d\d-\d\d$/;
const minuteForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/;

/** The zone is that of the address, or else that of the reports. */
export function localQuery(
  { query: given, timezone: reportZone }: Pick<PageCall, 'query' | 'timezone'>,
  ends: Boundaries,
): LocalQuery {
  const { timezone: chosen = '', ...query } = given;
  const isChosen = zonePeriods(chosen) !== undefined;
  const timezone = isChosen ? chosen : reportZone;
  const instants = Object.entries(ends).flatMap(([name, end]) => {
    const instant = instantIn(query[name] ?? '', timezone, end);
    return instant === undefined ? [] : [[name, instant]];
  });
  return { query: { ...query, ...Object.fromEntries(instants) }, given, timezone, isChosen, ends };
}

/** Undefined for what is neither a day nor a local time: the operation reads or refuses it. */
function instantIn(text: string, zone: string, end: Boundaries[string]): string | undefined {
  const isDay = dayForm.test(text);
  const local = isDay || minuteForm.test(text) ? Date.parse(`${text}${isDay ? 'T00:00' : ''}Z`) : NaN;
  if (Number.isNaN(local)) return undefined;
  if (!isDay || end === 'first') return instantOf(localInstant(local, zone));
  return instantOf(localInstant(local + dayMs, zone) - (end === 'last' ? 1 : 0));
}

/** What a control for days or for minutes shows, and the instant that this is; a day that was entered stays that day in any zone. */
export function localValue(
  { name, type }: { readonly name: string; readonly type?: string },
  { query, given, timezone, ends }: LocalQuery,
) {
  const isDay = type === 'date';
  if (isDay && dayForm.test(given[name] ?? '')) return { instant: '', value: given[name] ?? '' };
  // The end of a day is a moment after it.
  const ms = Date.parse(query[name] ?? '') - (isDay && ends[name] === 'after' ? 1 : 0);
  if (Number.isNaN(ms)) return { instant: '', value: '' };
  const value =
    localClock(timezone)?.(ms)
      .toISOString()
      .slice(0, isDay ? 10 : 16) ?? '';
  return { instant: instantOf(ms), value };
}
