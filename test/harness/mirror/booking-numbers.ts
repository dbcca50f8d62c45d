// The numbers about single bookings: which there are, how they ended, who came, who canceled, and what happened when.
import { momentNames, outcomes, type Attendance, type Booking, type Model } from '../../oracle/bookings.ts';
import { byKey, ofView, sorted, type Ask, type AskedNumber } from './asked-number.ts';
import { idOf, listedIn, named, present, type Answer, type Doors, type Rows } from './number-doors.ts';

const allBookings = '/api/tables/bookings';

/** Of every booking, from each list of bookings. */
const ofBookings = (read: (rows: Rows) => unknown): Readonly<Record<string, Ask>> => ({
  ...ofView(named.bookings, read),
  door: async ({ list }) => read(present(await list(allBookings))),
});

const lastOf = (rows: Rows) => sorted(rows.map((row) => idOf(row.last_invitee)));
const lasts = (bookings: readonly Booking[]) => sorted(bookings.map(({ last }) => last.id));
/** One value of each booking. */
const each = (value: (row: Answer) => unknown, is = (_row: Answer): boolean => true) => {
  return (rows: Rows) => byKey(rows.filter(is).map((row) => [idOf(row.last_invitee), value(row) ?? null]));
};
const ofModel = (value: (booking: Booking) => unknown, is = (_booking: Booking): boolean => true) => {
  return ({ bookings }: Model) => byKey(bookings.filter(is).map((booking) => [booking.last.id, value(booking)]));
};

/** Those with a value in a column, from every list and every filter by it. */
function having(
  column: 'outcome' | 'attendance',
  value: string,
  is = (_id: string): boolean => true,
): Readonly<Record<string, Ask>> {
  const those = (ids: readonly string[]) => sorted(ids.filter(is));
  const chosen = (rows: Rows) => those(lastOf(rows.filter((row) => row[column] === value)));
  return {
    ...ofBookings(chosen),
    filter: async ({ list }) => {
      const rows = await list(`${allBookings}?${column}=eq.${value}`);
      return rows && those(lastOf(rows));
    },
    page: async ({ page }) => those(listedIn(await page(`/bookings?count=100&${column}=${value}`))),
    'filter of the tool': async ({ tool }) => {
      const rows = await tool(JSON.stringify({ table: 'bookings', filters: { [column]: `eq.${value}` } }));
      return rows && those(lastOf(rows));
    },
  };
}

/** Each booking with its page. */
const timelines = async ({ list, page }: Doors) => {
  const found = [];
  for (const { last_invitee: uri } of present(await list(allBookings)))
    found.push({ id: idOf(uri), html: await page(`/bookings/${idOf(uri)}`) });
  return found;
};

function momentDoors(moment: (typeof momentNames)[number]): Readonly<Record<string, Ask>> {
  return {
    ...ofView('booking_moments', (rows) =>
      rows
        .filter((row) => row.moment === moment)
        .map((row) => `${idOf(row.invitee)} ${row.at}`)
        .toSorted(),
    ),
    page: async (doors) =>
      (await timelines(doors))
        .flatMap(({ id, html }) => {
          const line = /<ol class="plain journey.*?<\/ol>/s.exec(html)?.[0] ?? '';
          const points = [...line.matchAll(/<strong>([^<]*)<\/strong><time datetime="([^"]*)"/g)];
          const label = named.labels[moment] ?? moment;
          return points.filter(([, text]) => text === label).map(([, , at]) => `${id} ${at}`);
        })
        .toSorted(),
  };
}

const momentsExpected =
  (moment: (typeof momentNames)[number], whose: 'invitee' | 'booking') =>
  ({ moments, bookings }: Model) => {
    const lastIn = new Map(bookings.map(({ id, last }) => [id, last.id]));
    return moments
      .filter((one) => one.moment === moment)
      .map(({ booking, invitee, at }) => `${whose === 'invitee' ? invitee : lastIn.get(booking)} ${at}`)
      .toSorted();
  };

const attendances: readonly Attendance[] = ['confirmed', 'likely', 'suspected_no_show', 'unconfirmed', 'no_show'];
const basisOf = (basis: string | null): string | null =>
  basis?.startsWith('attendance.confirmed-') ? 'an answer' : basis;
/** Whose time is known only from the meeting. */
const knownFromMeeting: ReadonlySet<string> = new Set(['when1', 'whole1', 'whosehost1']);
const isOver = ({ outcome }: { readonly outcome: string | null }): boolean => /cancel/.test(String(outcome));

const bookingNumbers = (): Readonly<Record<string, AskedNumber>> => ({
  bookings: {
    expected: ({ bookings }) => lasts(bookings),
    doors: {
      ...ofBookings(lastOf),
      page: async ({ page }) => sorted(listedIn(await page('/bookings?count=100'))),
    },
  },
  'the links of bookings': {
    expected: ofModel(
      ({ id, first, links, moves }) => [id, first.id, links.length, moves].join(' '),
      ({ links, outcome }) => links.length > 1 || outcome === 'moved',
    ),
    doors: ofBookings(
      each(
        (row) => [idOf(row[named.bookingUri]), idOf(row.first_invitee), row.invitees, row.moves].join(' '),
        (row) => row.moves > 0,
      ),
    ),
  },
  'when bookings were made, and their meetings': {
    expected: ofModel(
      ({ first, meeting }) => [first.made, meeting.start, meeting.end],
      ({ outcome }) => outcome !== null,
    ),
    doors: ofBookings(
      each(
        (row) => [row.booked_at, row.start_time, row.end_time],
        (row) => row.outcome !== null,
      ),
    ),
  },
  ...Object.fromEntries(
    outcomes.map((outcome): [string, AskedNumber] => [
      `outcome ${outcome}`,
      {
        expected: (model) => lasts(model.having(outcome)),
        doors: {
          ...having('outcome', outcome),
          ...((outcome === 'no_show' || outcome === 'late_cancellation') && {
            alert: ({ alerted }) => alerted(outcome),
          }),
        },
      },
    ]),
  ),
  ...Object.fromEntries(
    (['canceled_by_invitee', 'late_cancellation'] as const).map((outcome): [string, AskedNumber] => [
      `outcome ${outcome}, whose time the invitee says`,
      {
        expected: (model) => lasts(model.having(outcome)).filter((id) => !knownFromMeeting.has(id)),
        doors: having('outcome', outcome, (id) => !knownFromMeeting.has(id)),
      },
    ]),
  ),
  'outcome unknown time': {
    expected: (model) => lasts(model.having(null)),
    doors: ofBookings((rows) => lastOf(rows.filter(({ outcome }) => outcome === null))),
  },
  ...Object.fromEntries(
    attendances.map((attendance): [string, AskedNumber] => [
      `attendance ${attendance}`,
      {
        expected: (model) => lasts(model.withAttendance(attendance)),
        doors: {
          ...having('attendance', attendance),
          ...(attendance === 'suspected_no_show' && { alert: ({ alerted }) => alerted(attendance) }),
        },
      },
    ]),
  ),
  'what attendance follows from': {
    expected: ofModel(
      ({ basis }) => basis,
      ({ basis }) => basis !== null,
    ),
    doors: ofBookings(
      each(
        (row) => basisOf(row.attendance_basis),
        (row) => row.attendance_basis !== null,
      ),
    ),
  },
  'notice of cancellations': {
    expected: ofModel(
      ({ notice }) => notice,
      (booking) => isOver(booking) && !knownFromMeeting.has(booking.last.id),
    ),
    doors: ofView(
      named.bookings,
      each(
        (row) => row.cancel_notice_seconds,
        (row) => isOver(row) && !knownFromMeeting.has(idOf(row.last_invitee)),
      ),
    ),
  },
  'notice of cancellations known from the meeting': {
    expected: ofModel(
      ({ notice }) => notice,
      ({ last }) => knownFromMeeting.has(last.id),
    ),
    doors: ofView(
      named.bookings,
      each(
        (row) => row.cancel_notice_seconds,
        (row) => knownFromMeeting.has(idOf(row.last_invitee)),
      ),
    ),
  },
  'who canceled': {
    expected: ofModel(({ cancellation }) => cancellation.by, isOver),
    doors: ofBookings(each((row) => row.canceler_type, isOver)),
  },
  'when it was canceled': {
    expected: ofModel(({ cancellation }) => cancellation.at, isOver),
    doors: ofBookings(each((row) => row.canceled_at, isOver)),
  },
  'open no-show marks': {
    expected: (model) =>
      sorted(
        model
          .having('no_show')
          .flatMap(({ last }) => (last.marks ?? []).filter(({ removed }) => !removed).map(({ id }) => id)),
      ),
    doors: {
      page: async ({ page }) =>
        sorted(
          [...(await page('/no-shows?count=100')).matchAll(/<tr data-key="([^"]*)"/g)].map(([, uri]) => idOf(uri)),
        ),
    },
  },
});

const momentNumbers = (): Readonly<Record<string, AskedNumber>> =>
  Object.fromEntries(
    momentNames.flatMap((moment): [string, AskedNumber][] => {
      const { page, ...doors } = momentDoors(moment);
      return [
        [`moment ${moment}`, { expected: momentsExpected(moment, 'invitee'), doors }],
        [
          `moment ${moment}, by booking`,
          { expected: momentsExpected(moment, 'booking'), doors: { ...(page && { page }) } },
        ],
      ];
    }),
  );

export const numbersOfBookings: Readonly<Record<string, AskedNumber>> = { ...bookingNumbers(), ...momentNumbers() };
