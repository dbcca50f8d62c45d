-- What this view and its columns mean is said in bookings_daily.postgres.sql.

with moments (at, event_type, name, what) as (
  select booked_at, first_event_type, first_event_name, 'booked'
  from bookings
  union all
  select start_time, event_type, event_name, case ending when 'no_show' then 'no_shows' else 'held' end
  from bookings
  where ending = 'no_show'
    or (ending is null and coalesce(end_time, start_time) <= (select strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')))
  union all
  select canceled_at, event_type, event_name, case ending when 'rescheduled' then 'rescheduled' else 'canceled' end
  from bookings
  where ending <> 'no_show'
  union all
  select invitees.created_at, scheduled_events.event_type, scheduled_events.name, 'rescheduled'
  from followed_invitees
  join invitees on invitees.uri = followed_invitees.invitee_uri
  left join scheduled_events on scheduled_events.uri = invitees.event_uri
  where followed_invitees.position > 1
),

-- Local time in the zone of reports; UTC while no settings are stored.
local_moments as (
  select
    date(substr(at, 1, 19), coalesce((
      select offset_seconds from time_zones
      where name = (select lower(report_timezone) from mirror_settings) and starts_at <= at
      order by starts_at desc limit 1
    ), 0) || ' seconds') as day,
    coalesce(event_type, '') as event_type,
    name,
    what
  from moments
  where at is not null
),

counts as (
  select
    day,
    event_type,
    max(name) as name,
    count(*) filter (where what = 'booked') as booked,
    count(*) filter (where what = 'rescheduled') as rescheduled,
    count(*) filter (where what = 'canceled') as canceled,
    count(*) filter (where what = 'held') as held,
    count(*) filter (where what = 'no_shows') as no_shows
  from local_moments
  group by day, event_type
)

select
  counts.day,
  counts.event_type,
  coalesce(event_types.name, counts.name) as event_type_name,
  counts.booked,
  counts.rescheduled,
  counts.canceled,
  counts.held,
  counts.no_shows
from counts
left join event_types on event_types.uri = counts.event_type;
