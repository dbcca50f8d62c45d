-- Bookings by day (in `REPORT_TIMEZONE`) and event type. Each count belongs to the day on which it happened.
-- Key: day, event_type. Since: day.
--
-- day (date): the day in `REPORT_TIMEZONE`, which is UTC unless it is set
-- event_type (text): URI of the event type; empty if unknown
-- event_type_name (text): its name
-- booked (integer): bookings that were made on this day, by the event type of the first meeting
-- moved (integer): moves on this day, by the event type of the new meeting; of one to a booking that is not mirrored, of the old one
-- canceled (integer): bookings that were canceled on this day
-- ended (integer): bookings whose meeting started on this day and ended, or which the invitee missed
-- no_shows (integer): bookings of `ended` that the invitee missed

with of_bookings (part) as (values ('begin'), ('end')),

happened (at, event_type, name, what) as (
  -- A booking is read once, for when it was made and for how it ended. One that was moved has its first link below.
  select
    case when part = 'begin' then made_at when ended_at is null then canceled_at else start_time end,
    event_type,
    event_type_name,
    case
      when part = 'begin' then 'booked'
      when no_show_at is not null and ended_at is not null then 'no_show'
      when ended_at is not null then 'ended'
      when outcome = 'moved' then 'moved'
      else 'canceled'
    end
  from bookings
  cross join of_bookings
  where case
    when part = 'begin' then invitees = 1
    when ended_at is not null then true
    else canceled_at is not null
      and outcome in ('canceled_by_invitee', 'late_cancellation', 'canceled_by_host', 'canceled', 'moved')
  end
  union all
  select
    invitees.created_at,
    scheduled_events.event_type,
    scheduled_events.name,
    case link.position when 1 then 'booked' else 'moved' end
  from booking_invitees as link
  join booking_invitees as final on final.booking_uri = link.booking_uri and final.is_last
  -- Without a meeting of the last invitee it is no booking.
  join invitees as last on last.uri = final.invitee_uri
  join scheduled_events as meeting on meeting.uri = last.event_uri
  join invitees on invitees.uri = link.invitee_uri
  left join scheduled_events on scheduled_events.uri = invitees.event_uri
  where link.count > 1 and link.mirrored
),

-- Local time in the zone of reports; UTC while no settings are stored.
local as (
  select
    (date_trunc('second', at at time zone 'UTC') + interval '1 second' * coalesce((
      select array_agg(offset_seconds order by starts_at) from time_zones
      where name = (select lower(report_timezone collate "C") from mirror_settings)
    )[width_bucket(at, (
      select array_agg(starts_at order by starts_at) from time_zones
      where name = (select lower(report_timezone collate "C") from mirror_settings)
    ))], 0))::date as day,
    coalesce(event_type, '') as event_type,
    name,
    what
  from happened
  where at is not null
),

counts as (
  select
    day,
    event_type,
    max(name collate "C") as name,
    count(*) filter (where what = 'booked') as booked,
    count(*) filter (where what = 'moved') as moved,
    count(*) filter (where what = 'canceled') as canceled,
    count(*) filter (where what in ('ended', 'no_show')) as ended,
    count(*) filter (where what = 'no_show') as no_shows
  from local
  group by day, event_type
)

select
  counts.day,
  counts.event_type,
  coalesce(event_types.name, counts.name) as event_type_name,
  counts.booked,
  counts.moved,
  counts.canceled,
  counts.ended,
  counts.no_shows
from counts
left join event_types on event_types.uri = counts.event_type;
