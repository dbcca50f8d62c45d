-- One row per routing form: where its submissions led, how many were booked, and how many meetings were held.
-- Key: routing_form.
--
-- routing_form (text): URI of the form; empty if the submission has none
-- routing_form_name (text): name of the form, if the form is mirrored
-- submissions (integer): number of submissions
-- to_event_type (integer): submissions that led to a booking page
-- to_external_url (integer): submissions that led to another site
-- to_custom_message (integer): submissions that ended with a message
-- booked (integer): submissions with at least one booking
-- upcoming (integer): booked submissions with an upcoming meeting and none held or missed yet
-- held (integer): booked submissions with a held meeting
-- no_shows (integer): booked submissions with a missed meeting and none held
-- canceled (integer): booked submissions whose bookings were all canceled
-- booking_rate (number): `booked` of `submissions`, from 0 to 1
-- held_rate (number): `held` of `booked`, from 0 to 1; null where nothing was booked

with outcomes as (
  select
    invitees.routing_form_submission as submission_uri,
    coalesce(bookings.ending, case
      when coalesce(bookings.end_time, bookings.start_time) <= now() then 'held'
      when coalesce(bookings.end_time, bookings.start_time) is not null then 'upcoming'
    end) as outcome
  from invitees
  left join followed_invitees on followed_invitees.invitee_uri = invitees.uri
  join bookings on bookings.journey_uri = coalesce(followed_invitees.journey_uri, invitees.uri)
  where invitees.routing_form_submission is not null
),

booked as (
  select
    submission_uri,
    max(case outcome when 'held' then 1 else 0 end) as held,
    max(case outcome when 'no_show' then 1 else 0 end) as missed,
    max(case outcome when 'upcoming' then 1 else 0 end) as coming,
    min(case
      when outcome in ('canceled_by_host', 'canceled_by_invitee', 'late_cancellation', 'canceled') then 1
      else 0
    end) as canceled
  from outcomes
  group by submission_uri
)

select
  coalesce(submissions.routing_form, '') as routing_form,
  max(routing_forms.name) as routing_form_name,
  count(*) as submissions,
  count(*) filter (where submissions.result_type = 'event_type') as to_event_type,
  count(*) filter (where submissions.result_type = 'external_url') as to_external_url,
  count(*) filter (where submissions.result_type = 'custom_message') as to_custom_message,
  count(booked.submission_uri) as booked,
  count(*) filter (where booked.coming = 1 and booked.held = 0 and booked.missed = 0) as upcoming,
  count(*) filter (where booked.held = 1) as held,
  count(*) filter (where booked.missed = 1 and booked.held = 0) as no_shows,
  count(*) filter (where booked.canceled = 1) as canceled,
  cast(count(booked.submission_uri) as double precision) / nullif(count(*), 0) as booking_rate,
  cast(count(*) filter (where booked.held = 1) as double precision) / nullif(count(booked.submission_uri), 0) as held_rate
from routing_form_submissions as submissions
left join booked on booked.submission_uri = submissions.uri
left join routing_forms on routing_forms.uri = submissions.routing_form
group by coalesce(submissions.routing_form, '');
