// Numbers: bookings by outcome, no-show rates, busy hours and revenue in a range of days, each with one sentence that says what stands out.
import { html } from 'hono/html';
import { readBookingFilters } from '#src/read/bookings/hosts.ts';
import { parseInput } from '#src/http/request.ts';
import { counted, number } from '#src/base/number-text.ts';
import { localClock } from '#src/base/time-zone.ts';
import { dayMs, dayOf } from '#src/base/time.ts';
import { percentText, plainDay } from '#src/addons/dashboard/charts/scale.ts';
import { choices, filters, withQuery, type Field } from '#src/addons/dashboard/components/form.ts';
import { command, type Markup } from '#src/addons/dashboard/components/markup.ts';
import { readBookingNumbers, readEndedCounts, type BookingNumbers } from '#src/read/booking-numbers.ts';
import { readRevenueNumbers } from '#src/read/revenue-numbers.ts';
import type { EndedCounts } from '#src/read/ended-counts.ts';
import { definePage, type Page, type PageCall } from '#src/addons/dashboard/page.ts';
import { listOf, type ChartCard } from './chart-card.ts';
import { askText, countsText, rateText } from './headline.ts';
import { numbersQuery } from './range.ts';
import { leadTimeChart, rateChart } from './rate-charts.ts';
import { dailyChart, hourChart, revenueCharts, weeklyRate } from './time-charts.ts';

export const numberPages: readonly Page[] = [
  definePage({
    path: '/numbers',
    section: '/numbers',
    async show(call) {
      const { read, url, query, nowMs } = call;
      // PostgreSQL reads both at the same time.
      const [numbers, revenue] = await read(({ reading }) => {
        const asked = parseInput(numbersQuery, query);
        return Promise.all([readBookingNumbers(reading, asked, nowMs), readRevenueNumbers(reading, asked, nowMs)]);
      });
      const before = { ...query, ...rangeBefore(numbers), days: numbers.days.length };
      const earlier = await read(({ reading }) => readEndedCounts(reading, before, nowMs));
      const fields = await fieldsFor(call);
      const cards = [...(numbers.bookings === 0 ? [] : bookingCards(numbers, url)), ...revenueCharts(revenue)];
      return {
        title: 'Numbers',
        content: html`<h1>Numbers</h1>
          <p class="lead">${leadOf(numbers, url)}</p>
          <p class="soft">${bookingsOf(numbers)} ${beforeOf(earlier, before.days)}</p>
          ${weeklyRate(numbers)}
          ${choices(
            'Range of time',
            [30, 90, 365].map((days) => ({
              text: `${days} days`,
              href: withQuery(url, { days: days === 90 ? undefined : String(days), from: undefined, to: undefined }),
              isCurrent: numbers.to === today(call, numbers) && numbers.days.length === days,
            })),
          )}
          ${filters(url, query, fields(numbers))}
          ${cards.length === 0 ? emptyRange(query) : html`<div class="charts">${cards.map(cardView)}</div>`}
          ${cards.length === 0 ? '' : explanation(numbers.timezone)}`,
      };
    },
  }),
];

const bookingCards = (numbers: BookingNumbers, url: URL): readonly ChartCard[] => [
  dailyChart(numbers, url),
  rateChart(numbers, url, 'event_types'),
  rateChart(numbers, url, 'hosts'),
  rateChart(numbers, url, 'campaigns'),
  leadTimeChart(numbers),
  hourChart(numbers),
];

const cardView = ({ id, heading, finding, chart, isWide }: ChartCard): Markup =>
  html`<section class="card${isWide ? ' wide' : ''}" aria-labelledby="${id}-heading">
    <h2 id="${id}-heading">${heading}</h2>
    <p class="soft finding">${finding}</p>
    ${chart}
  </section>`;

const rangeText = ({ from, to }: Pick<BookingNumbers, 'from' | 'to'>): string => {
  if (from === to) return `on ${plainDay(from)}`;
  return `from ${from.slice(0, 4) === to.slice(0, 4) ? plainDay(from).slice(0, -5) : plainDay(from)} to ${plainDay(to)}`;
};

function leadOf(numbers: BookingNumbers, url: URL): Markup {
  const { bookings, ended } = numbers;
  if (bookings === 0) return html`No meetings ${rangeText(numbers)}.`;
  if (ended === 0) return html`No meeting ended ${rangeText(numbers)}.`;
  const list = listOf(url, numbers, { unconfirmed: 'true' });
  return html`${counted(ended, 'meeting')} ${rangeText(numbers)}: ${countsText(numbers)}. ${rateText(numbers)} ${askText(numbers, list)}`;
}

/** Why there are more bookings than meetings. */
function bookingsOf({ bookings, ended, days }: BookingNumbers): string {
  if (bookings === 0) return '';
  const upcoming = days.reduce((sum, day) => sum + day.upcoming, 0);
  return `${counted(bookings, 'booking')}: ${number(ended)} ended, ${number(upcoming)} upcoming, ${number(bookings - ended - upcoming)} canceled.`;
}

function rangeBefore({ from, days }: BookingNumbers): { readonly from: string; readonly to: string } {
  const startMs = Date.parse(`${from}T00:00:00Z`);
  return { from: dayOf(startMs - days.length * dayMs), to: dayOf(startMs - dayMs) };
}

const beforeOf = (earlier: EndedCounts, days: number): string =>
  earlier.rate === null
    ? ''
    : `${counted(days, 'day')} before: ${percentText(earlier.rate)} of ${counted(earlier.ended, 'meeting')} were missed.`;

const today = ({ nowMs }: PageCall, { timezone }: BookingNumbers): string =>
  dayOf(localClock(timezone)?.(nowMs) ?? nowMs);

/** The choices of the range set its days, too. */
async function fieldsFor({ read }: PageCall): Promise<(range: BookingNumbers) => readonly Field[]> {
  const { hosts, eventTypes: types } = await read(readBookingFilters);
  const options = (list: typeof hosts) => Object.fromEntries(list.map(({ uri, name }) => [uri, name]));
  return ({ from, to }) => [
    { name: 'event_type', label: 'Event type', options: options(types) },
    { name: 'host', label: 'Host', options: options(hosts) },
    { name: 'from', label: 'From', type: 'date', initial: from },
    { name: 'to', label: 'To', type: 'date', initial: to },
    { name: 'time_zone', label: 'Busy hours of', options: { invitee: 'the invitee' }, none: 'the host' },
  ];
}

function emptyRange(query: PageCall['query']): Markup {
  const isFiltered = 'event_type' in query || 'host' in query;
  if (isFiltered) return html`<p class="empty">No meeting in this range matches these filters.</p>`;
  return html`<p class="empty">
    No meeting starts in this range. Bookings arrive with <code>invitee.created</code>; ${command('backfill')} copies
    earlier ones.
  </p>`;
}

const explanation = (timezone: string): Markup => html`<p class="soft">
  Rate = missed ÷ ended, shown from five meetings on. A meeting that ended without a no-show mark is unknown until something shows that the
  invitee came. A booking counts once, on the day (<bdi>${timezone}</bdi>) its meeting starts; revenue counts on the day of the booking.
</p>`;
