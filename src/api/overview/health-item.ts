// What a health item is.
import { z } from 'zod';
import { duration } from '#src/base/number-text.ts';

export const healthItem = z.strictObject({
  id: z.string().describe('`subscriptions`, `signatures`, `queue`, …'),
  state: z.enum(['ok', 'attention', 'problem']),
  sentence: z.string(),
  fix: z.string().optional().describe('What to do when it is not well; absent where nothing is to be done.'),
  link: z.string().optional().describe('The page that shows more.'),
});
export type HealthItem = z.output<typeof healthItem>;

export const ageText = (instant: string, nowMs: number): string => duration(Math.max(0, nowMs - Date.parse(instant)));
