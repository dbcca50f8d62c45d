// Numbers, counts and durations as people write them.
import { memoize } from './memoize.ts';
import { dayMs, hourMs, minuteMs, secondMs } from './time.ts';

/** Made when a number is shown: it takes as long as the start of Node itself. */
const format = memoize(() => new Intl.NumberFormat('en'));

/** `2,277` */
export const number = (value: number): string => format().format(value);

/** `1 delivery`, `2,000 deliveries`; without a plural, an `s` is added. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${number(count)} ${count === 1 ? one : many}`;

/** Milliseconds in one unit: `850 ms`, `1.2 s`, `90 s`, `3 min`, `5 h`, `2 days`. */
export function duration(ms: number): string {
  if (ms < secondMs) return `${Math.round(ms)} ms`;
  if (ms < 10 * secondMs) return `${Number((ms / secondMs).toFixed(1))} s`;
  if (ms < 2 * minuteMs) return `${Math.round(ms / secondMs)} s`;
  if (ms < 2 * hourMs) return `${Math.round(ms / minuteMs)} min`;
  return ms < 2 * dayMs ? `${Math.round(ms / hourMs)} h` : counted(Math.round(ms / dayMs), 'day');
}
