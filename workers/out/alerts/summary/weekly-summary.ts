// The rule of the weekly summary, and the numbers of a week: how many meetings were held, missed and unknown.
import { startOfDay } from '#src/base/time-zone.ts';
import { dayMs, dayOf, instantOf } from '#src/base/time.ts';
import { attendanceCounts } from '#src/read/numbers/attendance-counts.ts';
import type { Unit } from '#src/store/contract.ts';
import type { WeekSummary } from '#workers/out/alerts/message/summary-text.ts';
import { timeOfDay } from '#workers/out/alerts/outbox/quiet-hours.ts';

export const weeklySummary = {
  when: 'weekly_summary',
  title: 'Weekly summary',
  about: 'How many meetings of the last week were held, missed and unknown, by host and by source.',
  page: '/numbers',
  options: { at: timeOfDay.default('08:00') },
} as const;

/** The numbers as they are now; undefined where there were no meetings. */
export async function readWeek(
  unit: Unit,
  { fact, zone }: { readonly fact: string; readonly zone: string },
): Promise<WeekSummary | undefined> {
  const week = fact.replace('week ', '');
  const startOf = (ms: number): string => instantOf(startOfDay(dayOf(ms), zone));
  const monday = Date.parse(week);
  const counts = await attendanceCounts(unit, { from: startOf(monday), to: startOf(monday + 7 * dayMs) });
  return counts.all.meetings === 0 ? undefined : { week, counts };
}
