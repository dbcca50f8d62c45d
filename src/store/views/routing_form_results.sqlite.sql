-- What this view and its columns mean is said in routing_form_results.postgres.sql.

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
    where bookings.last_invitee in (
      select coalesce(link.invitee_uri, referring.uri)
      from invitees as referring
      left join booking_invitees as own on own.invitee_uri = referring.uri
      left join booking_invitees as link on link.booking_uri = own.booking_uri and link.is_last
      where referring.routing_form_submission = submissions.uri
    )
  ) end as outcome,
  (
    select bookings.last_invitee
    from bookings
    where bookings.last_invitee in (
      select coalesce(link.invitee_uri, referring.uri)
      from invitees as referring
      left join booking_invitees as own on own.invitee_uri = referring.uri
      left join booking_invitees as link on link.booking_uri = own.booking_uri and link.is_last
      where referring.routing_form_submission = submissions.uri
    )
    order by case bookings.outcome when 'moved' then 1 else 0 end, bookings.made_at desc, bookings.last_invitee desc
    limit 1
  ) as invitee
from routing_form_submissions as submissions;
