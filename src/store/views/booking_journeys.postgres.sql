-- One row per booking, including its reschedules, from the first booking to its outcome.
-- Key: journey_uri. Since: booked_at.
--
-- journey_uri (text): URI of the first booking of the chain, mirrored or not
-- first_invitee (text, joins invitees.uri): URI of the first mirrored invitee of the chain
-- last_invitee (text, joins invitees.uri): URI of the last mirrored invitee of the chain
-- invitees (integer): how many of the chain are mirrored
-- moves (integer): how many times it was rescheduled
-- event_type (text, joins event_types.uri): URI of the event type of the last booking
-- event_type_name (text): name of the event type, or of the meeting if the event type is not mirrored
-- host (text, joins users.uri): URI of the first host of the last booking
-- invitee_email (text, holds person): e-mail address on the last booking
-- invitee_name (text, holds person): name on the last booking
-- utm_source (text, holds text): from the first booking
-- utm_medium (text, holds text): from the first booking
-- utm_campaign (text, holds text): from the first booking
-- utm_content (text, holds text): from the first booking
-- utm_term (text, holds text): from the first booking
-- booked_at (time): when the first mirrored invitee was created
-- first_start_time (time): start time of the first booking
-- start_time (time): start time of the last booking
-- end_time (time): end time of the last booking
-- lead_time_seconds (integer): from `booked_at` to `start_time`
-- outcome (text, one of upcoming held no_show canceled_by_host canceled_by_invitee late_cancellation canceled rescheduled): `upcoming`,
--   `held`, `no_show`, `canceled_by_host`, `canceled_by_invitee`, `late_cancellation` (by the invitee, less than 24 hours before the
--   start), `canceled` (it is not known by whom), `rescheduled` (to a booking that is not mirrored); null while the time of the meeting is
--   unknown
-- canceled_at (time): when the last invitee was canceled, a reschedule included
-- canceler_type (text): `host` or `invitee`, as the service says
-- cancel_notice_seconds (integer): from `canceled_at` to `start_time`; negative after the start
-- no_show_at (time): when the last invitee was marked as a no-show, while the mark is open
-- event_uri (text, joins scheduled_events.uri): URI of the scheduled event of the last booking
-- contact_uri (text, joins contacts.uri): URI of the contact with the address of `invitee_email` in any letter case; of several, one whose
--   primary address it is, then the smallest URI; null if no contact has it
-- host_name (text, holds person): name of `host`: from `users`, else as the meeting has it
-- duration_seconds (integer): from `start_time` to `end_time`
-- invitee_timezone (text): time zone of the invitee on the last booking, such as `Europe/Berlin`
-- cancel_reason (text, holds text): reason of the cancellation of the last booking, a reschedule included
-- scheduling_method (text): how the last booking was made: `instant_book`, `api`; null for a booking page
-- routing_form_submission (text, joins routing_form_submissions.uri): URI of the submission that led to the first booking, else to the last
-- location_kind (text): type of the location of the last booking, such as `physical` or `zoom`
-- payment_provider (text): of the payment of the last booking, else of the first
-- payment_external_id (text): identifier of that payment at the provider
-- payment_amount (number): amount of that payment, in units of the currency (not cents)
-- payment_currency (text): currency of that payment
-- payment_successful (flag): whether that payment succeeded
-- attendance (text, one of no_show confirmed likely suspected_no_show unconfirmed): whether the invitee came: `no_show` (marked),
--   `confirmed` (it was answered that they came, or a transcript names them as a speaker), `likely` (a recap lists them as an attendee),
--   `suspected_no_show` (a recap lists hosts only) or `unconfirmed` (held without evidence); null for other outcomes
-- attendance_basis (text): what `attendance` follows from: the URI of the no-show mark or of the recap, or `delivery_id` of the log entry
--   of an answer; null if there is none
-- host_timezone (text): time zone of `host`, from `users`
-- start_day_host (date): day of `start_time` in `host_timezone`; null if the zone is not known
-- start_weekday_host (integer): weekday of `start_time` in `host_timezone`, from 1 (Monday) to 7
-- start_hour_host (integer): hour of `start_time` in `host_timezone`, from 0 to 23
-- start_day_invitee (date): day of `start_time` in `invitee_timezone`; null if the zone is not known
-- start_weekday_invitee (integer): weekday of `start_time` in `invitee_timezone`, from 1 (Monday) to 7
-- start_hour_invitee (integer): hour of `start_time` in `invitee_timezone`, from 0 to 23

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
  (floor(date_part('epoch', bookings.start_time)) - floor(date_part('epoch', bookings.booked_at)))::bigint as lead_time_seconds,
  coalesce(bookings.ending, case
    when coalesce(bookings.end_time, bookings.start_time) <= now() then 'held'
    when coalesce(bookings.end_time, bookings.start_time) is not null then 'upcoming'
  end) as outcome,
  bookings.canceled_at,
  bookings.canceler_type,
  (floor(date_part('epoch', bookings.start_time)) - floor(date_part('epoch', bookings.canceled_at)))::bigint as cancel_notice_seconds,
  bookings.no_show_at,
  bookings.event_uri,
  -- Two queries instead of an `or`, each with an index in its own collation. The lengths are always equal; without them PostgreSQL
  -- expects thousands of rows.
  (
    select coalesce(min(holder.contact_uri collate "C") filter (where holder.is_primary), min(holder.contact_uri collate "C"))
    from (
      select contact_uri, is_primary from contact_emails
      where email = lower(bookings.invitee_email collate "C") collate "default"
      union all
      select contact_uri, is_primary from contact_emails
      where email <> lower(email collate "C")
        and lower(email collate "C") = lower(bookings.invitee_email collate "C")
        and length(email) = length(lower(bookings.invitee_email collate "C"))
    ) as holder
    join contacts on contacts.uri = holder.contact_uri
    where contacts.deleted_at is null
  ) as contact_uri,
  coalesce(users.name, bookings.host_name) as host_name,
  (floor(date_part('epoch', bookings.end_time)) - floor(date_part('epoch', bookings.start_time)))::bigint as duration_seconds,
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
    when bookings.ending is null and coalesce(bookings.end_time, bookings.start_time) <= now() then bookings.evidence
  end as attendance,
  case
    when bookings.ending = 'no_show' then bookings.no_show_uri
    when bookings.ending is null and bookings.evidence <> 'unconfirmed'
      and coalesce(bookings.end_time, bookings.start_time) <= now()
      then coalesce(bookings.evidence_entry, bookings.evidence_recap)
  end as attendance_basis,
  users.timezone as host_timezone,
  local.host_start::date as start_day_host,
  date_part('isodow', local.host_start)::integer as start_weekday_host,
  date_part('hour', local.host_start)::integer as start_hour_host,
  local.invitee_start::date as start_day_invitee,
  date_part('isodow', local.invitee_start)::integer as start_weekday_invitee,
  date_part('hour', local.invitee_start)::integer as start_hour_invitee
from bookings
left join event_types on event_types.uri = bookings.event_type
left join users on users.uri = bookings.host
left join time_zones as host_period
  on host_period.name = lower(users.timezone collate "C")
  and host_period.starts_at = (
    select max(starts_at) from time_zones
    where name = lower(users.timezone collate "C") and starts_at <= bookings.start_time
  )
left join time_zones as invitee_period
  on invitee_period.name = lower(bookings.invitee_timezone collate "C")
  and invitee_period.starts_at = (
    select max(starts_at) from time_zones
    where name = lower(bookings.invitee_timezone collate "C") and starts_at <= bookings.start_time
  )
cross join lateral (
  select
    date_trunc('second', bookings.start_time at time zone 'UTC') + host_period.offset_seconds * interval '1 second' as host_start,
    date_trunc('second', bookings.start_time at time zone 'UTC') + invitee_period.offset_seconds * interval '1 second' as invitee_start
) as local;
