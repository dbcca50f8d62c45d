// The tools about bookings: the list, no-shows, rates, and meetings of which nothing says whether they took place.
import type { z } from 'zod';
import { listBookings } from '#src/api/bookings/list-bookings.ts';
import { listNoShows } from '#src/api/bookings/no-shows.ts';
import type { EndedCounts } from '#src/read/ended-counts.ts';
import { getBookingNumbers } from '#src/api/numbers/numbers.ts';
import { eventTypeName, oneOf, ours, person, text, time, uri, word, type Presentation } from './marked.ts';
import { byToken, defineTool } from './tool.ts';

const meetingFilters = { host: true, event_type: true, min_start_time: true, max_start_time: true } as const;

export const listBookingsTool = defineTool(listBookings, {
  name: 'list_bookings',
  description:
    'Lists bookings with their outcome, newest first, reschedules folded into one booking. Use it for questions about meetings of a host, an event type, a period, or a person whose whole address is known.',
  inputs: { status: true, outcome: true, attendance: true, email: true, utm_campaign: true, ...meetingFilters },
  revealedInputs: { q: true },
  pages: byToken,
  namesEventTypes: true,
  present: ({ collection }) => ({ bookings: collection.map(bookingView) }),
});

export const unconfirmedMeetings = defineTool(listBookings, {
  name: 'unconfirmed_meetings',
  description:
    'Lists meetings that ended without a no-show mark and without evidence that the invitee came (attendance unconfirmed or suspected_no_show), of the last seven days unless min_start_time is given. Use it before you call a meeting held.',
  inputs: meetingFilters,
  fixed: { unconfirmed: 'true' },
  pages: byToken,
  namesEventTypes: true,
  present: ({ collection }) => ({ bookings: collection.map(bookingView) }),
});

type Booking = z.output<NonNullable<(typeof listBookings)['schema']>>;

const bookingView = (booking: Booking): Presentation => ({
  booking: uri(booking.last_invitee),
  invitee: person({ email: booking.invitee_email, name: booking.invitee_name, timezone: booking.invitee_timezone }),
  contact: uri(booking.contact_uri),
  outcome: word(booking.outcome),
  attendance: word(booking.attendance),
  attendance_basis: uri(booking.attendance_basis),
  moves: booking.moves,
  event_type: uri(booking.event_type),
  event_type_name: eventTypeName(booking.event_type_name),
  meeting: uri(booking.event_uri),
  host: uri(booking.host),
  host_person: person({ name: booking.host_name }),
  booked_at: time(booking.booked_at),
  start_time: time(booking.start_time),
  end_time: time(booking.end_time),
  canceled_at: time(booking.canceled_at),
  canceled_by: oneOf(['host', 'invitee'], booking.canceler_type),
  cancel_reason: text(booking.cancel_reason),
  no_show_at: time(booking.no_show_at),
  routing_form_submission: uri(booking.routing_form_submission),
  utm_source: text(booking.utm_source),
  utm_campaign: text(booking.utm_campaign),
});

export const noShows = defineTool(listNoShows, {
  name: 'no_shows',
  description:
    'Lists no-show marks, newest first, with the meeting, how often the person missed one before, and the alerts about it. Use it to see who missed a meeting; use no_show_rates for how many.',
  inputs: { state: true, ...meetingFilters },
  pages: byToken,
  namesEventTypes: true,
  present: ({ collection }) => ({
    no_shows: collection.map((mark) => ({
      booking: uri(mark.invitee_uri),
      invitee: person({ email: mark.email, name: mark.name, company: mark.company }),
      contact: uri(mark.contact_uri),
      marked_at: time(mark.marked_at),
      unmarked_at: time(mark.unmarked_at),
      event_type_name: eventTypeName(mark.event_type_name),
      hosts: mark.hosts.map((name) => person({ name })),
      start_time: time(mark.start_time),
      end_time: time(mark.end_time),
      missed_before: mark.missed_before,
      reschedule_url: text(mark.reschedule_url),
      alerts: mark.alerts.map(({ state, sent_at }) => ({ state: word(state), sent_at: time(sent_at) })),
    })),
  }),
});

/** Of each list, those with the most meetings. */
const mostGroups = 20;

export const noShowRates = defineTool(getBookingNumbers, {
  name: 'no_show_rates',
  description:
    'Counts the bookings of a range of days and how those that ended did, in all and by event type, host, campaign and lead time; the rate is between rate and rate_high, where the unknown count as missed. Use it for rates and comparisons; use no_shows for the single cases.',
  namesEventTypes: true,
  inputs: { days: true, from: true, to: true, event_type: true, host: true },
  present: ({ from, to, timezone, bookings, event_types: types, hosts, campaigns, lead_times: leads, ...total }) => ({
    from: time(from),
    to: time(to),
    timezone: ours(timezone),
    bookings,
    ...countsOf(total),
    event_types: types
      .slice(0, mostGroups)
      .map((type) => ({ event_type: uri(type.uri), name: eventTypeName(type.name), ...countsOf(type) })),
    hosts: hosts
      .slice(0, mostGroups)
      .map((host) => ({ host: uri(host.uri), host_person: person({ name: host.name }), ...countsOf(host) })),
    campaigns: campaigns.slice(0, mostGroups).map((each) => ({ campaign: text(each.campaign), ...countsOf(each) })),
    lead_times: leads.map((lead) => ({ min_hours: lead.min_hours, max_hours: lead.max_hours, ...countsOf(lead) })),
  }),
});

const countsOf = ({ ended, came, no_shows, unknown, rate, rate_high }: EndedCounts) => ({
  ended,
  came,
  no_shows,
  unknown,
  rate,
  rate_high,
});
