-- What this view and its columns mean is said in booking_journeys.postgres.sql.

select
  bookings.journey_uri,
  bookings.first_invitee,
  bookings.last_invitee,
  bookings.invitees,
  bookings.moves,
  bookings.event_type,
  coalesce(event_types.name, bookings.event_name) as event_type_name,
  bookings.host,
  bookings.invitee_email,
  bookings.invitee_name,
  bookings.utm_source,
  bookings.utm_medium,
  bookings.utm_campaign,
  bookings.utm_content,
  bookings.utm_term,
  bookings.booked_at,
  bookings.first_start_time,
  bookings.start_time,
  bookings.end_time,
  unixepoch(bookings.start_time) - unixepoch(bookings.booked_at) as lead_time_seconds,
  -- The present moment is a query of its own, which is computed once and not for every row.
  coalesce(bookings.ending, case
    when coalesce(bookings.end_time, bookings.start_time) <= (select strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')) then 'held'
    when coalesce(bookings.end_time, bookings.start_time) is not null then 'upcoming'
  end) as outcome,
  bookings.canceled_at,
  bookings.canceler_type,
  unixepoch(bookings.start_time) - unixepoch(bookings.canceled_at) as cancel_notice_seconds,
  bookings.no_show_at,
  bookings.event_uri,
  (
    select coalesce(min(holder.contact_uri) filter (where holder.is_primary), min(holder.contact_uri))
    from contact_emails as holder
    cross join contacts on contacts.uri = holder.contact_uri
    where contacts.deleted_at is null
      and (
        holder.email = lower(bookings.invitee_email)
        or (holder.email <> lower(holder.email) and lower(holder.email) = lower(bookings.invitee_email))
      )
  ) as contact_uri,
  coalesce(users.name, bookings.host_name) as host_name,
  unixepoch(bookings.end_time) - unixepoch(bookings.start_time) as duration_seconds,
  bookings.invitee_timezone,
  bookings.cancel_reason,
  bookings.scheduling_method,
  bookings.routing_form_submission,
  bookings.location_kind,
  bookings.payment_provider,
  bookings.payment_external_id,
  bookings.payment_amount,
  bookings.payment_currency,
  bookings.payment_successful,
  case
    when bookings.ending = 'no_show' then 'no_show'
    when bookings.ending is null
      and coalesce(bookings.end_time, bookings.start_time) <= (select strftime('%Y-%m-%dT%H:%M:%f000Z', 'now'))
      then bookings.evidence
  end as attendance,
  case
    when bookings.ending = 'no_show' then bookings.no_show_uri
    when bookings.ending is null and bookings.evidence <> 'unconfirmed'
      and coalesce(bookings.end_time, bookings.start_time) <= (select strftime('%Y-%m-%dT%H:%M:%f000Z', 'now'))
      then coalesce(bookings.evidence_entry, bookings.evidence_recap)
  end as attendance_basis,
  users.timezone as host_timezone,
  date(substr(bookings.start_time, 1, 19), host_period.offset_seconds || ' seconds') as start_day_host,
  -- From 0 (Sunday) to 6 becomes from 1 (Monday) to 7.
  (strftime('%w', substr(bookings.start_time, 1, 19), host_period.offset_seconds || ' seconds') + 6) % 7 + 1 as start_weekday_host,
  cast(strftime('%H', substr(bookings.start_time, 1, 19), host_period.offset_seconds || ' seconds') as integer) as start_hour_host,
  date(substr(bookings.start_time, 1, 19), invitee_period.offset_seconds || ' seconds') as start_day_invitee,
  (strftime('%w', substr(bookings.start_time, 1, 19), invitee_period.offset_seconds || ' seconds') + 6) % 7 + 1 as start_weekday_invitee,
  cast(strftime('%H', substr(bookings.start_time, 1, 19), invitee_period.offset_seconds || ' seconds') as integer) as start_hour_invitee
from bookings
left join event_types on event_types.uri = bookings.event_type
left join users on users.uri = bookings.host
left join time_zones as host_period
  on host_period.name = lower(users.timezone)
  and host_period.starts_at = (
    select max(starts_at) from time_zones
    where name = lower(users.timezone) and starts_at <= bookings.start_time
  )
left join time_zones as invitee_period
  on invitee_period.name = lower(bookings.invitee_timezone)
  and invitee_period.starts_at = (
    select max(starts_at) from time_zones
    where name = lower(bookings.invitee_timezone) and starts_at <= bookings.start_time
  );
