-- One row per booking with all its reschedules: an invitee of a meeting, or the last of several that reschedules link. An invitee without
-- a meeting is no booking.
-- Key: uri. Since: booked_at. Fast: made_at, start_time. Look-up: uri by last_invitee in booking_invitees (booking_uri, invitee_uri).
--
-- uri (text): URI of the first invitee of the chain, mirrored or not
-- first_invitee (text, joins invitees.uri): URI of the first mirrored invitee of the chain
-- last_invitee (text, joins invitees.uri): URI of the last mirrored invitee of the chain
-- invitees (integer): how many of the chain are mirrored
-- moves (integer): how many times it was rescheduled
-- event_type (text, joins event_types.uri): URI of the event type of the last booking
-- event_type_name (text, holds text): name of the event type, or of the meeting if the event type is not mirrored
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
-- outcome (text, one of upcoming came no_show unknown canceled_by_invitee late_cancellation canceled_by_host canceled moved): `upcoming`,
--   `came` (an answer, a recap or a transcript shows it), `no_show` (marked), `unknown` (it ended, and nothing shows that they came),
--   `canceled_by_invitee` (24 hours before the start or earlier), `late_cancellation` (by the invitee, less than 24 hours before the start
--   or after it), `canceled_by_host`, `canceled` (it is not known by whom), `moved` (to a booking that is not mirrored); null while the
--   time of the meeting is unknown
-- canceled_at (time): when it was canceled: from the last invitee, else from the meeting; a reschedule included
-- canceler_type (text): `host` or `invitee`, as the service says: from the last invitee, else from the meeting
-- cancel_notice_seconds (integer): from `canceled_at` to `start_time`; negative after the start
-- no_show_at (time): when the last invitee was marked as a no-show, while the mark is open
-- event_uri (text, joins scheduled_events.uri): URI of the scheduled event of the last booking
-- contact_uri (text, joins contacts.uri): URI of the contact with the address of `invitee_email` in any letter case; of several, one whose
--   primary address it is, then the smallest URI; null if no contact has it
-- host_name (text, holds person): name of `host`: from `users`, else as the meeting has it
-- duration_seconds (integer): from `start_time` to `end_time`
-- invitee_timezone (text, holds person): time zone of the invitee on the last booking, such as `Europe/Berlin`
-- cancel_reason (text, holds text): reason of the cancellation of the last booking, a reschedule included
-- scheduling_method (text): how the last booking was made: `instant_book`, `api`; null for a booking page
-- routing_form_submission (text, joins routing_form_submissions.uri): URI of the submission that led to the first booking, else to the last
-- location_kind (text): type of the location of the last booking, such as `physical` or `zoom`
-- payment_provider (text): of the payment of the last booking, else of the first
-- payment_external_id (text, holds person): identifier of that payment at the provider
-- payment_amount (number): amount of that payment, in units of the currency (not cents)
-- payment_currency (text): currency of that payment
-- payment_successful (flag): whether that payment succeeded
-- attendance (text, one of no_show confirmed likely suspected_no_show unconfirmed): why `outcome` is `no_show`, `came` or `unknown`:
--   `no_show` (marked), `confirmed` (it was answered that they came, or a transcript names them as a speaker), `likely` (a recap lists them
--   as an attendee), `suspected_no_show` (a recap lists hosts only) or `unconfirmed` (it ended, and nothing shows it); null for a booking
--   that was canceled or moved, and for an upcoming one of which nothing is known yet
-- attendance_basis (text): what `attendance` follows from: the URI of the no-show mark or of the recap, or `delivery_id` of the log entry
--   of an answer; null if there is none
-- host_timezone (text, holds person): time zone of `host`, from `users`
-- start_day_host (date): day of `start_time` in `host_timezone`; null if the zone is not known
-- start_weekday_host (integer): weekday of `start_time` in `host_timezone`, from 1 (Monday) to 7
-- start_hour_host (integer): hour of `start_time` in `host_timezone`, from 0 to 23
-- start_day_invitee (date): day of `start_time` in `invitee_timezone`; null if the zone is not known
-- start_weekday_invitee (integer): weekday of `start_time` in `invitee_timezone`, from 1 (Monday) to 7
-- start_hour_invitee (integer): hour of `start_time` in `invitee_timezone`, from 0 to 23
-- made_at (time): when the last invitee was created: the newest booking or move comes first by it
-- ended_at (time): end of the meeting once it is over, or once the invitee is marked as a no-show; null if it was canceled or moved
-- first_event_type (text, joins event_types.uri): URI of the event type of the first booking
-- hosts (json, holds person): hosts of the last booking, as sent
-- start_day (date): day of `start_time` in `REPORT_TIMEZONE`, which is UTC unless it is set
-- start_weekday (integer): weekday of `start_time` in `REPORT_TIMEZONE`, from 1 (Monday) to 7
-- start_hour (integer): hour of `start_time` in `REPORT_TIMEZONE`, from 0 to 23

select
  coalesce(chain.booking_uri, last.uri) as uri,
  case when chain.invitee_uri is null then last.uri else first.uri end as first_invitee,
  last.uri as last_invitee,
  coalesce(chain.count, 1) as invitees,
  case when chain.invitee_uri is not null then chain.moves when last.rescheduled then 1 else 0 end as moves,
  meeting.event_type,
  coalesce((select name from event_types where uri = meeting.event_type), meeting.name) as event_type_name,
  case when jsonb_typeof(meeting.hosts -> 0 -> 'user') = 'string' then meeting.hosts -> 0 ->> 'user' end as host,
  last.email as invitee_email,
  last.name as invitee_name,
  case when chain.invitee_uri is null then last.utm_source else first.utm_source end as utm_source,
  case when chain.invitee_uri is null then last.utm_medium else first.utm_medium end as utm_medium,
  case when chain.invitee_uri is null then last.utm_campaign else first.utm_campaign end as utm_campaign,
  case when chain.invitee_uri is null then last.utm_content else first.utm_content end as utm_content,
  case when chain.invitee_uri is null then last.utm_term else first.utm_term end as utm_term,
  case when chain.invitee_uri is null then last.created_at else first.created_at end as booked_at,
  case when chain.invitee_uri is null then meeting.start_time else (select start_time from scheduled_events where uri = first.event_uri) end
    as first_start_time,
  meeting.start_time,
  meeting.end_time,
  (floor(date_part('epoch', meeting.start_time)) - floor(date_part('epoch', case when chain.invitee_uri is null then last.created_at else first.created_at end)))::bigint
    as lead_time_seconds,
  case
    when last.rescheduled or last.new_invitee <> '' then 'moved'
    when last.status = 'canceled' or meeting.status = 'canceled' then
      case coalesce(last.canceler_type, meeting.canceler_type)
        when 'host' then 'canceled_by_host'
        when 'invitee' then case
          when floor(date_part('epoch', meeting.start_time)) - floor(date_part('epoch', coalesce(last.canceled_at, meeting.canceled_at))) < 86400
            then 'late_cancellation'
          else 'canceled_by_invitee'
        end
        else 'canceled'
      end
    when last.no_show_at is not null then 'no_show'
    when coalesce(meeting.end_time, meeting.start_time) > now() then 'upcoming'
    when coalesce(meeting.end_time, meeting.start_time) is null then null
    when last.attendance_entry is not null or substr(last.best_recap, 1, 1) in ('1', '2') then 'came'
    else 'unknown'
  end as outcome,
  coalesce(last.canceled_at, meeting.canceled_at) as canceled_at,
  coalesce(last.canceler_type, meeting.canceler_type) as canceler_type,
  (floor(date_part('epoch', meeting.start_time)) - floor(date_part('epoch', coalesce(last.canceled_at, meeting.canceled_at))))::bigint
    as cancel_notice_seconds,
  last.no_show_at,
  last.event_uri,
  -- Two queries instead of an `or`, each with an index in its own collation. The lengths are always equal; without them PostgreSQL
  -- expects thousands of rows.
  (
    select coalesce(min(holder.contact_uri collate "C") filter (where holder.is_primary), min(holder.contact_uri collate "C"))
    from (
      select contact_uri, is_primary from contact_emails
      where email = lower(last.email collate "C") collate "default"
      union all
      select contact_uri, is_primary from contact_emails
      where email <> lower(email collate "C")
        and lower(email collate "C") = lower(last.email collate "C")
        and length(email) = length(lower(last.email collate "C"))
    ) as holder
    join contacts on contacts.uri = holder.contact_uri
    where contacts.deleted_at is null
  ) as contact_uri,
  coalesce(users.name, case when jsonb_typeof(meeting.hosts -> 0 -> 'user_name') = 'string' then meeting.hosts -> 0 ->> 'user_name' end) as host_name,
  (floor(date_part('epoch', meeting.end_time)) - floor(date_part('epoch', meeting.start_time)))::bigint as duration_seconds,
  last.timezone as invitee_timezone,
  coalesce(
    last.cancel_reason,
    case when jsonb_typeof(meeting.cancellation -> 'reason') = 'string' then meeting.cancellation ->> 'reason' end
  ) as cancel_reason,
  last.scheduling_method,
  case
    when chain.invitee_uri is null then last.routing_form_submission
    else coalesce(first.routing_form_submission, last.routing_form_submission)
  end as routing_form_submission,
  case when jsonb_typeof(meeting.location -> 'type') = 'string' then meeting.location ->> 'type' end as location_kind,
  case when chain.invitee_uri is null or last.payment is not null then last.payment_provider else first.payment_provider end as payment_provider,
  case when chain.invitee_uri is null or last.payment is not null then last.payment_external_id else first.payment_external_id end
    as payment_external_id,
  case when chain.invitee_uri is null or last.payment is not null then last.payment_amount else first.payment_amount end as payment_amount,
  case when chain.invitee_uri is null or last.payment is not null then last.payment_currency else first.payment_currency end as payment_currency,
  case when chain.invitee_uri is null or last.payment is not null then last.payment_successful else first.payment_successful end
    as payment_successful,
  case
    when last.rescheduled or last.new_invitee <> '' or last.status = 'canceled' or meeting.status = 'canceled' then null
    when last.no_show_at is not null then 'no_show'
    when last.attendance_entry is not null then 'confirmed'
    -- PostgreSQL plans the query of the recap again for each place that names it.
    else case substr(last.best_recap, 1, 1)
      when '1' then 'confirmed'
      when '2' then 'likely'
      when '4' then 'suspected_no_show'
      else case when coalesce(meeting.end_time, meeting.start_time) <= now() then 'unconfirmed' end
    end
  end as attendance,
  case
    when last.rescheduled or last.new_invitee <> '' or last.status = 'canceled' or meeting.status = 'canceled' then null
    when last.no_show_at is not null then last.no_show_uri
    when last.attendance_entry is not null then last.attendance_entry
    else substring(last.best_recap from '^[124](.*)$') collate "default"
  end as attendance_basis,
  users.timezone as host_timezone,
  date '0001-01-01' + (local.host_start / 86400)::integer as start_day_host,
  (local.host_start / 86400 % 7)::integer + 1 as start_weekday_host,
  (local.host_start / 3600 % 24)::integer as start_hour_host,
  date '0001-01-01' + (local.invitee_start / 86400)::integer as start_day_invitee,
  (local.invitee_start / 86400 % 7)::integer + 1 as start_weekday_invitee,
  (local.invitee_start / 3600 % 24)::integer as start_hour_invitee,
  last.created_at as made_at,
  case
    when last.rescheduled or last.new_invitee <> '' or last.status = 'canceled' or meeting.status = 'canceled' then null
    when last.no_show_at is not null or coalesce(meeting.end_time, meeting.start_time) <= now()
      then coalesce(meeting.end_time, meeting.start_time)
  end as ended_at,
  case when chain.invitee_uri is null then meeting.event_type else (select event_type from scheduled_events where uri = first.event_uri) end
    as first_event_type,
  meeting.hosts,
  date '0001-01-01' + (local.report_start / 86400)::integer as start_day,
  (local.report_start / 86400 % 7)::integer + 1 as start_weekday,
  (local.report_start / 3600 % 24)::integer as start_hour
from (
  -- The recap of the meeting that says most of the invitee, after the number of what it says: that they spoke (1), that they attended (2),
  -- that others than hosts were there (3), that hosts only were there (4), or nothing (5). Of several the smallest counts: if anyone besides
  -- hosts appears in one of them, another with hosts only does not make it a no-show.
  select invitees.*, (
    select min((
      case
        when exists (
          select 1 from jsonb_array_elements(case when jsonb_typeof(recap.speakers) = 'array' then recap.speakers else '[]'::jsonb end) as speaker
          where nullif(lower(trim(case when jsonb_typeof(speaker) = 'string' then speaker #>> '{}' end) collate "C"), '')
            in (nullif(lower(trim(invitees.email) collate "C"), ''), nullif(lower(trim(invitees.name) collate "C"), ''))
        ) then '1'
        when exists (
          select 1 from jsonb_array_elements(case when jsonb_typeof(recap.attendees) = 'array' then recap.attendees else '[]'::jsonb end) as attendee
          where attendee -> 'host' is distinct from 'true'::jsonb
            and case
              when nullif(lower(trim(case when jsonb_typeof(attendee -> 'user_email') = 'string' then attendee ->> 'user_email' end) collate "C"), '') is not null
                then nullif(lower(trim(case when jsonb_typeof(attendee -> 'user_email') = 'string' then attendee ->> 'user_email' end) collate "C"), '') = nullif(lower(trim(invitees.email) collate "C"), '')
              else nullif(lower(trim(case when jsonb_typeof(attendee -> 'user_name') = 'string' then attendee ->> 'user_name' end) collate "C"), '') = nullif(lower(trim(invitees.name) collate "C"), '')
            end
        ) then '2'
        when exists (
          select 1 from jsonb_array_elements(case when jsonb_typeof(recap.attendees) = 'array' then recap.attendees else '[]'::jsonb end) as attendee
          where attendee -> 'host' is distinct from 'true'::jsonb
        ) or exists (
          select 1 from jsonb_array_elements(case when jsonb_typeof(recap.speakers) = 'array' then recap.speakers else '[]'::jsonb end) as speaker
          where nullif(lower(trim(case when jsonb_typeof(speaker) = 'string' then speaker #>> '{}' end) collate "C"), '') not in (
            select lower(trim(said.name) collate "C")
            from jsonb_array_elements(case when jsonb_typeof(recap.attendees) = 'array' then recap.attendees else '[]'::jsonb end) as attendee
            cross join lateral (values
              (case when jsonb_typeof(attendee -> 'user_email') = 'string' then attendee ->> 'user_email' end),
              (case when jsonb_typeof(attendee -> 'user_name') = 'string' then attendee ->> 'user_name' end)
            ) as said (name)
            where attendee -> 'host' = 'true'::jsonb and said.name is not null
          )
        ) then '3'
        when jsonb_typeof(recap.attendees) = 'array' and recap.attendees <> '[]'::jsonb then '4'
        else '5'
      end || recap.uri
    ) collate "C")
    from meeting_recaps as recap
    where recap.event_uri = invitees.event_uri and recap.deleted_at is null
  ) as best_recap
  from invitees
) as last
-- At most seven tables are joined: with more, PostgreSQL (`join_collapse_limit`) would join them all for a query that asks for a few
-- invitees with `in (select …)`.
join scheduled_events as meeting on meeting.uri = last.event_uri
left join booking_invitees as chain on chain.invitee_uri = last.uri
left join invitees as first on first.uri = chain.first_invitee
left join users on users.uri = case when jsonb_typeof(meeting.hosts -> 0 -> 'user') = 'string' then meeting.hosts -> 0 ->> 'user' end
-- All periods of a zone in one row, so that a time is found in them without a look-up of its own.
left join (
  select name, array_agg(starts_at order by starts_at) as starts, array_agg(offset_seconds order by starts_at) as offsets
  from time_zones
  group by name
) as host_zone on host_zone.name = lower(users.timezone collate "C")
left join (
  select name, array_agg(starts_at order by starts_at) as starts, array_agg(offset_seconds order by starts_at) as offsets
  from time_zones
  group by name
) as invitee_zone on invitee_zone.name = lower(last.timezone collate "C")
-- Seconds since Monday, 1 January 0001, in local time: day, weekday and hour are counted in them, which takes less time than to take a
-- time apart.
cross join lateral (
  select
    floor(date_part('epoch', meeting.start_time))::bigint + 62135596800
      + host_zone.offsets[width_bucket(meeting.start_time, host_zone.starts)] as host_start,
    floor(date_part('epoch', meeting.start_time))::bigint + 62135596800
      + invitee_zone.offsets[width_bucket(meeting.start_time, invitee_zone.starts)] as invitee_start,
    -- UTC while no settings are stored.
    floor(date_part('epoch', meeting.start_time))::bigint + 62135596800
      + coalesce((
        select array_agg(offset_seconds order by starts_at) from time_zones
        where name = (select lower(report_timezone collate "C") from mirror_settings)
      )[width_bucket(meeting.start_time, (
        select array_agg(starts_at order by starts_at) from time_zones
        where name = (select lower(report_timezone collate "C") from mirror_settings)
      ))], 0) as report_start
) as local
where chain.is_last is not false;
