// The list of bookings, and the values by which it can be filtered.
import { z } from 'zod';
import { pageQuery } from '#schemas/pagination.ts';
import { uri } from '#schemas/wire.ts';
import { dayMs, instantOf } from '#src/base/time.ts';
import type { Listing, PageRequest, Position } from '#src/http/pagination.ts';
import { boundary, plainText } from '#src/http/request.ts';
import { defineOperation } from '#src/api/api-operation.ts';
import type { StoredRow } from '#src/store/rows.ts';
import { attendances } from '#src/store/views/attendance.ts';
import { findBookings, type BookingPage } from '#src/read/bookings/bookings.ts';
import { bookingFields, bookingRecords, outcomes } from './booking-record.ts';

const booking = z.strictObject(bookingFields).meta({ id: 'Booking' });

const listQuery = pageQuery.extend({
  status: z
    .enum(['active', 'canceled'])
    .optional()
    .describe('`active`: upcoming, held or missed. `canceled`: by anyone, at any time.'),
  outcome: z.enum(outcomes).optional().describe('With exactly this outcome.'),
  attendance: z.enum(attendances).optional().describe('With exactly this attendance.'),
  host: uri.optional().describe('The URI of one of the hosts.'),
  event_type: uri.optional().describe('The URI of the event type.'),
  email: plainText.max(320).optional().describe('The whole e-mail address, in any letter case.'),
  q: plainText.max(200).optional().describe('A part of the name or of the e-mail address; A to Z in any letter case.'),
  utm_campaign: plainText.optional().describe('The campaign of the first booking, compared exactly.'),
  min_start_time: boundary(false).optional().describe('The meeting starts then or later: a time, or a day in UTC.'),
  max_start_time: boundary('included')
    .optional()
    .describe('The meeting starts then or before: a time, or a day in UTC.'),
  unconfirmed: z
    .literal('true')
    .optional()
    .describe(
      'Held, and `attendance` is `unconfirmed` or `suspected_no_show`; in the last seven days unless `min_start_time` is given.',
    ),
});

/** How long after a meeting it counts as unconfirmed. */
export const unconfirmedMs = 7 * dayMs;

export const listBookings = defineOperation({
  id: 'listBookings',
  method: 'GET',
  path: '/api/bookings',
  tag: 'Bookings',
  summary: 'Bookings with their reschedules, newest first',
  description:
    'One record is one row of the view `booking_journeys`: a booking and everything it was rescheduled to. One request examines a limited number of bookings. When few match, a page has fewer than `count`, or none, and `next_page_token` continues the search.',
  query: listQuery,
  answers: 'collection',
  schema: booking,
  async run({ store, query, pageIn, clock }) {
    const { count: _count, page_token: _token, unconfirmed, ...search } = query;
    const unconfirmedSince = unconfirmed && (search.min_start_time ?? instantOf(clock() - unconfirmedMs));
    const page = pageIn('booked_at:desc');
    const found = await findBookings(store, { ...search, unconfirmedSince }, page);
    const { items, ...ends } = endsOf(found, page);
    return { ...ends, records: await bookingRecords(store, items) };
  },
});

const positionOf = (row: StoredRow | undefined): Position | undefined =>
  row && { key: String(row['booked_at']), uri: String(row['first_invitee']) };

/** A search that stopped early goes on where it stopped, not after the last booking it found. */
function endsOf({ items: found, stoppedAt }: BookingPage, { count, from, backwards }: PageRequest) {
  const isMore = found.length > count;
  const shown = found.slice(0, count);
  const far = isMore ? positionOf(shown.at(-1)) : (stoppedAt ?? positionOf(shown.at(-1)));
  const near = positionOf(shown[0]) ?? stoppedAt;
  const goesOn = isMore || stoppedAt !== undefined;
  const ends: Omit<Listing, 'records'> = backwards
    ? { first: far, last: near, hasPrevious: goesOn, hasNext: true }
    : { first: near, last: far, hasPrevious: from !== undefined, hasNext: goesOn };
  return { items: backwards ? shown.toReversed() : shown, ...ends };
}
