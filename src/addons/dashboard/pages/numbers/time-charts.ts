// The charts over time: bookings by outcome, meetings by weekday and hour, and revenue. Bars lead to the bookings behind them.
import { html } from 'hono/html';
import { endedCounts } from '#src/read/ended-counts.ts';
import type { BookingNumbers } from '#src/read/booking-numbers.ts';
import type { RevenueNumbers } from '#src/read/revenue-numbers.ts';
import { counted, number } from '#src/base/number-text.ts';
import { dayMs, dayOf } from '#src/base/time.ts';
import { bars, type ChartColumn } from '#src/addons/dashboard/charts/column-chart.ts';
import type { Series } from '#src/addons/dashboard/charts/figure.ts';
import { heatMap } from '#src/addons/dashboard/charts/heat-map.ts';
import { longDay, numberText, percentText, plainDay, shortDay } from '#src/addons/dashboard/charts/scale.ts';
import { sparkline } from '#src/addons/dashboard/charts/sparkline.ts';
import type { Markup } from '#src/addons/dashboard/components/markup.ts';
import { greatestOf, listOf, type ChartCard, type Query } from './chart-card.ts';

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
/** With more days, one bar is a week. */
const mostDailyBars = 120;
const mostCurrencies = 4;

const weekOf = ({ day }: { readonly day: string }): number =>
  Math.floor((Date.parse(`${day}T00:00:00Z`) / dayMs + 3) / 7);

interface Span<Value> {
  readonly from: string;
  readonly to: string;
  readonly label: string;
  readonly days: readonly Value[];
}

/** Days, or the weeks they are in, where there are too many days for a bar each. */
function spansOf<Value extends { readonly day: string }>(days: readonly Value[]): readonly Span<Value>[] {
  if (days.length <= mostDailyBars)
    return days.map((each) => ({ from: each.day, to: each.day, label: longDay(each.day), days: [each] }));
  return [...Map.groupBy(days, weekOf).values()].map((week) => {
    const from = week[0]?.day ?? '';
    const to = week.at(-1)?.day ?? '';
    return { from, to, label: `${shortDay(from)} to ${plainDay(to)}`, days: week };
  });
}

const sumOf = <Value>(values: readonly Value[], amountOf: (value: Value) => number): number =>
  values.reduce((sum, value) => sum + amountOf(value), 0);
type Day = BookingNumbers['days'][number];
const parts: readonly (Series & { countOf(day: Day): number; readonly list: Query })[] = [
  { label: 'Came', tone: 'accent', countOf: (day) => day.came, list: { outcome: 'came' } },
  { label: 'Unknown', tone: 'muted', countOf: (day) => day.unknown, list: { outcome: 'unknown' } },
  { label: 'Upcoming', tone: 'soft', countOf: (day) => day.upcoming, list: { outcome: 'upcoming' } },
  { label: 'No-show', tone: 'alert', countOf: (day) => day.no_show, list: { outcome: 'no_show' } },
  {
    label: 'Canceled',
    tone: 'faint',
    countOf: (day) => day.canceled_by_host + day.canceled_by_invitee + day.late_cancellation + day.canceled,
    list: { status: 'canceled' },
  },
];
const bookingsOn = (days: readonly Day[]): number => sumOf(parts, ({ countOf }) => sumOf(days, countOf));

export function dailyChart({ days, timezone }: BookingNumbers, url: URL): ChartCard {
  const spans = spansOf(days);
  const isDaily = days.length <= mostDailyBars;
  const busiest = greatestOf(spans, (span) => bookingsOn(span.days));
  const finding = busiest
    ? `${isDaily ? busiest.label : `The week from ${busiest.label}`} has the most meetings: ${number(bookingsOn(busiest.days))}.`
    : 'There are no meetings.';
  const columns = spans.map(({ from, to, label, days: those }): ChartColumn => ({
    label,
    day: from,
    values: parts.map(({ countOf }) => sumOf(those, countOf)),
    href: listOf(url, { from, to, timezone }),
    hrefs: parts.map(({ list }) => listOf(url, { from, to, timezone }, list)),
  }));
  const heading = isDaily ? 'Meetings per day' : 'Meetings per week';
  const totals = parts.map(({ label, countOf }) => `${number(sumOf(days, countOf))} ${label.toLowerCase()}`);
  return {
    id: 'daily',
    heading,
    finding,
    isWide: true,
    chart: bars({
      id: 'daily',
      title: `${heading}, by outcome`,
      summary: `${finding} In all: ${totals.join(', ')}.`,
      series: parts,
      columns,
      columnName: isDaily ? 'Day' : 'Week',
      wide: true,
    }),
  };
}

export function hourChart({ hours, time_zone: zone, unknown_time_zone: unknown }: BookingNumbers): ChartCard {
  const shown = Array.from({ length: 24 }, (_, hour) => hour);
  const meetingsAt = new Map(hours.map(({ weekday, hour, meetings }) => [`${weekday} ${hour}`, meetings]));
  const clock = (hour: number): string => `${String(hour).padStart(2, '0')}:00`;
  const busiest = greatestOf(hours, ({ meetings }) => meetings);
  const finding = busiest
    ? `${weekdays[busiest.weekday - 1]} ${clock(busiest.hour)} has the most meetings: ${number(busiest.meetings)}.`
    : 'There are no meetings that were not canceled.';
  const whose = zone === 'host' ? 'In the local time of the host.' : 'In the local time of the invitee.';
  const note =
    unknown === 0 ? whose : `${whose} ${counted(unknown, 'meeting')} without a known time zone counted in UTC.`;
  return {
    id: 'hours',
    heading: 'Meetings by weekday and hour',
    finding: `${finding} ${note}`,
    isWide: true,
    chart: heatMap({
      id: 'hours',
      title: 'Meetings by weekday and hour',
      summary: `${finding} ${note}`,
      rows: weekdays.map((name) => name.slice(0, 3)),
      columns: shown.map((hour) => String(hour).padStart(2, '0')),
      values: weekdays.map((_, index) => shown.map((hour) => meetingsAt.get(`${index + 1} ${hour}`) ?? 0)),
      rowName: 'Weekday',
      unit: 'meetings',
      wide: true,
      nameOf: (row, column) => `${weekdays[row]} ${clock(shown[column] ?? 0)}`,
    }),
  };
}

/** The no-show rate by week, where at least two weeks have one. */
export function weeklyRate({ days }: BookingNumbers): Markup | undefined {
  const weeks = Map.groupBy(days, weekOf).values();
  const rates = [...weeks].flatMap((week) => {
    const noShows = sumOf(week, (day) => day.no_show);
    const ended = sumOf(week, (day) => day.ended);
    return endedCounts(ended, noShows).rate ?? [];
  });
  if (rates.length < 2) return undefined;
  const [least, most, last] = [Math.min(...rates), Math.max(...rates), rates.at(-1) ?? 0].map(percentText);
  const summary = `No-show rate by week: from ${least} to ${most}, ${last} in the last week.`;
  return html`<p class="row soft">${sparkline({ values: rates, summary })} ${summary}</p>`;
}

/** One chart a currency: amounts in different currencies are never added up. */
export function revenueCharts({ from, to, currencies }: RevenueNumbers): readonly ChartCard[] {
  const first = Date.parse(`${from}T00:00:00Z`);
  const days = Array.from({ length: (Date.parse(`${to}T00:00:00Z`) - first) / dayMs + 1 }, (_, index) =>
    dayOf(first + index * dayMs),
  );
  return currencies.slice(0, mostCurrencies).map(({ currency, payments, amount, days: paid }, index): ChartCard => {
    const amounts = new Map(paid.map((each) => [each.day, each]));
    const spans = spansOf(days.map((day) => amounts.get(day) ?? { day, payments: 0, amount: 0 }));
    const unit = currency ?? '(no currency)';
    const each = payments === 1 ? '' : `, ${numberText(amount / payments)} on average`;
    const finding = `${numberText(amount)} ${unit} in ${counted(payments, 'payment')}${each}.`;
    return {
      id: `revenue-${index + 1}`,
      heading: `Revenue in ${unit}`,
      finding: html`<bdi>${finding}</bdi>`,
      chart: bars({
        id: `revenue-${index + 1}`,
        title: `Revenue in ${unit} by day of the booking`,
        summary: finding,
        series: [{ label: 'Amount', tone: 'accent' }],
        columnName: days.length <= mostDailyBars ? 'Day' : 'Week',
        columns: spans.map((span) => ({
          label: span.label,
          day: span.from,
          values: [sumOf(span.days, (day) => day.amount)],
          notes: [
            `${numberText(sumOf(span.days, (day) => day.amount))} in ${counted(
              sumOf(span.days, (day) => day.payments),
              'payment',
            )}`,
          ],
        })),
      }),
    };
  });
}
