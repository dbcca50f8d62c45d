// What happened on each day to the bookings of each event type.
import { sql } from 'kysely';
import type { Sql } from '#src/store/sql-dialect.ts';
import { journeys } from './journeys.ts';
import { date, integer, text, type View } from './view.ts';

export const bookingsDaily: View = {
  name: 'bookings_daily',
  about: 'Bookings by day (UTC) and event type. Each count belongs to the day on which it happened.',
  columns: {
    day: date('the day in UTC'),
    event_type: text('URI of the event type; empty if unknown'),
    event_type_name: text('its name'),
    booked: integer('journeys whose first booking was made on this day'),
    rescheduled: integer('reschedules made on this day, including those to a booking that is not mirrored'),
    canceled: integer('journeys that were canceled on this day'),
    held: integer('journeys whose meeting started on this day and was held'),
    no_shows: integer('journeys whose meeting started on this day and which the invitee missed'),
  },
  key: ['day', 'event_type'],
  since: 'day',
  select(dialect) {
    const happened = (what: string, at: Sql, more: { type?: Sql; name?: Sql; from: Sql }) =>
      sql`select ${dialect.day(at)} as day, coalesce(${more.type ?? sql`event_type`}, '') as event_type,
        ${more.name ?? sql`event_type_name`} as event_type_name, ${sql.lit(what)} as what from ${more.from}`;
    const counted = (what: string) => sql`count(case what when ${sql.lit(what)} then 1 end) as ${sql.id(what)}`;
    return sql`with recursive ${journeys(dialect)},
    happenings as (
      ${happened('booked', sql`booked_at`, {
        type: sql`first_event_type`,
        name: sql`first_event_type_name`,
        from: sql`journeys`,
      })}
      union all
      ${happened('rescheduled', sql`invitees.created_at`, {
        type: sql`scheduled_events.event_type`,
        name: sql`coalesce(event_types.name, scheduled_events.name)`,
        from: sql`members join journeys on journeys.journey_uri = members.journey_uri
          join invitees on invitees.uri = members.invitee_uri
          left join scheduled_events on scheduled_events.uri = invitees.event_uri
          left join event_types on event_types.uri = scheduled_events.event_type
          where members.invitee_uri <> journeys.first_invitee`,
      })}
      union all
      ${happened('rescheduled', sql`canceled_at`, { from: sql`journeys where outcome = 'rescheduled'` })}
      union all
      ${happened('canceled', sql`canceled_at`, {
        from: sql`journeys where outcome in ('canceled_by_host', 'canceled_by_invitee', 'late_cancellation', 'canceled')`,
      })}
      union all
      ${happened('held', sql`start_time`, { from: sql`journeys where outcome = 'held'` })}
      union all
      ${happened('no_shows', sql`start_time`, { from: sql`journeys where outcome = 'no_show'` })}
    )
    select day, event_type, max(${dialect.bytes(sql`event_type_name`)}) as event_type_name, ${sql.join(
      ['booked', 'rescheduled', 'canceled', 'held', 'no_shows'].map(counted),
    )} from happenings where day is not null group by day, event_type`;
  },
};
