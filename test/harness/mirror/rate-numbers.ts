// The numbers that count bookings: no-shows by what may explain them, within a range of days, and what happened on each day.
import { outcomes, type Counts, type Model, type Rate } from '../../oracle/bookings.ts';
import { nameOfHost, typeNames } from '../data/boundary-facts.ts';
import { byKey, ofView, type Ask, type AskedNumber } from './asked-number.ts';
import { figureIn, headlineIn, idOf, tableRows, type Answer, type Doors, type Rows } from './number-doors.ts';

type Dimension = keyof Model['keys'];

const rateIn = ({ ended, no_shows: missed, unknown }: Answer): Rate => [ended, missed, unknown];
const ofDimension =
  (dimension: string, month = '') =>
  (rows: Rows) =>
    byKey(
      rows
        .filter((row) => row.dimension === dimension && row.month === month)
        .map((row) => [row.value.startsWith('https:') ? idOf(row.value) : row.value, rateIn(row)]),
    );

const countedByDay = (from: string, to: string, outcome: string): string =>
  `/api/tables/bookings?start_day=gte.${from}&start_day=lte.${to}&outcome=eq.${outcome}&select=start_day,count()`;
export const pageOf = (from: string, to: string): string => `/numbers?from=${from}&to=${to}`;

/** `12.5%, 5 of 40`, and `too few (1 of 3)`, by the name of the row. */
const missedIn = (html: string, id: string): Counts =>
  byKey(
    tableRows(figureIn(html, id)).map(
      ({ cells: [name = '', note = ''] }) => [name, Number(/(\d+) of \d+/.exec(note)?.[1] ?? -1)] as const,
    ),
  );

const fieldOf: Record<'event_type' | 'host', (id: string) => string> = {
  event_type: (id) => typeNames[id] ?? id,
  host: nameOfHost,
};

const rateNumbers = (): Readonly<Record<string, AskedNumber>> => {
  const dimensions: readonly Dimension[] = [
    'event_type',
    'host',
    'utm_source',
    'weekday',
    'hour',
    'weekday_host',
    'hour_host',
    'hour_invitee',
  ];
  const march = ['2025-03-01', '2025-03-31'] as const;
  const week = ['2025-03-24', '2025-03-30'] as const;
  const within = ([from, to]: readonly [string, string], model: Model) => model.ended.filter(model.between(from, to));
  const summaryLines = (head: string) => async (doors: Doors) => {
    const lines = await doors.summary(week[0]);
    const rest = lines.slice(lines.indexOf(head) + 1);
    const end = rest.findIndex((line) => !line.startsWith('•'));
    return byKey(
      rest.slice(0, end < 0 ? undefined : end).map((line) => {
        const [, name = '', counts = ''] = /^• (.*): (.*)$/.exec(line) ?? [];
        const [came = 0, missed = 0, unknown = 0] = headlineIn(counts) ?? [];
        return [name, [came + missed + unknown, missed, unknown]] as const;
      }),
    );
  };
  const totals = ([from, to]: readonly [string, string]): Readonly<Record<string, Ask>> => ({
    page: async ({ page }) => {
      const [came = 0, missed = 0, unknown = 0] = headlineIn(await page(pageOf(from, to))) ?? [];
      return [came + missed + unknown, missed, unknown];
    },
  });
  return {
    ...Object.fromEntries(
      dimensions.map((dimension): [string, AskedNumber] => [
        `no-shows by ${dimension}`,
        {
          expected: (model) => byKey(Object.entries(model.rates(model.ended, model.keys[dimension]))),
          doors: ofView('no_show_rate', ofDimension(dimension)),
        },
      ]),
    ),
    'no-shows by month': {
      expected: (model) => byKey(Object.entries(model.rates(model.ended, model.keys.month))),
      doors: ofView('no_show_rate', (rows) =>
        byKey(rows.filter((row) => row.dimension === 'month').map((row) => [row.value, rateIn(row)])),
      ),
    },
    'no-show rate by event type': {
      expected: (model) =>
        byKey(
          Object.entries(model.rates(model.ended, model.keys.event_type)).map(([key, [all, missed, unknown]]) => [
            key,
            [missed / all, (missed + unknown) / all],
          ]),
        ),
      doors: ofView('no_show_rate', (rows) =>
        byKey(
          rows
            .filter((row) => row.dimension === 'event_type')
            .map((row) => [idOf(row.value), [row.rate_low, row.rate_high]]),
        ),
      ),
    },
    ...Object.fromEntries(
      (['event_type', 'host'] as const).flatMap((dimension): [string, AskedNumber][] => [
        [
          `no-shows of March by ${dimension}`,
          {
            expected: (model) => byKey(Object.entries(model.rates(within(march, model), model.keys[dimension]))),
            doors: ofView('no_show_rate', ofDimension(`${dimension}_month`, '2025-03')),
          },
        ],
        [
          `missed of March by the name of ${dimension}`,
          {
            expected: (model) =>
              byKey(
                Object.entries(model.rates(within(march, model), model.keys[dimension])).map(([key, [, missed]]) => [
                  fieldOf[dimension](key),
                  missed,
                ]),
              ),
            doors: {
              page: async ({ page }) =>
                missedIn(await page(pageOf(...march)), dimension === 'host' ? 'hosts' : 'event_types'),
            },
          },
        ],
      ]),
    ),
    'no-shows of March': {
      expected: (model) => model.rateOf(within(march, model)),
      doors: {
        ...totals(march),
        ...ofView('no_show_rate', (rows) => ofDimension('month', '2025-03')(rows)['2025-03']),
      },
    },
    'no-shows of a week': {
      expected: (model) => model.rateOf(within(week, model)),
      doors: {
        ...totals(week),
        summary: async ({ summary }) => {
          const [came = 0, missed = 0, unknown = 0] = headlineIn((await summary(week[0]))[0] ?? '') ?? [];
          return [came + missed + unknown, missed, unknown];
        },
      },
    },
    'no-shows of a week by the name of host': {
      expected: (model) =>
        byKey(
          Object.entries(model.rates(within(week, model), model.keys.host)).map(([key, rate]) => [
            nameOfHost(key),
            rate,
          ]),
        ),
      doors: { summary: summaryLines('By host:') },
    },
    'no-shows of a week by source': {
      expected: (model) =>
        byKey(
          Object.entries(model.rates(within(week, model), model.keys.utm_source)).map(([key, rate]) => [
            key || 'without a source',
            rate,
          ]),
        ),
      doors: { summary: summaryLines('By source:') },
    },
    ...Object.fromEntries(
      (['event_type', 'host'] as const).map((dimension): [string, AskedNumber] => [
        `what was missed of each ${dimension}`,
        {
          expected: (model) =>
            byKey(
              Object.entries(model.rates(model.ended, model.keys[dimension]))
                .filter(([, [, missed]]) => missed > 0)
                .map(([key, [all, missed]]) => [key, `${missed} of ${all}`]),
            ),
          doors: {
            alert: async ({ spikes }) =>
              byKey([...(await spikes(dimension))].map(([key, text]) => [key, /^\d+ of \d+/.exec(text)?.[0] ?? text])),
          },
        },
      ]),
    ),
    'no-shows of thirty days': {
      expected: (model) => model.rateOf(model.ended.filter(model.between(model.world.firstDay, '9999-12-31'))),
      doors: {
        page: async ({ page }) => {
          const [came = 0, missed = 0, unknown = 0] = headlineIn(await page('/numbers?days=30')) ?? [];
          return [came + missed + unknown, missed, unknown];
        },
        'page of no-shows': async ({ page }) => {
          const [came = 0, missed = 0, unknown = 0] = headlineIn(await page('/no-shows')) ?? [];
          return [came + missed + unknown, missed, unknown];
        },
      },
    },
  };
};

/** All of the fixed meetings. */
export const range = ['2025-03-01', '2025-04-10'] as const;
const dailyColumns: Readonly<Record<keyof Model['daily'], (row: Answer) => number>> = {
  booked: (row) => row.booked,
  moved: (row) => row.moved,
  canceled: (row) => row.canceled,
  ended: (row) => row.ended,
  no_shows: (row) => row.no_shows,
};

const dailyNumbers = (): Readonly<Record<string, AskedNumber>> => {
  const parts = { Came: ['came'], Unknown: ['unknown'], Upcoming: ['upcoming'], 'No-show': ['no_show'] } as const;
  const places = Object.keys(parts);
  return {
    ...Object.fromEntries(
      Object.entries(dailyColumns).map(([name, column]): [string, AskedNumber] => [
        `${name} by day and event type`,
        {
          expected: ({ daily }) => byKey(Object.entries(daily[name as keyof Model['daily']])),
          doors: ofView('bookings_daily', (rows) =>
            byKey(
              rows.filter((row) => column(row) > 0).map((row) => [`${row.day} ${idOf(row.event_type)}`, column(row)]),
            ),
          ),
        },
      ]),
    ),
    ...Object.fromEntries(
      Object.entries(parts).map(([label, of]): [string, AskedNumber] => [
        `meetings per day, ${label}`,
        {
          expected: (model) => byKey(Object.entries(model.perDay(of, ...range))),
          doors: {
            page: async ({ page }) =>
              byKey(
                tableRows(figureIn(await page(pageOf(...range)), 'daily'))
                  .map(({ html, cells }) => {
                    const [, day = ''] = /min_start_time=([\d-]+)/.exec(html) ?? [];
                    return [day, Number(cells[1 + places.indexOf(label)])] as const;
                  })
                  .filter(([, count]) => count > 0),
              ),
          },
        },
      ]),
    ),
    ...Object.fromEntries(
      outcomes
        .filter((outcome) => outcome !== 'moved')
        .map((outcome): [string, AskedNumber] => [
          `meetings per day, ${outcome}`,
          {
            expected: (model) => byKey(Object.entries(model.perDay([outcome], ...range))),
            doors: {
              door: async ({ get }) => {
                const days: Rows = (await get(countedByDay(...range, outcome))).collection;
                return byKey(days.map(({ start_day: day, count }) => [day, count]));
              },
            },
          },
        ]),
    ),
  };
};

export const numbersOfRates: Readonly<Record<string, AskedNumber>> = { ...rateNumbers(), ...dailyNumbers() };
