// Time: units, instants as the store and the wire write them, durations as people write them, and a sleep that an abort ends.
import { setTimeout as sleep } from 'node:timers/promises';

export const secondMs = 1_000;
export const minuteMs = 60 * secondMs;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** Returns the instant in UTC with six fractional digits, of which our clocks provide three. Text order is time order. */
export const instantOf = (moment: Date | number): string => new Date(moment).toISOString().replace('Z', '000Z');

/** The day in UTC: `2026-11-16`. */
export const dayOf = (moment: Date | number): string => new Date(moment).toISOString().slice(0, 10);

/** An instant for people: to the second, without the letters in between. */
export const timeText = (instant: string): string => `${instant.slice(0, 19).replace('T', ' ')} UTC`;

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: secondMs, m: minuteMs, h: hourMs, d: dayMs };

/** Milliseconds of a duration such as `30s`, `5m` or `1d 12h`; parts without a known unit count as nothing. */
export function durationMs(text: string): number {
  let total = 0;
  for (const [, number, unit = ''] of text.matchAll(/([\d.]+)\s*([a-z]+)/g))
    total += Number(number) * (unitsMs[unit] ?? 0);
  return total;
}

/** Sleeps for `ms`; returns early, without an error, when `signal` aborts. `ref: false` lets the process exit meanwhile. */
export async function sleepUnlessAborted(
  ms: number,
  signal?: AbortSignal,
  options: { ref?: boolean } = {},
): Promise<void> {
  await sleep(ms, undefined, signal === undefined ? options : { ...options, signal }).catch(() => undefined);
}

/**
 * Sleeps for about `everyMs`, until a multiple of it on the clock of the process. Loops with the same period then wake the process
 * together, and an idle process wakes up less often.
 */
export const sleepUntilNext = (everyMs: number, signal?: AbortSignal, options?: { ref?: boolean }): Promise<void> =>
  sleepUnlessAborted(msUntilNext(everyMs, performance.now()), signal, options);

/** Between half of `everyMs` and one and a half, in whole milliseconds: a timer drops the fraction, and would fire early. */
export function msUntilNext(everyMs: number, nowMs: number): number {
  const left = Math.ceil(everyMs - (nowMs % everyMs));
  return left < everyMs / 2 ? left + everyMs : left;
}
