// Bookings: the list, each with its reschedules as one row.
import { html } from 'hono/html';
import { listBookings } from '#src/api/bookings/list-bookings.ts';
import { filters, type Field } from '#src/addons/dashboard/components/form.ts';
import { localQuery } from '#src/addons/dashboard/components/local-times.ts';
import { pager, table, type Column } from '#src/addons/dashboard/components/list.ts';
import { command, foreign, idOf, time, type Markup } from '#src/addons/dashboard/components/markup.ts';
import { definePage, newestEntry, type Page, type PageCall, type RecordOf } from '#src/addons/dashboard/page.ts';
import { answerColumn, answeredNotice, canAnswer } from './answer-buttons.ts';
import { showBooking, currentAnswer } from './booking.ts';
import { showNoShows } from './no-shows.ts';
import {
  attendanceBadge,
  attendanceTexts,
  bookingBadge,
  meetingFilters,
  outcomeTexts,
  startEnds,
  timesText,
} from './outcome.ts';

type Booking = RecordOf<typeof listBookings>;

export const bookingPages: readonly Page[] = [
  definePage({ path: '/bookings', section: '/bookings', show: showBookings }),
  definePage({ path: '/bookings/:uuid', section: '/bookings', show: showBooking }),
  definePage({ path: '/no-shows', section: '/no-shows', show: showNoShows }),
];

async function showBookings(call: PageCall) {
  const { url } = call;
  const { answered: _answered, of: _of, ...filter } = call.query;
  const local = localQuery({ ...call, query: filter }, startEnds);
  const { query } = local;
  // A search is not repeated with every delivery.
  const liveAfter = Object.keys(query).length === 0 ? await newestEntry(call) : undefined;
  const { collection, pagination } = await call.ask(listBookings, { query });
  const isAsking = query['unconfirmed'] !== undefined || query['attendance'] !== undefined;
  const answering = isAsking && (await canAnswer(call)) ? [answerColumn(url, answerableOf)] : [];
  const isPartial = pagination.next_page_token !== null && collection.length < Number(query['count'] ?? 20);
  return {
    title: 'Bookings',
    liveAfter,
    content: html`<h1>Bookings</h1>
      <p class="lead">
        ${
          answering.length > 0
            ? 'Did the invitee come? An answered meeting leaves this list.'
            : query['unconfirmed'] === undefined
              ? 'Newest first. A booking that was moved is one row.'
              : 'Did the invitee come? No recap or transcript of these meetings says so. Mark those who did not come, at the service.'
        }
      </p>
      ${answeredNotice(call.query, url)}
      ${filters(
        url,
        query,
        [
          { name: 'q', label: 'Name or e-mail address', type: 'search', placeholder: 'a part of it' },
          { name: 'outcome', label: 'Outcome', options: outcomeTexts },
          { name: 'attendance', label: 'Attendance', options: attendanceTexts },
          ...(await meetingFilters(call)),
          { name: 'utm_campaign', label: 'Campaign' },
          ...rareFields.filter(({ name }) => query[name] !== undefined),
        ],
        local,
      )}
      ${table({
        caption: 'Bookings, newest first',
        rows: collection,
        keyOf: ({ uri }) => uri,
        linkOf: ({ last_invitee: uri }) => `/bookings/${idOf(uri)}`,
        empty: emptyList(query, isPartial),
        columns:
          answering.length === 0
            ? columns
            : [...columns.filter(({ name }) => name !== 'Booked or moved'), ...answering],
      })}
      ${isPartial && collection.length > 0 ? html`<p class="soft">The search continues on the next page.</p>` : ''}
      ${pager(pagination, url)}`,
  };
}

const answerableOf = (booking: Booking) =>
  booking.attendance === null ? undefined : { invitee: booking.last_invitee, answer: currentAnswer(booking) };

/** Links of other pages use these; the form shows them only then. */
const rareFields: readonly Field[] = [
  { name: 'email', label: 'E-mail address', type: 'email' },
  { name: 'unconfirmed', label: 'Without evidence', options: { true: 'that the invitee came' } },
  { name: 'status', label: 'Status', options: { active: 'not canceled', canceled: 'canceled' } },
];

function emptyList(query: PageCall['query'], isPartial: boolean): Markup | string {
  if (isPartial) return 'None of the newest bookings matches. The search continues on the next page.';
  if (query['unconfirmed'] !== undefined)
    return 'Nothing to check: a mark, an answer, a recap or a transcript shows who came.';
  if (Object.keys(query).length > 0) return 'No booking matches these filters.';
  return html`There are no bookings yet. They arrive with <code>invitee.created</code>;
    ${command('backfill')} copies those that the service has.`;
}

export const columns: readonly Column<Booking>[] = [
  {
    name: 'Who',
    cell: ({ last_invitee: uri, invitee_name: name, invitee_email: email }) =>
      html`<span class="who"><a href="/bookings/${idOf(uri)}"><bdi>${name || email || 'without a name'}</bdi></a>${name && email && name !== email ? html`<small><bdi>${email}</bdi></small>` : ''}</span>`,
  },
  {
    name: 'Event',
    cell: ({ event_type_name: name, host_name: host }) =>
      html`<span class="who">${foreign(name)}${host === null ? '' : html`<small>with <bdi>${host}</bdi></small>`}</span>`,
  },
  { name: 'Starts', cell: ({ start_time: start }) => (start === null ? 'unknown' : time(start)) },
  {
    name: 'Outcome',
    cell: ({ outcome, moves }) =>
      html`${bookingBadge(outcome)}${moves === 0 ? '' : html` <span class="soft">moved ${timesText(moves)}</span>`}`,
  },
  {
    name: 'Attendance',
    cell: ({ outcome, attendance }) =>
      attendance === null || outcome === 'no_show' ? '' : attendanceBadge(attendance),
  },
  { name: 'Booked or moved', cell: ({ made_at: at }) => time(at), isMinor: true },
];
