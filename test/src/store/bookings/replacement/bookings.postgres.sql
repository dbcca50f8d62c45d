-- One row per booking with all its reschedules: an invitee with a meeting, or the last of several that reschedules link.
-- Key: journey_uri. Since: booked_at.
--
-- journey_uri (text): URI of the first invitee of the chain, mirrored or not
-- first_invitee (text, joins invitees.uri): the first mirrored invitee of the chain
-- last_invitee (text, joins invitees.uri): the last mirrored invitee of the chain
-- invitees (integer): how many of the chain are mirrored
-- moves (integer): how many times it was rescheduled
-- made_at (time): when the last invitee was created
-- event_uri (text, joins scheduled_events.uri): the meeting of the last booking
-- event_type (text, joins event_types.uri): of the last booking
-- event_name (text, holds text): name of the meeting of the last booking
-- first_event_type (text, joins event_types.uri): of the first booking
-- first_event_name (text, holds text): name of the meeting of the first booking
-- hosts (json, holds person): hosts of the last booking, as sent
-- host (text, joins users.uri): the first host of the last booking
-- host_name (text, holds person): name of the first host, as the meeting has it
-- invitee_email (text, holds person): e-mail address on the last booking
-- invitee_name (text, holds person): name on the last booking
-- invitee_timezone (text, holds person): time zone on the last booking
-- utm_source (text, holds text): from the first booking
-- utm_medium (text, holds text): from the first booking
-- utm_campaign (text, holds text): from the first booking
-- utm_content (text, holds text): from the first booking
-- utm_term (text, holds text): from the first booking
-- booked_at (time): when the first invitee was created
-- first_start_time (time): start time of the first booking
-- start_time (time): start time of the last booking
-- end_time (time): end time of the last booking
-- canceled_at (time): when the last invitee was canceled
-- canceler_type (text): who canceled, as the service says: `host` or `invitee`
-- cancel_reason (text, holds text): reason of the cancellation
-- ending (text, one of rescheduled canceled_by_host canceled_by_invitee late_cancellation canceled no_show): how it ended, where the
--   clock does not decide it: `rescheduled` (to a booking that is not mirrored), `canceled_by_host`, `canceled_by_invitee`,
--   `late_cancellation` (by the invitee, less than 24 hours before the start), `canceled` (it is not known by whom), `no_show`; null while
--   it is upcoming or if it was held
-- no_show_at (time): when the last invitee was marked as a no-show, while the mark is open
-- no_show_uri (text): URI of that mark
-- scheduling_method (text): how the last booking was made: `instant_book`, `api`; null for a booking page
-- routing_form_submission (text, joins routing_form_submissions.uri): the submission that led to the first booking, else to the last
-- location_kind (text): type of the location of the last booking, such as `physical` or `zoom`
-- payment_provider (text): of the payment of the last booking, else of the first
-- payment_external_id (text, holds person): identifier of that payment at the provider
-- payment_amount (number): amount of that payment, in units of the currency (not cents)
-- payment_currency (text): currency of that payment
-- payment_successful (flag): whether that payment succeeded
-- evidence (text, one of confirmed likely suspected_no_show unconfirmed): whether the invitee came, if the meeting was held: `confirmed` (it
--   was answered that they came, or a transcript names them as a speaker), `likely` (a recap lists them as an attendee),
--   `suspected_no_show` (a recap lists hosts only) or `unconfirmed` (without evidence)
-- evidence_recap (text, joins meeting_recaps.uri): the recap that `evidence` follows from; null without a recap
-- evidence_entry (text, joins event_log.delivery_id): the answer that `evidence` follows from; null without an answer

select
  coalesce(chain.booking_uri, last.uri) as journey_uri,
  case when chain.invitee_uri is null then last.uri else first.uri end as first_invitee,
  last.uri as last_invitee,
  coalesce(chain.count, 1) as invitees,
  case when chain.invitee_uri is not null then chain.moves when last.rescheduled then 1 else 0 end as moves,
  last.created_at as made_at,
  last.event_uri,
  meeting.event_type,
  meeting.name as event_name,
  case when chain.invitee_uri is null then meeting.event_type else first_meeting.event_type end as first_event_type,
  case when chain.invitee_uri is null then meeting.name else first_meeting.name end as first_event_name,
  meeting.hosts,
  case when jsonb_typeof(meeting.hosts -> 0 -> 'user') = 'string' then meeting.hosts -> 0 ->> 'user' end as host,
  case when jsonb_typeof(meeting.hosts -> 0 -> 'user_name') = 'string' then meeting.hosts -> 0 ->> 'user_name' end as host_name,
  last.email as invitee_email,
  last.name as invitee_name,
  last.timezone as invitee_timezone,
  case when chain.invitee_uri is null then last.utm_source else first.utm_source end as utm_source,
  case when chain.invitee_uri is null then last.utm_medium else first.utm_medium end as utm_medium,
  case when chain.invitee_uri is null then last.utm_campaign else first.utm_campaign end as utm_campaign,
  case when chain.invitee_uri is null then last.utm_content else first.utm_content end as utm_content,
  case when chain.invitee_uri is null then last.utm_term else first.utm_term end as utm_term,
  case when chain.invitee_uri is null then last.created_at else first.created_at end as booked_at,
  case when chain.invitee_uri is null then meeting.start_time else first_meeting.start_time end as first_start_time,
  meeting.start_time,
  meeting.end_time,
  last.canceled_at,
  coalesce(
    last.canceler_type,
    case when jsonb_typeof(meeting.cancellation -> 'canceler_type') = 'string' then meeting.cancellation ->> 'canceler_type' end
  ) as canceler_type,
  coalesce(
    last.cancel_reason,
    case when jsonb_typeof(meeting.cancellation -> 'reason') = 'string' then meeting.cancellation ->> 'reason' end
  ) as cancel_reason,
  case
    when last.rescheduled or last.new_invitee <> '' then 'rescheduled'
    when last.status = 'canceled' or meeting.status = 'canceled' then
      case coalesce(
        last.canceler_type,
        case when jsonb_typeof(meeting.cancellation -> 'canceler_type') = 'string' then meeting.cancellation ->> 'canceler_type' end
      )
        when 'host' then 'canceled_by_host'
        when 'invitee' then
          case
            when floor(date_part('epoch', meeting.start_time)) - floor(date_part('epoch', last.canceled_at)) < 86400
              then 'late_cancellation'
            else 'canceled_by_invitee'
          end
        else 'canceled'
      end
    when last.no_show_at is not null then 'no_show'
  end as ending,
  last.no_show_at,
  last.no_show_uri,
  last.scheduling_method,
  case
    when chain.invitee_uri is null then last.routing_form_submission
    else coalesce(first.routing_form_submission, last.routing_form_submission)
  end as routing_form_submission,
  case when jsonb_typeof(meeting.location -> 'type') = 'string' then meeting.location ->> 'type' end as location_kind,
  case when chain.invitee_uri is null or last.payment is not null then last.payment_provider else first.payment_provider end
    as payment_provider,
  case when chain.invitee_uri is null or last.payment is not null then last.payment_external_id else first.payment_external_id end
    as payment_external_id,
  case when chain.invitee_uri is null or last.payment is not null then last.payment_amount else first.payment_amount end
    as payment_amount,
  case when chain.invitee_uri is null or last.payment is not null then last.payment_currency else first.payment_currency end
    as payment_currency,
  case when chain.invitee_uri is null or last.payment is not null then last.payment_successful else first.payment_successful end
    as payment_successful,
  case
    when last.attendance_entry is not null then 'confirmed'
    else case substr(last.best_recap, 1, 1)
      when '1' then 'confirmed'
      when '2' then 'likely'
      when '4' then 'suspected_no_show'
      else 'unconfirmed'
    end
  end as evidence,
  case when last.attendance_entry is null then substr(last.best_recap, 2) end as evidence_recap,
  last.attendance_entry as evidence_entry
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
left join booking_invitees as chain on chain.invitee_uri = last.uri
left join scheduled_events as meeting on meeting.uri = last.event_uri
left join booking_invitees as start on start.booking_uri = chain.booking_uri and start.is_first
left join invitees as first on first.uri = start.invitee_uri
left join scheduled_events as first_meeting on first_meeting.uri = first.event_uri
where chain.is_last is not false;
