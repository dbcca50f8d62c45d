// The numbers about forms, money and people.
import type { Model } from '../../oracle/bookings.ts';
import { byKey, ofView, sorted, type AskedNumber } from './asked-number.ts';
import { idOf, tableRows, type Answer, type Doors, type Rows } from './number-doors.ts';
import { pageOf, range } from './rate-numbers.ts';

const funnelRow = (row: Answer) => ({
  submissions: Number(row.submissions),
  to_event_type: row.to_event_type,
  to_external_url: row.to_external_url,
  to_custom_message: row.to_custom_message,
  booked: row.booked,
  upcoming: row.upcoming,
  ended: row.ended,
  no_shows: row.no_shows,
  canceled: row.canceled,
});

const countBeside = (html: string, label: string): number =>
  Number(new RegExp(`<title>${label}: ([\\d,]+)`).exec(html)?.[1]?.replaceAll(',', '') ?? -1);
const funnelOn = (html: string) => ({
  submissions: countBeside(html, 'Submitted'),
  to_event_type: countBeside(html, 'Led to a booking page'),
  to_external_url: countBeside(html, 'Led to another site'),
  to_custom_message: countBeside(html, 'Ended with a message'),
  booked: countBeside(html, 'Booked'),
  upcoming: countBeside(html, 'Upcoming'),
  ended: countBeside(html, 'Ended'),
  no_shows: countBeside(html, 'No-show'),
  canceled: countBeside(html, 'Canceled'),
});

const formNumbers = (): Readonly<Record<string, AskedNumber>> => {
  const unbookedList = 'booked=false&result_type=event_type&from=2025-01-01';
  const ofSubmissions = (rows: Rows, uri: string, other: (row: Answer) => unknown) =>
    byKey(rows.map((row) => [idOf(row[uri]), other(row) ? idOf(other(row)) : null]));
  return {
    'funnel by form': {
      expected: ({ funnel }) => byKey(Object.entries(funnel.forms)),
      doors: {
        ...ofView('routing_funnel', (rows) => byKey(rows.map((row) => [idOf(row.routing_form), funnelRow(row)]))),
      },
    },
    funnel: {
      expected: ({ funnel }) => funnel.all,
      doors: {
        page: async ({ page }) => funnelOn(await page('/routing?from=2025-01-01')),
      },
    },
    'funnel of thirty days': {
      expected: ({ funnel }) => funnel.lastThirtyDays,
      doors: {
        page: async ({ page }) => funnelOn(await page('/routing')),
      },
    },
    'submissions without a booking': {
      expected: ({ unbooked }) => byKey(Object.entries(unbooked)),
      doors: {
        ...ofView('unbooked_submissions', (rows) =>
          ofSubmissions(rows, 'submission_uri', (row) => row.booked_otherwise),
        ),
      },
    },
    'which submissions have no booking': {
      expected: ({ unbooked }) => sorted(Object.keys(unbooked)),
      doors: {
        page: async ({ page }) => {
          const html = await page(`/routing?${unbookedList}`);
          const links = html.matchAll(/data-href="\/tables\/routing_form_submissions\/([^"]+)"/g);
          return sorted([...new Set([...links].map(([, uri = '']) => idOf(decodeURIComponent(uri))))]);
        },
        alert: ({ alerted }) => alerted('unbooked'),
      },
    },
  };
};

const moneyNumbers = (): Readonly<Record<string, AskedNumber>> => {
  const rounded = (amount: number) => Math.round(amount * 1e4) / 1e4;
  const sumOf = (payments: Model['payments']) => [
    payments.length,
    rounded(payments.reduce((sum, { amount }) => sum + amount, 0)),
  ];
  const inCurrency = (wanted: string) => (payments: Model['payments']) =>
    payments.filter(({ currency }) => currency === wanted);
  const days = `day=gte.${range[0]}&day=lte.${range[1]}`;
  const asked = async ({ get }: Doors, currency: string, select: string): Promise<Rows> =>
    (await get(`/api/tables/revenue?${days}&currency=eq.${currency}&select=${select}`)).collection;
  return Object.fromEntries(
    ['EUR', 'USD'].flatMap((currency): [string, AskedNumber][] => [
      [
        `revenue in ${currency}`,
        {
          expected: ({ payments }) =>
            byKey(
              [
                ...Map.groupBy(
                  inCurrency(currency)(payments),
                  ({ day, provider, event_type }) => `${day} ${provider} ${event_type}`,
                ),
              ].map(([key, those]) => [key, sumOf(those)]),
            ),
          doors: ofView('revenue', (rows) =>
            byKey(
              rows
                .filter((row) => row.currency === currency)
                .map((row) => [`${row.day} ${row.provider} ${idOf(row.event_type)}`, [row.payments, row.amount]]),
            ),
          ),
        },
      ],
      [
        `revenue by day in ${currency}`,
        {
          expected: ({ payments }) =>
            byKey(
              [...Map.groupBy(inCurrency(currency)(payments), ({ day }) => day)].map(([day, those]) => [
                day,
                sumOf(those),
              ]),
            ),
          doors: {
            door: async (doors) =>
              byKey(
                (await asked(doors, currency, 'day,sum(payments),sum(amount)')).map((row) => [
                  row.day,
                  [row.sum_payments, rounded(row.sum_amount)],
                ]),
              ),
          },
        },
      ],
      [
        `revenue in all in ${currency}`,
        {
          expected: ({ payments }) => sumOf(inCurrency(currency)(payments)),
          doors: {
            door: async (doors) => {
              const [sums] = await asked(doors, currency, 'sum(payments),sum(amount)');
              return [sums?.sum_payments, rounded(sums?.sum_amount)];
            },
            page: async ({ page }) => {
              const form = new RegExp(`([\\d.,]+) ${currency} in (\\d+) payment`);
              const [, amount, payments] = form.exec(await page(pageOf(...range))) ?? [];
              return [Number(payments), Number(amount)];
            },
          },
        },
      ],
    ]),
  );
};

const personCounts = (row: Answer) => ({
  contacts: sorted((row.contact_uris ?? []).map(idOf)),
  bookings: row.bookings,
  came: row.came,
  no_shows: row.no_shows,
  unknown: row.unknown,
  next_meeting: row.next_meeting ?? null,
});

const peopleNumbers = (): Readonly<Record<string, AskedNumber>> => {
  const lists = ['?count=100', '?count=100&contact=false'];
  const numbersOf = (is: (emails: string) => boolean): AskedNumber => {
    const byAddresses = (rows: Rows) =>
      byKey(
        rows.map((row) => [String(row.emails.join(' ')), personCounts(row)] as const).filter(([emails]) => is(emails)),
      );
    return {
      expected: ({ people }) => byKey(Object.entries(people).filter(([emails]) => is(emails))),
      doors: {
        ...ofView('people', byAddresses),
      },
    };
  };
  const onPage = (is: (emails: string) => boolean): AskedNumber => ({
    expected: ({ people }) =>
      byKey(
        Object.entries(people)
          .map(([emails, { bookings, no_shows }]) => [emails.replaceAll(' ', ', '), [bookings, no_shows]] as const)
          .filter(([emails]) => is(emails)),
      ),
    doors: {
      page: async ({ page }) =>
        byKey(
          (await Promise.all(lists.map(async (query) => tableRows(await page(`/people${query}`)))))
            .flat()
            .map(({ html, cells }) => {
              const [, emails = ''] = /<small><bdi>([^<]*)<\/bdi><\/small>/.exec(html) ?? [];
              return [emails, [Number(cells[1]), Number(cells[3])]] as const;
            })
            .filter(([emails]) => is(emails)),
        ),
    },
  });
  const isNowhere = (emails: string) => emails === 'nowhere@example.test';
  return {
    people: numbersOf((emails) => !isNowhere(emails)),
    'a person without a booking': numbersOf(isNowhere),
    'bookings and no-shows of people': onPage((emails) => !isNowhere(emails)),
    'bookings and no-shows of a person without a booking': onPage(isNowhere),
  };
};

export const numbersOfPeople: Readonly<Record<string, AskedNumber>> = {
  ...formNumbers(),
  ...moneyNumbers(),
  ...peopleNumbers(),
};
