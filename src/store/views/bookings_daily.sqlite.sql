-- What this view and its columns mean is said in bookings_daily.postgres.sql.

with seen as materialized (
  -- A booking is read once, for when it was made and for how it ended.
  select
    uri,
    invitees,
    made_at,
    case when ended_at is null then canceled_at else start_time end as left_at,
    case when ended_at is null then outcome when no_show_at is null then 'ended' else 'no_show' end as how,
    event_type,
    event_type_name
  from bookings
),

happened (at, event_type, name, what) as (
  -- The last invitee of a booking begins it, or was moved to it.
  select made_at, event_type, event_type_name, case invitees when 1 then 'booked' else 'moved' end
  from seen
  where made_at is not null
  union all
  select left_at, event_type, event_type_name, how
  from seen
  where left_at is not null
    and how in ('ended', 'no_show', 'moved', 'canceled_by_invitee', 'late_cancellation', 'canceled_by_host', 'canceled')
  union all
  -- The invitees before the last one.
  select
    invitees.created_at,
    scheduled_events.event_type,
    scheduled_events.name,
    case link.position when 1 then 'booked' else 'moved' end
  from seen
  join booking_invitees as link on link.booking_uri = seen.uri
  join invitees on invitees.uri = link.invitee_uri
  left join scheduled_events on scheduled_events.uri = invitees.event_uri
  where seen.invitees > 1 and link.mirrored and not link.is_last and invitees.created_at is not null
),

-- Days since 1 January 0001 in the zone of reports, which are grouped faster than dates; UTC while no settings are stored.
local as (
  select
    (unixepoch(substr(at, 1, 19)) + 62135596800 + coalesce((
      select offset_seconds from time_zones
      where name = (select lower(report_timezone) from mirror_settings) and starts_at <= at
      order by starts_at desc limit 1
    ), 0)) / 86400 as day,
    coalesce(event_type, '') as event_type,
    name,
    what
  from happened
),

counts as (
  select
    day,
    event_type,
    max(name) as name,
    count(case what when 'booked' then 1 end) as booked,
    count(case what when 'moved' then 1 end) as moved,
    count(case when what in ('ended', 'no_show') then 1 end) as ended,
    count(case what when 'no_show' then 1 end) as no_shows,
    count(*) as happened
  from local
  group by day, event_type
)

select
  date(counts.day * 86400 - 62135596800, 'unixepoch') as day,
  counts.event_type,
  coalesce(event_types.name, counts.name) as event_type_name,
  counts.booked,
  counts.moved,
  -- What else happened.
  counts.happened - counts.booked - counts.moved - counts.ended as canceled,
  counts.ended,
  counts.no_shows
from counts
left join event_types on event_types.uri = counts.event_type;
