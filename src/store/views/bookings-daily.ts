// What happened on each day to the bookings of each event type.
import { sql } from 'kysely';
import { outcomeOf } from '#src/store/bookings/booking-rows.ts';
import { reportTime } from '#src/store/time-zones.ts';
import type { Sql } from '#src/store/sql-dialect.ts';
import { date, integer, text, type View } from './view.ts';

/** What is counted. A number stands for each, which is compared faster than a text. */
const moments = ['booked', 'rescheduled', 'canceled', 'held', 'no_shows'] as const;
type What = (typeof moments)[number];

export const bookingsDaily: View = {
  name: 'bookings_daily',
  about: 'Bookings by day (in `REPORT_TIMEZONE`) and event type. Each count belongs to the day on which it happened.',
  columns: {
    day: date('the day in `REPORT_TIMEZONE`, which is UTC unless it is set'),
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
  select(dialect, reportZone) {
    const { bytes } = dialect;
    const day = dialect.day(reportTime(dialect, sql`at`, reportZone));
    const is = (what: What): Sql => sql.lit(moments.indexOf(what));
    const counted = (what: What) => sql`count(case what when ${is(what)} then 1 end) as ${sql.id(what)}`;
    // Names are looked up once for each group.
    return sql`with moments (at, event_type, name, what) as (
      select booked_at, first_event_type, first_event_name, ${is('booked')} from bookings
      union all
      select case when ending in (${is('held')}, ${is('no_shows')}) then start_time else canceled_at end, event_type, event_name, ending
      from (
        select start_time, canceled_at, event_type, event_name, case ${outcomeOf(dialect)} when 'held' then ${is('held')}
          when 'no_show' then ${is('no_shows')} when 'rescheduled' then ${is('rescheduled')} when 'upcoming' then null
          else case when bookings.ending is not null then ${is('canceled')} end end as ending
        from bookings
      ) as ended
      union all
      select invitees.created_at, scheduled_events.event_type, scheduled_events.name, ${is('rescheduled')}
      from booking_invitees join invitees on invitees.uri = booking_invitees.invitee_uri
      left join scheduled_events on scheduled_events.uri = invitees.event_uri where booking_invitees.position > 1
    ),
    counts as (
      select ${day} as day, coalesce(event_type, '') as event_type, max(${bytes(sql`name`)}) as name, ${sql.join(moments.map(counted))}
      from moments where what is not null and at is not null group by ${day}, coalesce(event_type, '')
    )
    select day, event_type, coalesce(event_types.name, counts.name) as event_type_name, ${sql.join(moments.map((what) => sql.id(what)))}
    from counts left join event_types on event_types.uri = counts.event_type`;
  },
};
