// The last log entry that concerns each journey, for copies that follow the journeys in increments.
import { sql } from 'kysely';
import type { Sql } from '#src/store/sql-dialect.ts';
import { journeys } from './journeys.ts';
import { integer, text, type View } from '#src/store/views/view.ts';

export const bookingJourneyChanges: View = {
  name: 'booking_journey_changes',
  about: 'One row per journey of `booking_journeys`: the last log entry that may have changed it.',
  columns: {
    journey_uri: text('URI of the journey'),
    changed_seq: integer(
      '`event_log.seq` of the last entry about one of its invitees, their meetings or the recaps of these, or of the last erasure, if that is later',
    ),
  },
  key: ['journey_uri'],
  since: undefined,
  // An entry about any invitee of a meeting may change the meeting. An erasure may change rows that it does not name.
  select(dialect) {
    const last = (table: string): Sql => sql`coalesce(max(${sql.ref(`${table}.seq`)}), 0)`;
    return sql`with recursive ${journeys(dialect)},
    last_entries (subject_uri, seq) as materialized (
      select subject_uri, max(seq) from event_log where subject_uri is not null group by subject_uri
    ),
    bookings (journey_uri, event_uri, seq) as materialized (
      select coalesce(tree.root, invitees.uri), invitees.event_uri, last_entries.seq
      from invitees left join tree on tree.node = invitees.uri
      left join last_entries on last_entries.subject_uri = invitees.uri
    ),
    meetings (event_uri, seq) as (select event_uri, max(seq) from bookings group by event_uri),
    recaps (event_uri, seq) as (
      select event_uri, max(last_entries.seq) from meeting_recaps
      join last_entries on last_entries.subject_uri = meeting_recaps.uri group by event_uri
    ),
    erasures (seq) as (select max(seq) from event_log where event = 'person.erased' and source <> 'webhook')
    select bookings.journey_uri, nullif(${dialect.greatest(
      ['bookings', 'meetings', 'event_entries', 'recaps', 'erasures'].map(last),
    )}, 0) as changed_seq
    from bookings left join meetings on meetings.event_uri = bookings.event_uri
    left join last_entries as event_entries on event_entries.subject_uri = bookings.event_uri
    left join recaps on recaps.event_uri = bookings.event_uri
    cross join erasures
    group by bookings.journey_uri`;
  },
};
