-- Bookings by day (in `REPORT_TIMEZONE`) and event type. Each count belongs to the day on which it happened.
-- Key: day, event_type. Since: day.
--
-- day (date): the day in `REPORT_TIMEZONE`, which is UTC unless it is set
-- event_type (text): URI of the event type; empty if unknown
-- event_type_name (text, holds text): its name
-- booked (integer): bookings that were made on this day, by the event type of the first meeting
-- moved (integer): moves on this day, by the event type of the new meeting; of one to a booking that is not mirrored, of the old one
-- canceled (integer): bookings that were canceled on this day
-- ended (integer): bookings whose meeting started on this day and ended, or which the invitee missed
-- no_shows (integer): bookings of `ended` that the invitee missed

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
    (floor(date_part('epoch', at))::bigint + 62135596800 + coalesce((
      select array_agg(offset_seconds order by starts_at) from time_zones
      where name = (select lower(report_timezone collate "C") from mirror_settings)
    )[width_bucket(at, (
      select array_agg(starts_at order by starts_at) from time_zones
      where name = (select lower(report_timezone collate "C") from mirror_settings)
    ))], 0)) / 86400 as day,
    coalesce(event_type, '') as event_type,
    name,
    what
  from happened
),

counts as (
  select
    day,
    event_type,
    max(name collate "C") as name,
    count(case what when 'booked' then 1 end) as booked,
    count(case what when 'moved' then 1 end) as moved,
    count(case when what in ('ended', 'no_show') then 1 end) as ended,
    count(case what when 'no_show' then 1 end) as no_shows,
    count(*) as happened
  from local
  group by day, event_type
)

select
  date '0001-01-01' + counts.day::integer as day,
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
