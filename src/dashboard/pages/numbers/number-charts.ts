// The charts of the page Numbers, each with the sentence above it. Marks lead to the bookings behind them.
import { html } from 'hono/html';
import type { BookingNumbers, RevenueNumbers } from '#src/api/numbers/numbers.ts';
import { dayMs } from '#src/base/time.ts';
import { bars, type ChartColumn } from '#src/dashboard/charts/column-chart.ts';
import { heatMap } from '#src/dashboard/charts/heat-map.ts';
import { horizontalBars } from '#src/dashboard/charts/horizontal-bars.ts';
import type { Series } from '#src/dashboard/charts/figure.ts';
import { longDay, numberText, percentText, plainDay, shortDay } from '#src/dashboard/charts/scale.ts';
import { address, counted, number, type Markup } from '#src/dashboard/components/markup.ts';

export interface ChartCard {
  readonly id: string;
  readonly heading: string;
  /** One sentence that says what stands out. */
  readonly finding: Markup | string;
  readonly chart: Markup;
  /** Takes the whole width of the page. */
  readonly isWide?: boolean;
}

interface Missed {
  readonly meetings: number;
  readonly no_shows: number;
  readonly rate: number | null;
}

type Query = Readonly<Record<string, string | undefined>>;

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
/** With more days, one bar is a week. */
const mostDailyBars = 120;
const mostRows = 10;
const mostCurrencies = 4;

/** The bookings of a range of days, with the filters of this page. */
function listOf(url: URL, from: string, to: string, more: Query = {}): string {
  const { event_type, host } = Object.fromEntries(url.searchParams);
  return address('/bookings', { event_type, host, min_start_time: from, max_start_time: to, ...more });
}

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
  const weekOf = ({ day }: Value): number => Math.floor((Date.parse(`${day}T00:00:00Z`) / dayMs + 3) / 7);
  return [...Map.groupBy(days, weekOf).values()].map((week) => {
    const from = week[0]?.day ?? '';
    const to = week.at(-1)?.day ?? '';
    return { from, to, label: `${shortDay(from)} to ${plainDay(to)}`, days: week };
  });
}

const sumOf = <Value>(values: readonly Value[], amountOf: (value: Value) => number): number =>
  values.reduce((sum, value) => sum + amountOf(value), 0);
const greatestOf = <Value>(values: readonly Value[], amountOf: (value: Value) => number): Value | undefined =>
  values.reduce<Value | undefined>(
    (best, value) => (best === undefined || amountOf(value) > amountOf(best) ? value : best),
    undefined,
  );

type Day = BookingNumbers['days'][number];
const parts: readonly (Series & { countOf(day: Day): number; readonly list: Query })[] = [
  { label: 'Held', tone: 'accent', countOf: (day) => day.held, list: { outcome: 'held' } },
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

export function dailyChart({ days }: BookingNumbers, url: URL): ChartCard {
  const spans = spansOf(days);
  const isDaily = days.length <= mostDailyBars;
  const busiest = greatestOf(spans, (span) => bookingsOn(span.days));
  const finding = busiest
    ? `${isDaily ? busiest.label : `The week from ${busiest.label}`} has the most bookings: ${number(bookingsOn(busiest.days))}.`
    : 'There are no bookings.';
  const columns = spans.map(({ from, to, label, days: those }): ChartColumn => ({
    label,
    day: from,
    values: parts.map(({ countOf }) => sumOf(those, countOf)),
    href: listOf(url, from, to),
    hrefs: parts.map(({ list }) => listOf(url, from, to, list)),
  }));
  const heading = isDaily ? 'Bookings per day' : 'Bookings per week';
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

const noteOf = ({ meetings, no_shows: noShows, rate }: Missed): string =>
  rate === null
    ? `too few (${number(noShows)} of ${number(meetings)})`
    : `${percentText(rate)}, ${number(noShows)} of ${number(meetings)}`;

/** Says which of these is missed most often; `one` is what they are. */
function worstOf<Value extends Missed>(
  values: readonly Value[],
  one: string,
  sentence: (value: Value) => string,
): string {
  const rated = values.filter(({ rate }) => rate !== null);
  const worst = greatestOf(rated, ({ rate }) => rate ?? 0);
  if (worst === undefined) return `No ${one} has five meetings in this range, so there are no rates.`;
  return worst.rate === 0 ? `No ${one} with five or more meetings has a no-show.` : sentence(worst);
}

const dimensions = {
  event_types: {
    heading: 'No-shows by event type',
    one: 'event type',
    head: 'Event type',
    unknown: 'Unknown event type',
  },
  hosts: { heading: 'No-shows by host', one: 'host', head: 'Host', unknown: 'No host' },
  campaigns: { heading: 'No-shows by campaign', one: 'campaign', head: 'Campaign', unknown: 'No campaign' },
} as const;

interface Group extends Missed {
  readonly name: string;
  /** Narrows the list of bookings down to this group. */
  readonly list: Query | undefined;
}

function groupsIn(numbers: BookingNumbers, dimension: keyof typeof dimensions): readonly Group[] {
  const { unknown } = dimensions[dimension];
  if (dimension === 'campaigns')
    return numbers.campaigns.map(({ campaign, ...missed }) => ({
      ...missed,
      name: campaign ?? unknown,
      list: campaign === null ? undefined : { utm_campaign: campaign },
    }));
  return numbers[dimension].map(({ uri, name, ...missed }) => ({
    ...missed,
    name: name ?? uri ?? unknown,
    list: uri === null ? undefined : { [dimension === 'hosts' ? 'host' : 'event_type']: uri },
  }));
}

/** The groups with the most meetings, those with the highest rate first. */
export function rateChart(numbers: BookingNumbers, url: URL, dimension: keyof typeof dimensions): ChartCard {
  const { heading, one, head } = dimensions[dimension];
  const groups = groupsIn(numbers, dimension);
  const shown = groups
    .slice(0, mostRows)
    .toSorted((a, b) => (b.rate ?? -1) - (a.rate ?? -1) || b.meetings - a.meetings);
  const finding = worstOf(
    shown,
    one,
    ({ name, ...missed }) => `${name} has the highest rate: ${noteOf(missed)} meetings.`,
  );
  const rest =
    groups.length > mostRows ? ` Shown are the ${mostRows} with the most meetings, of ${number(groups.length)}.` : '';
  return {
    id: dimension,
    heading,
    finding: html`<bdi>${finding}</bdi>${rest}`,
    chart: horizontalBars({
      id: dimension,
      title: heading,
      summary: finding,
      head: [head, 'No-show rate'],
      format: percentText,
      rows: shown.map(({ name, list, ...missed }) => ({
        label: name,
        value: missed.rate,
        note: noteOf(missed),
        href: list && listOf(url, numbers.from, numbers.to, list),
      })),
    }),
  };
}

/** `under 1 day`, `2 to 3 days`, `30 days or more` */
function leadText(min: number, max: number | null): string {
  const [first, last] = [min / 24, max === null ? null : max / 24 - 1];
  if (last === null) return `${first} days or more`;
  if (first === 0) return 'Under 1 day';
  return first === last ? counted(first, 'day') : `${first} to ${last} days`;
}

export function leadTimeChart({ lead_times: leads }: BookingNumbers): ChartCard {
  const rows = leads.map(({ min_hours: min, max_hours: max, ...missed }) => ({ ...missed, text: leadText(min, max) }));
  const finding = worstOf(
    rows,
    'range of lead times',
    ({ text, ...missed }) => `Meetings booked ${text.toLowerCase()} ahead are missed most often: ${noteOf(missed)}.`,
  );
  return {
    id: 'lead_times',
    heading: 'No-shows by lead time',
    finding,
    chart: horizontalBars({
      id: 'lead_times',
      title: 'No-show rate by the time from the booking to the meeting',
      summary: finding,
      head: ['Booked ahead', 'No-show rate'],
      format: percentText,
      rows: rows
        .filter(({ meetings }) => meetings > 0)
        .map(({ text, ...missed }) => ({ label: text, value: missed.rate, note: noteOf(missed) })),
    }),
  };
}

export function hourChart({ hours, time_zone: zone, unknown_time_zone: unknown }: BookingNumbers): ChartCard {
  const used = hours.map(({ hour }) => hour);
  // The day at work, and whatever hours there are besides.
  const first = Math.min(8, ...used);
  const shown = Array.from({ length: Math.max(18, ...used) - first + 1 }, (_, index) => first + index);
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

/** One chart a currency: amounts in different currencies are never added up. */
export function revenueCharts({ from, to, currencies }: RevenueNumbers): readonly ChartCard[] {
  const first = Date.parse(`${from}T00:00:00Z`);
  const days = Array.from({ length: (Date.parse(`${to}T00:00:00Z`) - first) / dayMs + 1 }, (_, index) =>
    new Date(first + index * dayMs).toISOString().slice(0, 10),
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
