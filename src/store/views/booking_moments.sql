-- What happened to bookings, one row each: it was booked, moved, canceled or confirmed again, a no-show mark was set or removed, it is
-- known that the invitee came, the meeting ended. What a later fact takes back has no row. Ask for some by `invitee`, which has an index.
-- Key: invitee, moment, mark. Since: at.
--
-- booking (text): `bookings.uri`; another one once an older link of its chain arrives
-- invitee (text, joins invitees.uri): URI of the invitee to whom it happened: of a move, the one that was left
-- moment (text, one of booked moved canceled no_show no_show_removed came reconfirmed ended): `booked` (the first invitee of the chain was
--   created), `moved` (to another invitee), `canceled`, `no_show` (marked), `no_show_removed` (the mark was removed), `came` (an answer or
--   a recap shows it; while it is the outcome of the booking), `reconfirmed` (the invitee confirmed again) or `ended` (the meeting is over,
--   or the invitee is marked as a no-show)
-- at (time): when it happened: of a move, its cancellation, else the creation of the next invitee; of `came`, the answer, else when the
--   recap was written; of `ended`, the end of the meeting
-- by (text): who: `host` or `invitee`, as the service says; of an answer, as in `invitees.attendance_confirmed_by`; null if it is not known
-- entry (text, joins event_log.delivery_id): the log entry of an answer
-- mark (text): URI of the no-show mark; empty for any other moment
-- next_invitee (text, joins invitees.uri): URI of the invitee that a move led to; null if it is not mirrored

-- Three selects, each of several moments: to plan one for each moment takes longer than to read the moments of a booking.
with of_invitees (moment) as (values ('booked'), ('moved'), ('reconfirmed')),
of_marks (moment) as (values ('no_show'), ('no_show_removed')),
of_outcomes (outcome, moment) as (
  values
    ('canceled_by_invitee', 'canceled'),
    ('late_cancellation', 'canceled'),
    ('canceled_by_host', 'canceled'),
    ('canceled', 'canceled'),
    ('came', 'came'),
    ('came', 'ended'),
    ('no_show', 'ended'),
    ('unknown', 'ended')
),

-- The invitees of bookings: the last one of the chain has a meeting, else it is no booking.
booked as not materialized (
  select invitees.*, chain.booking_uri, chain.position, chain.is_first
  from invitees
  left join booking_invitees as chain on chain.invitee_uri = invitees.uri
  where exists (
    select 1 from scheduled_events
    where scheduled_events.uri = case when chain.is_last is not false then invitees.event_uri else (
      select last.event_uri
      from booking_invitees as final
      join invitees as last on last.uri = final.invitee_uri
      where final.booking_uri = chain.booking_uri and final.is_last
    ) end
  )
)

select
  coalesce(booked.booking_uri, booked.uri) as booking,
  booked.uri as invitee,
  kind.moment,
  case kind.moment
    when 'booked' then booked.created_at
    when 'moved' then coalesce(booked.canceled_at, next.created_at, meeting.canceled_at)
    else booked.reconfirmed_at
  end as at,
  case kind.moment
    when 'moved' then coalesce(booked.canceler_type, meeting.canceler_type)
    when 'reconfirmed' then 'invitee'
  end as by,
  cast(null as text) as entry,
  '' as mark,
  case kind.moment when 'moved' then next.uri end as next_invitee
from booked
left join booking_invitees as following on following.booking_uri = booked.booking_uri and following.position = booked.position + 1
left join invitees as next on next.uri = following.invitee_uri
left join scheduled_events as meeting on meeting.uri = booked.event_uri
cross join of_invitees as kind
where case kind.moment
    when 'booked' then booked.is_first is not false and booked.created_at is not null
    when 'moved' then (next.uri is not null or booked.rescheduled or booked.new_invitee <> '')
      and coalesce(booked.canceled_at, next.created_at, meeting.canceled_at) is not null
    else booked.reconfirmed_at is not null
  end

union all

select
  coalesce(booked.booking_uri, booked.uri),
  no_shows.invitee_uri,
  kind.moment,
  case kind.moment when 'no_show' then no_shows.marked_at else no_shows.unmarked_at end,
  null,
  null,
  no_shows.no_show_uri,
  null
from no_shows
join booked on booked.uri = no_shows.invitee_uri
cross join of_marks as kind
where kind.moment = 'no_show' or no_shows.unmarked_at is not null

union all

select
  bookings.uri,
  bookings.last_invitee,
  kind.moment,
  case kind.moment
    when 'canceled' then bookings.canceled_at
    when 'ended' then bookings.ended_at
    else coalesce(
      invitees.attendance_confirmed_at,
      (select coalesce(created_at, as_of) from meeting_recaps where uri = bookings.attendance_basis)
    )
  end,
  case kind.moment when 'canceled' then bookings.canceler_type when 'came' then invitees.attendance_confirmed_by end,
  case kind.moment when 'came' then invitees.attendance_entry end,
  '',
  null
from bookings
join invitees on invitees.uri = bookings.last_invitee
join of_outcomes as kind on kind.outcome = bookings.outcome
where case kind.moment
    when 'canceled' then bookings.canceled_at is not null
    when 'ended' then bookings.ended_at is not null
    else true
  end;
