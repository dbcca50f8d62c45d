// What a health item is, and the words that all of them use.
import { z } from 'zod';

export const healthItem = z.strictObject({
  id: z.string().describe('`subscriptions`, `signatures`, `queue`, …'),
  state: z.enum(['ok', 'attention', 'problem']),
  sentence: z.string(),
  fix: z.string().optional().describe('What to do when it is not well.'),
  link: z.string().optional().describe('The page that shows more.'),
});
export type HealthItem = z.output<typeof healthItem>;

/** `1 delivery`, `1,200 deliveries`; without a plural, an `s` is added. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;

export const ageText = (instant: string, nowMs: number): string => durationOf(Math.max(0, nowMs - Date.parse(instant)));

const units = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const;

/** `40 ms`, `1.2 s`, `5 min`, `3 h`: one unit, rounded. */
export function durationOf(ms: number): string {
  const [unitMs, unit] = units.find(([unit]) => ms >= unit) ?? [1, 'ms'];
  return `${Number((ms / unitMs).toFixed(unit === 's' && ms < 10_000 ? 1 : 0))} ${unit}`;
}
