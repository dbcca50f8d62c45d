// One check of the health of the mirror, and the verdict over all of them. The first page, the API, `status`, `doctor`, the alert
// conditions and MCP show the same list.
import { z } from 'zod';
import { counted, duration } from '#src/base/number-text.ts';

export const healthState = z.enum(['ok', 'warning', 'problem']);

export const healthCheck = z
  .strictObject({
    id: z.string().describe('`subscriptions`, `signatures`, `queue`, …'),
    state: healthState,
    sentence: z.string(),
    fix: z.string().optional().describe('What to do when it is not well; absent where nothing is to be done.'),
    page: z.string().optional().describe('The page that shows more.'),
  })
  .meta({ id: 'HealthCheck' });
export type HealthCheck = z.output<typeof healthCheck>;

/** What a check found, without its name. */
export type Finding = Pick<HealthCheck, 'state' | 'sentence' | 'fix'>;

export const verdictRecord = z.strictObject({ state: healthState, sentence: z.string() });
type Verdict = z.output<typeof verdictRecord>;

/** A check that is not ok and has no fix is a notice. Lists that people go through are no fault. */
export function verdictOf(checks: readonly HealthCheck[], workLists = 0): Verdict {
  const faults = checks.filter(({ state, fix }) => state !== 'ok' && fix !== undefined);
  if (faults.length > 0) {
    const state = faults.some((check) => check.state === 'problem') ? 'problem' : 'warning';
    return { state, sentence: `${counted(faults.length, 'thing needs', 'things need')} you.` };
  }
  const notices = checks.filter(({ state }) => state !== 'ok').length;
  const sentences = [
    'Everything works.',
    ...(notices > 0 ? [`${counted(notices, 'notice')}.`] : []),
    ...(workLists > 0 ? [`${counted(workLists, 'to-do list has', 'to-do lists have')} entries.`] : []),
  ];
  return { state: 'ok', sentence: sentences.join(' ') };
}

export const ageText = (instant: string, nowMs: number): string => duration(Math.max(0, nowMs - Date.parse(instant)));
