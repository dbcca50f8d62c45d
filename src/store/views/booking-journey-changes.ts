// The last log entry that changed each journey, for copies that follow the journeys in increments.
import { sql } from 'kysely';
import { integer, text, type View } from './view.ts';

export const bookingJourneyChanges: View = {
  name: 'booking_journey_changes',
  about: 'One row per journey of `booking_journeys`: how far the log was read when it last changed.',
  columns: {
    journey_uri: text('URI of the journey'),
    changed_seq: integer(
      '`event_log.seq` of the last entry that was read when the booking last changed: the change follows from this entry or one shortly before',
    ),
  },
  key: ['journey_uri'],
  since: undefined,
  select: () => sql`select journey_uri, changed_seq from bookings`,
};
