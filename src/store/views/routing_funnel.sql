-- One row per routing form: where its submissions led, how many were booked, and how the meetings ended. A submission counts once, by the
-- best outcome of its bookings (the view `routing_form_results`).
-- Key: routing_form.
--
-- routing_form (text): URI of the form; empty if the submission has none
-- routing_form_name (text, holds text): name of the form, if the form is mirrored
-- submissions (integer): number of submissions
-- to_event_type (integer): submissions that led to a booking page
-- to_external_url (integer): submissions that led to another site
-- to_custom_message (integer): submissions that ended with a message
-- unbooked (integer): submissions that led to a booking page and have no booking
-- booked (integer): submissions with at least one booking
-- upcoming (integer): booked submissions with an upcoming meeting and none that ended
-- ended (integer): booked submissions with a meeting that ended: `came`, `no_shows` and `unknown` together
-- came (integer): those of them with a meeting that the invitee came to
-- no_shows (integer): those with a missed meeting and no other that ended
-- unknown (integer): those with a meeting of which it is not known whether the invitee came, and none that they came to
-- canceled (integer): booked submissions whose bookings were all canceled
-- booking_rate (number): `booked` of `submissions`, from 0 to 1
-- ended_rate (number): `ended` of `booked`, from 0 to 1; null where nothing was booked

with results as materialized (
  select coalesce(routing_form, '') as routing_form, result_type, is_booked, is_unbooked, outcome
  from routing_form_results
),

counts as (
  select
    routing_form,
    count(*) as submissions,
    count(case when result_type = 'event_type' then 1 end) as to_event_type,
    count(case when result_type = 'external_url' then 1 end) as to_external_url,
    count(case when result_type = 'custom_message' then 1 end) as to_custom_message,
    count(case when is_unbooked then 1 end) as unbooked,
    count(case when is_booked then 1 end) as booked,
    count(case when outcome = 'upcoming' then 1 end) as upcoming,
    count(case when outcome in ('came', 'no_show', 'unknown') then 1 end) as ended,
    count(case when outcome = 'came' then 1 end) as came,
    count(case when outcome = 'no_show' then 1 end) as no_shows,
    count(case when outcome = 'unknown' then 1 end) as unknown,
    count(case when outcome = 'canceled' then 1 end) as canceled
  from results
  group by routing_form
)

select
  counts.routing_form,
  routing_forms.name as routing_form_name,
  counts.submissions,
  counts.to_event_type,
  counts.to_external_url,
  counts.to_custom_message,
  counts.unbooked,
  counts.booked,
  counts.upcoming,
  counts.ended,
  counts.came,
  counts.no_shows,
  counts.unknown,
  counts.canceled,
  cast(counts.booked as double precision) / nullif(counts.submissions, 0) as booking_rate,
  cast(counts.ended as double precision) / nullif(counts.booked, 0) as ended_rate
from counts
left join routing_forms on routing_forms.uri = counts.routing_form;
