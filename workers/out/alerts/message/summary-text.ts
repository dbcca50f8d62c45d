// The text of a weekly summary. Pure.
import { memoize } from '#src/base/memoize.ts';
import { number } from '#src/base/number-text.ts';
import { dayMs, dayOf } from '#src/base/time.ts';
import type { SummaryCounts } from '#src/read/booking-numbers.ts';
import type { EndedCounts, EndedGroup } from '#src/read/ended-counts.ts';
import { sanitizeLine } from './sanitize-text.ts';

export interface WeekSummary {
  /** The Monday with which the week begins. */
  readonly week: string;
  readonly counts: SummaryCounts;
}

const mostLines = 10;
const maxNameLength = 60;

export function summaryParts(
  { week, counts: { all, hosts, sources } }: WeekSummary,
  { title, page }: { readonly title: string; readonly page?: string | undefined },
) {
  const last = dayOf(Date.parse(week) + 6 * dayMs);
  const asking = all.unknown === 0 ? [] : ['Answer the unknown ones, and the numbers become exact.'];
  const lines = [
    `${countsText(all)}.`,
    ...asking,
    'By host:',
    ...linesOf(hosts, 'without a host'),
    'By source:',
    ...linesOf(sources, 'without a source'),
  ];
  const days = `${dayText().format(new Date(week))} to ${dayText().format(new Date(last))}`;
  const text = lines.join('\n');
  return { title: `${title}: ${days}`, text, facts: [], variables: { on: '' }, subject: 'mirror', page };
}

const dayText = memoize(
  () => new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'short', year: 'numeric' }),
);

const countsText = ({ came, no_shows: missed, unknown }: EndedCounts): string =>
  `${number(came)} came, ${number(missed)} missed, ${number(unknown)} unknown`;

function linesOf(groups: readonly EndedGroup[], unnamed: string): readonly string[] {
  const left = groups.length - mostLines;
  const nameOf = ({ key, name }: EndedGroup): string => sanitizeLine(name || key, maxNameLength) || unnamed;
  const lines = groups.slice(0, mostLines).map((group) => `• ${nameOf(group)}: ${countsText(group)}`);
  return left > 0 ? [...lines, `… and ${left} more.`] : lines;
}
