-- One row per submission of a routing form: where it led, and what became of it. A booking that was moved counts by its last time.
-- Key: submission_uri. Since: created_at.
-- Fast: created_at.
--
-- submission_uri (text, joins routing_form_submissions.uri): URI of the submission
-- created_at (time): when the form was submitted
-- routing_form (text, joins routing_forms.uri): URI of the form
-- result_type (text): where it led: `event_type`, `external_url` or `custom_message`
-- utm_source (text, holds text): from the submission
-- utm_medium (text, holds text): from the submission
-- utm_campaign (text, holds text): from the submission
-- utm_content (text, holds text): from the submission
-- utm_term (text, holds text): from the submission
-- is_booked (flag): whether an invitee refers to it
-- is_unbooked (flag): whether it led to a booking page and no invitee refers to it
-- outcome (text, one of came unknown no_show upcoming canceled booked): the best outcome of its bookings, in the order `came`, `unknown`,
--   `no_show`, `upcoming`; `canceled` if all were canceled, by whomever; `booked` where more is not known; null if it is not booked
-- invitee (text, joins invitees.uri): URI of the last invitee of the newest of its bookings, rather of one that was not moved to a booking
--   that is not mirrored; null if it has none

-- An array, and no `in`: PostgreSQL would read all bookings.
select
  submissions.uri as submission_uri,
  submissions.created_at,
  submissions.routing_form,
  submissions.result_type,
  submissions.utm_source,
  submissions.utm_medium,
  submissions.utm_campaign,
  submissions.utm_content,
  submissions.utm_term,
  exists (select 1 from invitees where invitees.routing_form_submission = submissions.uri) as is_booked,
  coalesce(submissions.result_type = 'event_type', 1 = 0)
    and not exists (select 1 from invitees where invitees.routing_form_submission = submissions.uri) as is_unbooked,
  case when exists (select 1 from invitees where invitees.routing_form_submission = submissions.uri) then (
    select
      case min(case bookings.outcome
        when 'came' then 1
        when 'unknown' then 2
        when 'no_show' then 3
        when 'upcoming' then 4
        when 'canceled_by_invitee' then 6
        when 'late_cancellation' then 6
        when 'canceled_by_host' then 6
        when 'canceled' then 6
        else 5
      end)
        when 1 then 'came'
        when 2 then 'unknown'
        when 3 then 'no_show'
        when 4 then 'upcoming'
        when 6 then 'canceled'
        else 'booked'
      end
    from bookings
    where bookings.last_invitee = any (array(
      select coalesce(link.invitee_uri, referring.uri)
      from invitees as referring
      left join booking_invitees as own on own.invitee_uri = referring.uri
      left join booking_invitees as link on link.booking_uri = own.booking_uri and link.is_last
      where referring.routing_form_submission = submissions.uri
    ))
  ) end as outcome,
  (
    select bookings.last_invitee
    from bookings
    where bookings.last_invitee = any (array(
      select coalesce(link.invitee_uri, referring.uri)
      from invitees as referring
      left join booking_invitees as own on own.invitee_uri = referring.uri
      left join booking_invitees as link on link.booking_uri = own.booking_uri and link.is_last
      where referring.routing_form_submission = submissions.uri
    ))
    order by case bookings.outcome when 'moved' then 1 else 0 end, bookings.made_at desc nulls last, bookings.last_invitee collate "C" desc
    limit 1
  ) as invitee
from routing_form_submissions as submissions;
