// The rule of the weekly summary, and the numbers of a week: how many invitees came, missed their meeting and are unknown.
import { dayMs, dayOf } from '#src/base/time.ts';
import { readSummaryCounts } from '#src/read/booking-numbers.ts';
import type { Unit } from '#src/store/contract.ts';
import type { WeekSummary } from '#workers/out/alerts/message/summary-text.ts';
import { timeOfDay } from '#workers/out/alerts/outbox/quiet-hours.ts';

export const weeklySummary = {
  when: 'weekly_summary',
  title: 'Weekly summary',
  about: 'How many invitees of the last week came, missed their meeting or are unknown, by host and by source.',
  page: '/numbers',
  options: { at: timeOfDay.default('08:00') },
} as const;

/** The numbers as they are now; undefined where there were no meetings. */
export async function readWeek(
  unit: Unit,
  { fact, zone }: { readonly fact: string; readonly zone: string },
): Promise<WeekSummary | undefined> {
  const week = fact.replace('week ', '');
  const last = dayOf(Date.parse(week) + 6 * dayMs);
  const counts = await readSummaryCounts(unit, { from: week, to: last, days: 7, timezone: zone });
  return counts.all.ended === 0 ? undefined : { week, counts };
}
