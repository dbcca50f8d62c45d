-- What this view and its columns mean is said in bookings.postgres.sql.

select
  coalesce(chain.booking_uri, last.uri) as uri,
  case when chain.invitee_uri is null then last.uri else first.uri end as first_invitee,
  last.uri as last_invitee,
  coalesce(chain.count, 1) as invitees,
  case when chain.invitee_uri is not null then chain.moves when last.rescheduled then 1 else 0 end as moves,
  meeting.event_type,
  coalesce(event_types.name, meeting.name) as event_type_name,
  case when json_type(meeting.hosts, '$[0].user') = 'text' then meeting.hosts ->> '$[0].user' end as host,
  last.email as invitee_email,
  last.name as invitee_name,
  case when chain.invitee_uri is null then last.utm_source else first.utm_source end as utm_source,
  case when chain.invitee_uri is null then last.utm_medium else first.utm_medium end as utm_medium,
  case when chain.invitee_uri is null then last.utm_campaign else first.utm_campaign end as utm_campaign,
  case when chain.invitee_uri is null then last.utm_content else first.utm_content end as utm_content,
  case when chain.invitee_uri is null then last.utm_term else first.utm_term end as utm_term,
  case when chain.invitee_uri is null then last.created_at else first.created_at end as booked_at,
  case when chain.invitee_uri is null then meeting.start_time else first_meeting.start_time end as first_start_time,
  meeting.start_time,
  meeting.end_time,
  unixepoch(meeting.start_time) - unixepoch(case when chain.invitee_uri is null then last.created_at else first.created_at end)
    as lead_time_seconds,
  -- The present moment is a query of its own, which is computed once and not for every row.
  case
    when last.rescheduled or last.new_invitee <> '' then 'moved'
    when last.status = 'canceled' or meeting.status = 'canceled' then
      case coalesce(last.canceler_type, meeting.canceler_type)
        when 'host' then 'canceled_by_host'
        when 'invitee' then case
          when unixepoch(meeting.start_time) - unixepoch(coalesce(last.canceled_at, meeting.canceled_at)) < 86400
            then 'late_cancellation'
          else 'canceled_by_invitee'
        end
        else 'canceled'
      end
    when last.no_show_at is not null then 'no_show'
    when coalesce(meeting.end_time, meeting.start_time) > (select strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')) then 'upcoming'
    when coalesce(meeting.end_time, meeting.start_time) is null then null
    when last.attendance_entry is not null or substr(last.best_recap, 1, 1) in ('1', '2') then 'came'
    else 'unknown'
  end as outcome,
  coalesce(last.canceled_at, meeting.canceled_at) as canceled_at,
  coalesce(last.canceler_type, meeting.canceler_type) as canceler_type,
  unixepoch(meeting.start_time) - unixepoch(coalesce(last.canceled_at, meeting.canceled_at)) as cancel_notice_seconds,
  last.no_show_at,
  last.event_uri,
  (
    select coalesce(min(holder.contact_uri) filter (where holder.is_primary), min(holder.contact_uri))
    from contact_emails as holder
    cross join contacts on contacts.uri = holder.contact_uri
    where contacts.deleted_at is null
      and (
        holder.email = lower(last.email)
        or (holder.email <> lower(holder.email) and lower(holder.email) = lower(last.email))
      )
  ) as contact_uri,
  coalesce(users.name, case when json_type(meeting.hosts, '$[0].user_name') = 'text' then meeting.hosts ->> '$[0].user_name' end) as host_name,
  unixepoch(meeting.end_time) - unixepoch(meeting.start_time) as duration_seconds,
  last.timezone as invitee_timezone,
  coalesce(
    last.cancel_reason,
    case when json_type(meeting.cancellation, '$.reason') = 'text' then meeting.cancellation ->> '$.reason' end
  ) as cancel_reason,
  last.scheduling_method,
  case
    when chain.invitee_uri is null then last.routing_form_submission
    else coalesce(first.routing_form_submission, last.routing_form_submission)
  end as routing_form_submission,
  case when json_type(meeting.location, '$.type') = 'text' then meeting.location ->> '$.type' end as location_kind,
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
    when last.attendance_entry is not null or substr(last.best_recap, 1, 1) = '1' then 'confirmed'
    when substr(last.best_recap, 1, 1) = '2' then 'likely'
    when substr(last.best_recap, 1, 1) = '4' then 'suspected_no_show'
    when coalesce(meeting.end_time, meeting.start_time) <= (select strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')) then 'unconfirmed'
  end as attendance,
  case
    when last.rescheduled or last.new_invitee <> '' or last.status = 'canceled' or meeting.status = 'canceled' then null
    when last.no_show_at is not null then last.no_show_uri
    when last.attendance_entry is not null then last.attendance_entry
    when substr(last.best_recap, 1, 1) in ('1', '2', '4') then substr(last.best_recap, 2)
  end as attendance_basis,
  users.timezone as host_timezone,
  -- Weekday and hour are counted in seconds since Monday, 1 January 0001: to format a time takes twice as long.
  date(substr(meeting.start_time, 1, 19), (
    select offset_seconds from time_zones
    where name = lower(users.timezone) and starts_at <= meeting.start_time
    order by starts_at desc limit 1
  ) || ' seconds') as start_day_host,
  (unixepoch(substr(meeting.start_time, 1, 19)) + 62135596800 + (
    select offset_seconds from time_zones
    where name = lower(users.timezone) and starts_at <= meeting.start_time
    order by starts_at desc limit 1
  )) / 86400 % 7 + 1 as start_weekday_host,
  (unixepoch(substr(meeting.start_time, 1, 19)) + 62135596800 + (
    select offset_seconds from time_zones
    where name = lower(users.timezone) and starts_at <= meeting.start_time
    order by starts_at desc limit 1
  )) / 3600 % 24 as start_hour_host,
  date(substr(meeting.start_time, 1, 19), (
    select offset_seconds from time_zones
    where name = lower(last.timezone) and starts_at <= meeting.start_time
    order by starts_at desc limit 1
  ) || ' seconds') as start_day_invitee,
  (unixepoch(substr(meeting.start_time, 1, 19)) + 62135596800 + (
    select offset_seconds from time_zones
    where name = lower(last.timezone) and starts_at <= meeting.start_time
    order by starts_at desc limit 1
  )) / 86400 % 7 + 1 as start_weekday_invitee,
  (unixepoch(substr(meeting.start_time, 1, 19)) + 62135596800 + (
    select offset_seconds from time_zones
    where name = lower(last.timezone) and starts_at <= meeting.start_time
    order by starts_at desc limit 1
  )) / 3600 % 24 as start_hour_invitee,
  last.created_at as made_at,
  case
    when last.rescheduled or last.new_invitee <> '' or last.status = 'canceled' or meeting.status = 'canceled' then null
    when last.no_show_at is not null or coalesce(meeting.end_time, meeting.start_time) <= (select strftime('%Y-%m-%dT%H:%M:%f000Z', 'now'))
      then coalesce(meeting.end_time, meeting.start_time)
  end as ended_at,
  case when chain.invitee_uri is null then meeting.event_type else first_meeting.event_type end as first_event_type,
  meeting.hosts,
  -- UTC while no settings are stored.
  date(substr(meeting.start_time, 1, 19), coalesce((
    select offset_seconds from time_zones
    where name = (select lower(report_timezone) from mirror_settings) and starts_at <= meeting.start_time
    order by starts_at desc limit 1
  ), 0) || ' seconds') as start_day,
  (unixepoch(substr(meeting.start_time, 1, 19)) + 62135596800 + coalesce((
    select offset_seconds from time_zones
    where name = (select lower(report_timezone) from mirror_settings) and starts_at <= meeting.start_time
    order by starts_at desc limit 1
  ), 0)) / 86400 % 7 + 1 as start_weekday,
  (unixepoch(substr(meeting.start_time, 1, 19)) + 62135596800 + coalesce((
    select offset_seconds from time_zones
    where name = (select lower(report_timezone) from mirror_settings) and starts_at <= meeting.start_time
    order by starts_at desc limit 1
  ), 0)) / 3600 % 24 as start_hour
from (
  select invitees.*, (
    select min(
      case
        when exists (
          select 1 from json_each(case when json_type(recap.speakers) = 'array' then recap.speakers else '[]' end) as speaker
          where nullif(lower(trim(case speaker.type when 'text' then speaker.value end)), '')
            in (nullif(lower(trim(invitees.email)), ''), nullif(lower(trim(invitees.name)), ''))
        ) then '1'
        when exists (
          select 1 from json_each(case when json_type(recap.attendees) = 'array' then recap.attendees else '[]' end) as attendee
          where coalesce(case when attendee.type = 'object' then json_type(attendee.value, '$.host') end, '') <> 'true'
            and case
              when nullif(lower(trim(case json_type(case attendee.type when 'object' then attendee.value end, '$.user_email') when 'text' then attendee.value ->> '$.user_email' end)), '') is not null
                then nullif(lower(trim(case json_type(case attendee.type when 'object' then attendee.value end, '$.user_email') when 'text' then attendee.value ->> '$.user_email' end)), '') = nullif(lower(trim(invitees.email)), '')
              else nullif(lower(trim(case json_type(case attendee.type when 'object' then attendee.value end, '$.user_name') when 'text' then attendee.value ->> '$.user_name' end)), '') = nullif(lower(trim(invitees.name)), '')
            end
        ) then '2'
        when exists (
          select 1 from json_each(case when json_type(recap.attendees) = 'array' then recap.attendees else '[]' end) as attendee
          where coalesce(case when attendee.type = 'object' then json_type(attendee.value, '$.host') end, '') <> 'true'
        ) or exists (
          select 1 from json_each(case when json_type(recap.speakers) = 'array' then recap.speakers else '[]' end) as speaker
          where nullif(lower(trim(case speaker.type when 'text' then speaker.value end)), '') not in (
            select lower(trim(case json_type(case attendee.type when 'object' then attendee.value end, '$.user_email') when 'text' then attendee.value ->> '$.user_email' end))
            from json_each(case when json_type(recap.attendees) = 'array' then recap.attendees else '[]' end) as attendee
            where coalesce(case when attendee.type = 'object' then json_type(attendee.value, '$.host') end, '') = 'true' and case json_type(case attendee.type when 'object' then attendee.value end, '$.user_email') when 'text' then attendee.value ->> '$.user_email' end is not null
            union all
            select lower(trim(case json_type(case attendee.type when 'object' then attendee.value end, '$.user_name') when 'text' then attendee.value ->> '$.user_name' end))
            from json_each(case when json_type(recap.attendees) = 'array' then recap.attendees else '[]' end) as attendee
            where coalesce(case when attendee.type = 'object' then json_type(attendee.value, '$.host') end, '') = 'true' and case json_type(case attendee.type when 'object' then attendee.value end, '$.user_name') when 'text' then attendee.value ->> '$.user_name' end is not null
          )
        ) then '3'
        when json_type(recap.attendees) = 'array' and json_array_length(recap.attendees) > 0 then '4'
        else '5'
      end || recap.uri
    )
    from meeting_recaps as recap
    where recap.event_uri = invitees.event_uri and recap.deleted_at is null
  ) as best_recap
  from invitees
) as last
join scheduled_events as meeting on meeting.uri = last.event_uri
left join booking_invitees as chain on chain.invitee_uri = last.uri
-- By `chain.first_invitee`, as on PostgreSQL, a page by start would read all invitees.
left join booking_invitees as start on start.booking_uri = chain.booking_uri and start.is_first
left join invitees as first on first.uri = start.invitee_uri
left join scheduled_events as first_meeting on first_meeting.uri = first.event_uri
left join event_types on event_types.uri = meeting.event_type
left join users on users.uri = case when json_type(meeting.hosts, '$[0].user') = 'text' then meeting.hosts ->> '$[0].user' end
where chain.is_last is not false;
