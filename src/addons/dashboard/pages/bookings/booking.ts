// One booking: its timeline, its meeting, and what the invitee said.
import { html } from 'hono/html';
import { rowNamed } from '#src/api/row-record.ts';
import { notFound } from '#src/http/http-error.ts';
import { readBookingDetail, type BookingDetail } from '#src/read/bookings/booking-detail.ts';
import type { BookingRow } from '#src/read/bookings/bookings.ts';
import { answerList, facts, table } from '#src/addons/dashboard/components/list.ts';
import {
  address,
  badge,
  breadcrumb,
  externalLink,
  foreign,
  idOf,
  joined,
  nothing,
  optionalTime,
  time,
  uriActions,
  type Markup,
} from '#src/addons/dashboard/components/markup.ts';
import { pathOf } from '#src/addons/dashboard/components/question.ts';
import { definePage, newestEntry, type PageCall } from '#src/addons/dashboard/page.ts';
import { kindLabels } from '#src/addons/dashboard/pages/people/timeline.ts';
import { answerButtons, answeredNotice, backTo, canAnswer, currentAnswer, isAnswered } from './answer-buttons.ts';
import { attendanceBadge, bookingBadge } from './outcome.ts';

export const bookingPage = definePage({ path: '/bookings/:uuid', section: '/bookings', show: showBooking });

async function showBooking(call: PageCall) {
  const liveAfter = await newestEntry(call);
  const detail = await call.read(async ({ reading }) => {
    const invitee = await rowNamed(reading, 'invitees', call.params['uuid'] ?? '', 'booking');
    const found = await readBookingDetail(reading, invitee.uri);
    if (found === undefined) throw notFound('No such booking.');
    return found;
  });
  const { booking } = detail;
  const name = booking.invitee_name || booking.invitee_email || 'A booking without a name';
  return {
    title: name,
    liveAfter,
    content: html`${breadcrumb('/bookings', 'Bookings', name)}
      <h1><bdi>${name}</bdi></h1>
      <p class="lead">
        <bdi>${booking.event_type_name ?? 'A meeting'}</bdi>${booking.host_name ? html` with <bdi>${booking.host_name}</bdi>` : ''}
        ${bookingBadge(booking.outcome)}
        ${attendanceOf(booking)}
      </p>
      ${answeredNotice(call.query, call.url)}
      ${booking.attendance !== null && (await canAnswer(call)) ? html`<div class="row spaced">Did they come? ${answerButtons({ invitee: booking.last_invitee, answer: currentAnswer(booking) }, backTo(call.url))}</div>` : ''}
      <h2 class="hidden">What happened</h2>
      ${timeline(detail.timeline)}
      <h2>Meeting</h2>
      ${meetingFacts(detail)}
      <h2>Invitee</h2>
      ${inviteeFacts(detail)}
      ${answers(detail)} ${reschedules(detail)} ${recaps(detail)} ${alerts(detail)}
      <p class="row spaced">
        ${uriActions(booking.last_invitee)}
        <a href="${address('/deliveries', { subject: booking.last_invitee })}">Deliveries about it</a>
      </p>`,
  };
}

const attendanceReasons: Readonly<Record<NonNullable<BookingRow['attendance']>, string>> = {
  no_show: '',
  confirmed: 'A transcript names them as a speaker',
  likely: 'A recap lists them as an attendee',
  suspected_no_show: 'A recap lists hosts only',
  unconfirmed: 'No recap or transcript shows that they came',
};

function attendanceOf({ attendance, attendance_basis: basis }: BookingRow): Markup {
  if (attendance === null || attendance === 'no_show') return nothing;
  if (isAnswered(basis))
    return html`${attendanceBadge(attendance)} <a class="soft" href="/deliveries/${encodeURIComponent(basis)}">It was answered that they came</a>`;
  const reason = attendanceReasons[attendance];
  return html`${attendanceBadge(attendance)} ${basis === null ? html`<span class="soft">${reason}.</span>` : html`<a class="soft" href="${pathOf('meeting_recaps', basis)}">${reason}</a>`}`;
}

/** More do not fit side by side. */
const mostInRow = 6;

/** Each dot leads to its delivery. */
const timeline = (all: BookingDetail['timeline']): Markup =>
  html`<ol class="plain journey ${all.length <= mostInRow ? 'short' : ''}">
    ${all.map(({ kind, at, sentence, meetingStart, seq }) => {
      const start = kind === 'booked' || kind === 'moved' ? (meetingStart ?? null) : null;
      const [label, state = ''] = kindLabels[kind];
      const dot = html`<a class="dot" href="/deliveries/${seq}" aria-label="${label}: delivery ${seq}" title="Delivery #${seq}"></a>`;
      return html`<li class="${state}">
        ${seq === null ? html`<span class="dot"></span>` : dot}
        <div>
          <strong>${label}</strong>${time(at)}
          <span class="how"><bdi>${sentence}</bdi></span>${start === null ? '' : html`<span class="how">for ${time(start)}</span>`}
          ${seq === null ? '' : html`<a class="soft" href="/deliveries/${seq}">delivery #${seq}</a>`}
        </div>
      </li>`;
    })}
  </ol>`;

function meetingFacts({ booking, meeting, paid }: BookingDetail): Markup {
  const people = (meeting?.hosts ?? []).map(({ name, email }) => html`<bdi>${name ?? email ?? 'unknown'}</bdi>`);
  return facts({
    Starts: booking.start_time && time(booking.start_time),
    Ends: booking.end_time && time(booking.end_time),
    [people.length > 1 ? 'Hosts' : 'Host']: people.length === 0 ? null : joined(people, ', '),
    'Time zone of the host': meeting?.hosts[0]?.timezone,
    Location: meeting?.location && foreign(meeting.location.replaceAll('_', ' ')),
    Join: meeting?.isLinkPending ? 'The link is being created.' : meeting?.joinUrl && externalLink(meeting.joinUrl),
    Guests: meeting && meeting.guests.length > 0 ? foreign(meeting.guests.join(', ')) : null,
    Payment: paid && paymentText(paid),
    Campaign: booking.utm_campaign && foreign(booking.utm_campaign),
    Source: [booking.utm_source, booking.utm_medium].filter(Boolean).join(', '),
    'Booked through': booking.routing_form_submission
      ? html`<a href="${pathOf('routing_form_submissions', booking.routing_form_submission)}">a routing form</a>`
      : booking.scheduling_method,
  });
}

function paymentText(paid: NonNullable<BookingDetail['paid']>): Markup {
  const { payment_amount: amount, payment_currency: currency, payment_provider: provider } = paid;
  return html`<bdi>${[amount, currency].filter((part) => part !== null).join(' ')}</bdi>${provider ? html` through <bdi>${provider}</bdi>` : ''}
    ${paid.payment_successful === false ? badge('failed', 'problem') : ''}`;
}

const inviteeFacts = ({ booking, contact, members }: BookingDetail): Markup => {
  const { reschedule_url: reschedule, cancel_url: cancel } = members.at(-1) ?? {};
  return facts({
    'E-mail': booking.invitee_email && foreign(booking.invitee_email),
    Contact: contact && html`<a href="/contacts/${idOf(contact.uri)}"><bdi>${contact.name ?? contact.uri}</bdi></a>`,
    Company: contact?.company && foreign(contact.company),
    'Job title': contact?.job_title && foreign(contact.job_title),
    'Time zone': booking.invitee_timezone && foreign(booking.invitee_timezone),
    'All bookings':
      booking.invitee_email &&
      html`<a href="${address('/bookings', { email: booking.invitee_email })}">with this address</a>`,
    Reschedule: reschedule && externalLink(reschedule, 'link for the invitee'),
    Cancel: cancel && externalLink(cancel, 'link for the invitee'),
  });
};

const answers = ({ answers: given }: BookingDetail): Markup =>
  given.length === 0
    ? nothing
    : html`<h2>Answers</h2>
        ${answerList(given)}`;

const reschedules = ({ members }: BookingDetail): Markup =>
  members.length < 2
    ? nothing
    : html`<h2>Reschedules</h2>
        ${table({
          caption: 'The first booking and each reschedule',
          rows: members,
          empty: '',
          columns: [
            { name: 'Booked', cell: ({ created_at: at }) => time(at) },
            { name: 'For', cell: ({ start_time: start }) => time(start) },
            { name: 'Moved or canceled', cell: ({ canceled_at: at }) => optionalTime(at) },
            { name: 'By', cell: ({ canceler_type: by }) => by ?? '', isMinor: true },
            { name: 'Reason', cell: ({ cancel_reason: reason }) => (reason ? foreign(reason) : ''), isMinor: true },
          ],
        })}`;

const recaps = ({ recaps: written }: BookingDetail): Markup =>
  written.length === 0
    ? nothing
    : html`<h2>Recaps</h2>
        ${written.map(
          ({ uri, created_at, summary_md }) =>
            html`<p><a href="${pathOf('meeting_recaps', uri)}">${time(created_at)}</a> <span class="excerpt"><bdi>${summary_md}</bdi></span></p>`,
        )}`;

const alerts = ({ alerts: made }: BookingDetail): Markup =>
  made.length === 0
    ? nothing
    : html`<h2>Alerts</h2>
        ${table({
          caption: 'Alerts about this booking',
          rows: made,
          empty: '',
          columns: [
            { name: 'Rule', cell: ({ rule }) => foreign(rule) },
            { name: 'Channel', cell: ({ channel }) => channel },
            { name: 'State', cell: ({ state }) => badge(state, state === 'failed' ? 'problem' : 'quiet') },
            {
              name: 'Sent',
              cell: ({ sent_at, due_at, state }) =>
                state === 'pending' ? html`due ${time(due_at)}` : optionalTime(sent_at),
            },
          ],
        })}`;
