// The scales of charts: ticks at round numbers and round dates, and how the values beside them are written.
import { memoize } from '#src/base/memoize.ts';

export interface Scale {
  /** In order; the first and the last are the ends of the axis, so they enclose all data. */
  readonly ticks: readonly number[];
  /** Where a value is between the ends, from 0 to 1. */
  at(value: number): number;
}

/** Greater numbers overflow when they are added; no count or amount comes near. */
const greatestShown = 1e300;
const leastSpan = 1e-9;

export const shownValue = (value: number): number => Math.max(-greatestShown, Math.min(greatestShown, value));

/** A scale from zero that encloses the values. Whole numbers get no ticks between them. */
export function scaleOf(values: readonly number[], mostTicks = 5): Scale {
  let low = 0;
  let high = 0;
  for (const value of values) {
    low = Math.min(low, shownValue(value));
    high = Math.max(high, shownValue(value));
  }
  if (high - low < leastSpan) high = 1;
  const step = niceStep((high - low) / mostTicks, values.every(Number.isInteger));
  const first = Math.floor(low / step);
  const last = Math.ceil(high / step);
  // Divided by the inverse where the step is a fraction: 3 * 0.1 is not 0.3, and 3 / 10 is.
  const inverse = Math.round(1 / step);
  const tickAt = (index: number): number => (step < 1 && inverse > 0 ? index / inverse : index * step);
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => tickAt(first + index));
  const start = tickAt(first);
  const span = tickAt(last) - start;
  return { ticks, at: (value) => Math.max(0, Math.min(1, (shownValue(value) - start) / span)) };
}

/** The least of 1, 2, 5, 10, 20, 50 … that is not less. */
function niceStep(least: number, whole: boolean): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5].map((factor) => factor * power).find((each) => each >= least) ?? 10 * power;
  return whole ? Math.max(1, step) : step;
}

/** With separators of thousands: `12,345.5`. */
const plain = memoize(() => new Intl.NumberFormat('en', { maximumFractionDigits: 2 }));
const short = memoize(() => new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 2 }));
export const numberText = (value: number): string => (isAbsurd(value) ? absurdText(value) : plain().format(value));
/** For ticks: `12K`. */
export const tickText = (value: number): string => (isAbsurd(value) ? absurdText(value) : short().format(value));
/** A share from 0 to 1 as `12.5%`. */
export const percentText = (share: number): string => `${numberText(Math.round(share * 1000) / 10)}%`;

/** Beyond trillions nothing has room for all digits. */
const isAbsurd = (value: number): boolean => Math.abs(value) >= 1e15;
const absurdText = (value: number): string => value.toExponential(1).replace('e+', 'E');

const dayFormat = memoize(() => new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' }));
const longDayFormat = memoize(() => new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: 'UTC' }));
const plainDayFormat = memoize(() => new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }));
const monthFormat = memoize(
  () => new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric', timeZone: 'UTC' }),
);
const dateOf = (day: string): Date => new Date(`${day}T00:00:00Z`);

/** `2026-11-16` as `16 Nov`. */
export const shortDay = (day: string): string => dayFormat().format(dateOf(day));
/** `2026-11-16` as `16 November 2026`. */
export const plainDay = (day: string): string => plainDayFormat().format(dateOf(day));
/** `2026-11-16` as `Monday, 16 November 2026`. */
export const longDay = (day: string): string => longDayFormat().format(dateOf(day));

export interface Label {
  readonly index: number;
  readonly text: string;
}

const isMonday = (day: string): boolean => dateOf(day).getUTCDay() === 1;
const weekOf = (day: string): number => Math.floor((dateOf(day).getTime() / 86_400_000 + 3) / 7);
const monthOf = (day: string): number => Number(day.slice(5, 7));
const monthText = (day: string): string => monthFormat().format(dateOf(day));
const yearText = (day: string): string => day.slice(0, 4);
/** Whether a month begins between the day before on the axis and this one: where columns are weeks, not every first is a column. */
const beginsMonth = (day: string, before: string | undefined): boolean =>
  before === undefined ? day.endsWith('-01') : day.slice(0, 7) !== before.slice(0, 7);

/** Which days of an axis are marked, from all of them to every tenth January. */
const dayRules: readonly { marks(day: string, before: string | undefined): boolean; text(day: string): string }[] = [
  { marks: () => true, text: shortDay },
  { marks: isMonday, text: shortDay },
  { marks: (day) => isMonday(day) && weekOf(day) % 2 === 0, text: shortDay },
  { marks: beginsMonth, text: monthText },
  { marks: (day, before) => beginsMonth(day, before) && monthOf(day) % 3 === 1, text: monthText },
  { marks: (day, before) => beginsMonth(day, before) && monthOf(day) === 1, text: yearText },
  { marks: (day, before) => beginsMonth(day, before) && /0-01-..$/.test(day), text: yearText },
];

/** The labels of days in order, at most this many, at the beginning of weeks, months or years; evenly spaced where no rule fits. */
export function dayLabels(days: readonly string[], most: number): readonly Label[] {
  for (const { marks, text } of dayRules) {
    const labels = days.flatMap((day, index) => (marks(day, days[index - 1]) ? [{ index, text: text(day) }] : []));
    if (labels.length > most) continue;
    if (labels.length > 1 || days.length === 1) return labels;
    break;
  }
  return everyFew(days.map(shortDay), most);
}

/** The labels of any columns: all of them, or every second, third and so on, so that there is room. */
export function everyFew(texts: readonly string[], most: number): readonly Label[] {
  const step = Math.max(1, Math.ceil(texts.length / Math.max(1, most)));
  return texts.flatMap((text, index) => (index % step === 0 ? [{ index, text }] : []));
}
