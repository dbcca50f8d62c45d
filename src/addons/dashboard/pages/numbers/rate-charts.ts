// The charts of no-show rates: by event type, host, campaign and lead time. Names lead to the bookings behind them.
import { html } from 'hono/html';
import type { BookingNumbers } from '#src/read/booking-numbers.ts';
import { counted, number } from '#src/base/number-text.ts';
import { horizontalBars } from '#src/addons/dashboard/charts/horizontal-bars.ts';
import { percentText } from '#src/addons/dashboard/charts/scale.ts';
import { greatestOf, listOf, type ChartCard, type Query } from './chart-card.ts';

const mostRows = 10;

type Missed = Pick<BookingNumbers['hosts'][number], 'ended' | 'no_shows' | 'rate'>;

const noteOf = ({ ended, no_shows: noShows, rate }: Missed): string =>
  rate === null
    ? `too few (${number(noShows)} of ${number(ended)})`
    : `${percentText(rate)}, ${number(noShows)} of ${number(ended)}`;

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
  const shown = groups.slice(0, mostRows).toSorted((a, b) => (b.rate ?? -1) - (a.rate ?? -1) || b.ended - a.ended);
  const finding = worstOf(
    shown,
    one,
    ({ name, ...missed }) => `${name} has the highest rate: ${noteOf(missed)} meetings.`,
  );
  const rest =
    groups.length > mostRows ? ` The ${mostRows} with the most meetings are shown, of ${number(groups.length)}.` : '';
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
        href: list && listOf(url, numbers, list),
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
        .filter(({ ended }) => ended > 0)
        .map(({ text, ...missed }) => ({ label: text, value: missed.rate, note: noteOf(missed) })),
    }),
  };
}
