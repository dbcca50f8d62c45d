// Numbers: bookings by outcome, no-show rates, busy hours and revenue in a range of days, each with one sentence that says what stands out.
import { html } from 'hono/html';
import { listBookingFilters } from '#src/api/bookings/list-bookings.ts';
import { getBookingNumbers, getRevenueNumbers, type BookingNumbers } from '#src/api/numbers/numbers.ts';
import { counted } from '#src/base/number-text.ts';
import { percentText, plainDay } from '#src/dashboard/charts/scale.ts';
import { choices, filters, withQuery, type Field } from '#src/dashboard/components/form.ts';
import { command, nothing, type Markup } from '#src/dashboard/components/markup.ts';
import { definePage, type Page, type PageCall } from '#src/dashboard/page.ts';
import { listOf, type ChartCard } from './chart-card.ts';
import { leadTimeChart, rateChart } from './rate-charts.ts';
import { dailyChart, hourChart, revenueCharts, weeklyRate } from './time-charts.ts';

export const numberPages: readonly Page[] = [
  definePage({
    path: '/numbers',
    section: '/numbers',
    async show(call) {
      const { ask, url, query } = call;
      const { time_zone: _zone, ...range } = query;
      // One after the other: SQLite reads on this thread.
      const numbers = await ask(getBookingNumbers, { query });
      const revenue = await ask(getRevenueNumbers, { query: range });
      const fields = await fieldsFor(call);
      const cards = [...(numbers.bookings === 0 ? [] : bookingCards(numbers, url)), ...revenueCharts(revenue)];
      return {
        title: 'Numbers',
        content: html`<h1>Numbers</h1>
          <p class="lead">${leadOf(numbers)} ${unconfirmedOf(numbers, url)}</p>
          ${weeklyRate(numbers)}
          ${choices(
            'Range of time',
            [30, 90, 365].map((days) => ({
              text: `${days} days`,
              href: withQuery(url, { days: days === 90 ? undefined : String(days), from: undefined, to: undefined }),
              isCurrent: !query['from'] && !query['to'] && Number(query['days'] ?? 90) === days,
            })),
          )}
          ${filters(url, query, fields)}
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
    <p class="finding">${finding}</p>
    ${chart}
  </section>`;

function leadOf({ from, to, bookings, meetings, no_shows: noShows, rate }: BookingNumbers): string {
  const range =
    from === to
      ? plainDay(from)
      : `${from.slice(0, 4) === to.slice(0, 4) ? plainDay(from).slice(0, -5) : plainDay(from)} to ${plainDay(to)}`;
  if (bookings === 0) return `No meetings ${from === to ? 'on' : 'from'} ${range}.`;
  const missed =
    rate === null
      ? `${counted(meetings, 'meeting')} held or missed: too few for a no-show rate.`
      : `${percentText(rate)} of ${counted(meetings, 'meeting')} were missed (${counted(noShows, 'no-show')}).`;
  return `${counted(bookings, 'booking')} for meetings ${from === to ? 'on' : 'from'} ${range}. ${missed}`;
}

/** A meeting without a mark counts as held, so the rate can only be too low. */
function unconfirmedOf(numbers: BookingNumbers, url: URL): Markup {
  const { unconfirmed, rate, rate_high: high } = numbers;
  if (unconfirmed === 0) return nothing;
  const list = listOf(url, numbers, { unconfirmed: 'true' });
  const range =
    rate === null || high === null
      ? nothing
      : html`: the true rate is between <strong>${percentText(rate)} and ${percentText(high)}</strong>`;
  return html`For <a href="${list}">${counted(unconfirmed, 'other')}</a> nothing shows whether the invitee came${range}.`;
}

async function fieldsFor({ ask }: PageCall): Promise<readonly Field[]> {
  const { hosts, event_types: types } = await ask(listBookingFilters);
  const options = (list: typeof hosts) => Object.fromEntries(list.map(({ uri, name }) => [uri, name]));
  return [
    { name: 'event_type', label: 'Event type', options: options(types) },
    { name: 'host', label: 'Host', options: options(hosts) },
    { name: 'days', label: 'Days', type: 'number', placeholder: '90' },
    { name: 'from', label: 'From', type: 'date' },
    { name: 'to', label: 'To', type: 'date' },
    { name: 'time_zone', label: 'Local time of', options: { invitee: 'the invitee' }, none: 'the host' },
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
  A booking counts on the day (<bdi>${timezone}</bdi>) on which its meeting starts; one that was rescheduled counts once, at its new time. Rates are
  no-shows of all meetings that were held or missed, and there is none for fewer than five. A meeting that ended without a mark counts as
  held; only a recap that lists the invitee, or a transcript that names them, shows that they came. Revenue counts on the day of the booking.
</p>`;
