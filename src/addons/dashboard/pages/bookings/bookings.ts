// Bookings: the list, each with its reschedules as one row.
import { html } from 'hono/html';
import { dayMs, instantOf } from '#src/base/time.ts';
import { findBookings, newestFirst, type BookingRow } from '#src/read/bookings/bookings.ts';
import {
  askedList,
  columnIn,
  refusedList,
  type AskedList,
  type Filter,
} from '#src/addons/dashboard/components/asked-list.ts';
import { filters, type Field } from '#src/addons/dashboard/components/form.ts';
import { localQuery } from '#src/addons/dashboard/components/local-times.ts';
import { command, foreign, idOf, time, who, type Markup } from '#src/addons/dashboard/components/markup.ts';
import { rowList, rowPager, type RowColumn } from '#src/addons/dashboard/components/rows.ts';
import { definePage, newestEntry, type PageCall, type View } from '#src/addons/dashboard/page.ts';
import { answerColumn, answeredNotice, canAnswer, currentAnswer, withoutAnswer } from './answer-buttons.ts';
import {
  attendanceBadge,
  attendanceTexts,
  bookingBadge,
  meetingFilters,
  outcomeTexts,
  startEnds,
  timesText,
} from './outcome.ts';

/** How long after a meeting it counts as unconfirmed. */
const unconfirmedMs = 7 * dayMs;

const statuses = ['active', 'canceled'] as const;

const bookingList = {
  table: 'bookings',
  order: newestFirst,
  ends: startEnds,
  filters: {
    q: 'text',
    outcome: { column: 'outcome', operator: 'eq' },
    attendance: { column: 'attendance', operator: 'eq' },
    host: 'uri',
    event_type: { column: 'event_type', operator: 'eq' },
    min_start_time: { column: 'start_time', operator: 'gte' },
    max_start_time: { column: 'start_time', operator: 'lte' },
    utm_campaign: { column: 'utm_campaign', operator: 'eq' },
    email: 'text',
    unconfirmed: { oneOf: ['true'] },
    status: { oneOf: statuses },
  } satisfies Readonly<Record<string, Filter>>,
} as const;

export const bookingsPage = definePage({ path: '/bookings', section: '/bookings', show: showBookings });

async function showBookings(call: PageCall): Promise<View> {
  const url = withoutAnswer(call.url);
  const { answered: _answered, of: _of, ...given } = call.query;
  const local = localQuery({ ...call, query: given }, startEnds);
  const fields = await fieldsOf(call, local.query);
  try {
    return await bookingsView({ ...call, url }, { fields, local });
  } catch (error) {
    const refused = refusedList(error, { title: 'Bookings', url, fields, local });
    if (refused === undefined) throw error;
    return refused;
  }
}

interface Form {
  readonly fields: readonly Field[];
  readonly local: ReturnType<typeof localQuery>;
}

async function bookingsView(call: PageCall, { fields, local }: Form): Promise<View> {
  const { url, query: given } = call;
  const { query } = local;
  // A search is not repeated with every delivery.
  const liveAfter = Object.keys(query).length === 0 ? await newestEntry(call) : undefined;
  const { asked, rows, pagination } = await call.read(async (mirror) => {
    const list = await askedList(mirror, { ...call, url }, bookingList);
    return { asked: list, ...list.listed(await findBookings(mirror.reading, searchIn(list, call.nowMs), list)) };
  });
  const isAsking = query['unconfirmed'] !== undefined || query['attendance'] !== undefined;
  const answering = isAsking && (await canAnswer(call)) ? [answerColumn(url, answerableOf)] : [];
  return {
    title: 'Bookings',
    liveAfter,
    content: html`<h1>Bookings</h1>
      <p class="lead">${leadText(query, answering.length > 0)}</p>
      ${answeredNotice(given, url)} ${filters(url, query, fields, local)}
      ${rowList<BookingRow>({
        table: asked.relation,
        rows,
        order: asked.order,
        url,
        caption: 'Bookings',
        keyOf: ({ uri }) => uri,
        linkOf: ({ last_invitee: uri }) => `/bookings/${idOf(uri)}`,
        empty: emptyList(asked.values),
        columns: [...columnsOf(asked, answering.length > 0), ...answering],
      })}
      ${rowPager(pagination, url)}`,
  };
}

function searchIn({ where, values }: AskedList, nowMs: number) {
  const { q, email, host, unconfirmed, min_start_time: since = instantOf(nowMs - unconfirmedMs) } = values;
  const status = statuses.find((each) => each === values['status']);
  return { where, q, email, host, status, unconfirmedSince: unconfirmed && since };
}

const fieldsOf = async (call: PageCall, query: PageCall['query']): Promise<readonly Field[]> => [
  { name: 'q', label: 'Name or e-mail address', type: 'search', placeholder: 'a part of it' },
  { name: 'outcome', label: 'Outcome', options: outcomeTexts },
  { name: 'attendance', label: 'Attendance', options: attendanceTexts },
  ...(await meetingFilters(call)),
  { name: 'utm_campaign', label: 'Campaign' },
  { name: 'order', label: 'Sorted by', none: 'booked or moved, newest first', options: orders },
  ...rareFields.filter(({ name }) => query[name] !== undefined),
];

/** As the headings sort, which a narrow screen does not have. */
const orders = {
  'start_time.asc': 'start, earliest first',
  'start_time.desc': 'start, latest first',
  'invitee_name.asc': 'who',
  'event_type_name.asc': 'event',
  'host_name.asc': 'host',
  'outcome.asc': 'outcome',
  'attendance.asc': 'attendance',
} as const;

const answerableOf = (booking: BookingRow) =>
  booking.attendance === null ? undefined : { invitee: booking.last_invitee, answer: currentAnswer(booking) };

/** Links of other pages use these; the form shows them only then. */
const rareFields: readonly Field[] = [
  { name: 'email', label: 'E-mail address', type: 'email' },
  { name: 'unconfirmed', label: 'Without evidence', options: { true: 'that the invitee came' } },
  { name: 'status', label: 'Status', options: { active: 'not canceled', canceled: 'canceled' } },
];

function leadText(query: PageCall['query'], isAnswering: boolean): string {
  if (isAnswering) return 'Did the invitee come? An answered meeting leaves this list.';
  if (query['unconfirmed'] !== undefined)
    return 'Did the invitee come? No recap or transcript of these meetings says so. Mark those who did not come, at the service.';
  const what = 'A booking that was moved is one row.';
  return query['order'] === undefined ? `Newest first. ${what}` : what;
}

function emptyList(query: PageCall['query']): Markup | string {
  if (query['unconfirmed'] !== undefined)
    return 'Nothing to check: a mark, an answer, a recap or a transcript shows who came.';
  if (Object.keys(query).length > 0) return 'No booking matches these filters.';
  return html`There are no bookings yet. They arrive with <code>invitee.created</code>;
    ${command('backfill')} copies those that the service has.`;
}

function columnsOf({ relation }: AskedList, isAnswering: boolean): readonly RowColumn<BookingRow>[] {
  const made: RowColumn<BookingRow> = { ...columnIn(relation, 'made_at'), label: 'Booked or moved', isMinor: true };
  return [
    {
      ...columnIn(relation, 'invitee_name'),
      label: 'Who',
      cell: ({ last_invitee: uri, invitee_name: name, invitee_email: email }) =>
        who({ name, email, href: `/bookings/${idOf(uri)}` }),
    },
    {
      ...columnIn(relation, 'event_type_name'),
      label: 'Event',
      cell: ({ event_type_name: name }) => foreign(name),
    },
    {
      ...columnIn(relation, 'host_name'),
      label: 'Host',
      cell: ({ host_name: host }) => (host === null ? '' : html`<bdi>${host}</bdi>`),
    },
    {
      ...columnIn(relation, 'start_time'),
      label: 'Starts',
      cell: ({ start_time: start }) => (start === null ? 'unknown' : time(start)),
    },
    {
      ...columnIn(relation, 'outcome'),
      label: 'Outcome',
      cell: ({ outcome, moves }) =>
        html`${bookingBadge(outcome)}${moves === 0 ? '' : html` <span class="soft">moved ${timesText(Number(moves))}</span>`}`,
    },
    {
      ...columnIn(relation, 'attendance'),
      label: 'Attendance',
      cell: ({ outcome, attendance }) =>
        attendance === null || outcome === 'no_show' ? '' : attendanceBadge(attendance),
    },
    ...(isAnswering ? [] : [made]),
  ];
}
