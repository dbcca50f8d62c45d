// How long: "24h", "1d12h", "90 s", or a number of seconds.
import { z } from 'zod';
import { dayMs, hourMs, minuteMs, secondMs } from '#src/sandbox/clock.ts';

const unitMs = { ms: 1, s: secondMs, m: minuteMs, h: hourMs, d: dayMs } as const;
const longestMs = 3660 * dayMs;
const advice = 'expected a duration: a number of seconds, or 90s, 15m, 24h, 7d, 1d12h';

const seconds = /^\d{1,12}(\.\d{1,6})?$/;
const parts = /^(\d{1,12}(\.\d{1,6})?\s*(ms|s|m|h|d)\s*)+$/;

/** Read as milliseconds. */
export const duration = z
  .union(
    [
      z
        .string()
        .max(100, advice)
        .transform((text) => text.trim().toLowerCase())
        .refine((text) => seconds.test(text) || parts.test(text), advice)
        .transform(millisecondsIn),
      z
        .number()
        .min(0, advice)
        .transform((number) => number * secondMs),
    ],
    { error: ({ input }) => (input === undefined ? undefined : advice) },
  )
  .transform(Math.round)
  .pipe(z.int().max(longestMs, 'at most ten years'));

function millisecondsIn(text: string): number {
  if (seconds.test(text)) return Number(text) * secondMs;
  const found = text.matchAll(/([\d.]+)\s*([a-z]+)/g);
  return found.reduce((sum, [, number, unit]) => sum + Number(number) * unitMs[unit as keyof typeof unitMs], 0);
}
