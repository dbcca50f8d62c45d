// What happened on each day to the bookings of each event type.
import { sql } from 'kysely';
import { journeys } from './journeys.ts';
import { reportTime } from '#src/store/time-zones.ts';
import type { Sql } from '#src/store/sql-dialect.ts';
import { date, integer, text, type View } from '#src/store/views/view.ts';

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
    // A journey counts when it was booked and when it ended, so it is read once and doubled. The limit, which leaves nothing out,
    // makes PostgreSQL compute the outcome once for each journey, not wherever it is used.
    return sql`with recursive ${journeys(dialect)},
    ended as (
      select booked_at, first_event_type, first_event_type_name, event_type, event_type_name, start_time, canceled_at,
        case outcome when 'held' then ${is('held')} when 'rescheduled' then ${is('rescheduled')} when 'no_show' then ${is('no_shows')}
          when 'upcoming' then null else case when outcome is not null then ${is('canceled')} end end as ending
      from journeys limit 9223372036854775807
    ),
    moments as (
      select case when later = 0 then booked_at when ending in (${is('held')}, ${is('no_shows')}) then start_time else canceled_at end as at,
        case later when 0 then first_event_type else event_type end as event_type,
        case later when 0 then first_event_type_name else event_type_name end as event_type_name,
        case later when 0 then ${is('booked')} else ending end as what
      from ended cross join (select 0 as later union all select 1) as twice
      union all
      select created_at, event_type, event_type_name, ${is('rescheduled')} from ranked where place > 1
    )
    select ${day} as day, coalesce(event_type, '') as event_type, max(${bytes(sql`event_type_name`)}) as event_type_name,
      ${sql.join(moments.map(counted))}
    from moments where what is not null and at is not null group by ${day}, coalesce(event_type, '')`;
  },
};
