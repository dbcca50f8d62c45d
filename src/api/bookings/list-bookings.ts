// The list of bookings, and the values by which it can be filtered.
import { z } from 'zod';
import { pageQuery } from '#schemas/pagination.ts';
import { uri } from '#schemas/wire.ts';
import { dayMs, instantOf } from '#src/base/time.ts';
import { listing } from '#src/http/pagination.ts';
import { boundary, plainText } from '#src/http/request.ts';
import { defineOperation } from '#src/api/api-operation.ts';
import { attendances, outcomes } from '#src/store/bookings/words.ts';
import { findBookings, type BookingRow } from '#src/read/bookings/bookings.ts';
import { bookingFields, bookingRecord } from './booking-record.ts';

const booking = z.strictObject(bookingFields).meta({ id: 'Booking' });

const listQuery = pageQuery.extend({
  status: z
    .enum(['active', 'canceled'])
    .optional()
    .describe('`active`: neither canceled nor moved. `canceled`: by anyone, at any time.'),
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
      'Ended, and `attendance` is `unconfirmed` or `suspected_no_show`; in the last seven days unless `min_start_time` is given.',
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
    'One record is one row of the view `bookings`: a booking and everything it was rescheduled to, in the order of `made_at`.',
  query: listQuery,
  answers: 'collection',
  schema: booking,
  async run({ reading, query, pageIn, clock }) {
    const { count: _count, page_token: _token, unconfirmed, ...search } = query;
    const unconfirmedSince = unconfirmed && (search.min_start_time ?? instantOf(clock() - unconfirmedMs));
    const found = await findBookings(reading, { ...search, unconfirmedSince }, pageIn('made_at:desc'));
    const positionOf = ({ made_at: key, last_invitee: uri }: BookingRow) => ({ key: key ?? '', uri });
    return listing({ ...found, positionOf }, bookingRecord);
  },
});
