// The last log entry that concerns each journey, for copies that follow the journeys in increments.
import { sql } from 'kysely';
import { journeys } from './journeys.ts';
import { integer, text, type View } from './view.ts';

export const bookingJourneyChanges: View = {
  name: 'booking_journey_changes',
  about: 'One row per journey of `booking_journeys`: the last log entry that may have changed it.',
  columns: {
    journey_uri: text('URI of the journey'),
    changed_seq: integer(
      '`event_log.seq` of the last entry about one of its invitees or their meetings, or of the last erasure, if that is later',
    ),
  },
  key: ['journey_uri'],
  since: undefined,
  // An entry about any invitee of a meeting may change the meeting. An erasure may change rows that it does not name.
  select: (dialect) => sql`with recursive ${journeys(dialect)},
    last_entries (subject_uri, seq) as materialized (
      select subject_uri, max(seq) from event_log where subject_uri is not null group by subject_uri
    ),
    bookings (journey_uri, event_uri, seq) as materialized (
      select members.journey_uri, invitees.event_uri, last_entries.seq
      from members join invitees on invitees.uri = members.invitee_uri
      left join last_entries on last_entries.subject_uri = invitees.uri
    ),
    meetings (event_uri, seq) as (
      select event_uri, max(seq) from bookings group by event_uri
      union all
      select subject_uri, seq from last_entries
    ),
    seen (journey_uri, seq) as (
      select journey_uri, seq from bookings
      union all
      select bookings.journey_uri, meetings.seq from bookings join meetings on meetings.event_uri = bookings.event_uri
      union all
      select bookings.journey_uri, erasures.seq
      from bookings cross join (select max(seq) as seq from event_log where event = 'person.erased' and source <> 'webhook') as erasures
    )
    select journey_uri, max(seq) as changed_seq from seen group by journey_uri`,
};
