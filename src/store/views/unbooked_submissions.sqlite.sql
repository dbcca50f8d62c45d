-- What this view and its columns mean is said in unbooked_submissions.postgres.sql.

-- A plain text is not read as JSON: that would be an error.
with unbooked as (
  select
    submissions.*,
    case when json_type(submissions.result, '$.value') = 'text' then submissions.result ->> '$.value' end as event_type,
    case when json_type(submissions.questions_and_answers) = 'array'
      then submissions.questions_and_answers
      else '[]'
    end as given_answers
  from routing_form_submissions as submissions
  join routing_form_results as results on results.submission_uri = submissions.uri
  where results.is_unbooked
),

addressed as (
  select
    unbooked.*,
    (
      select trim(answer.text)
      from (
        select
          item.key as position,
          case json_type(case item.type when 'object' then item.value end, '$.answer') when 'text' then item.value ->> '$.answer' end as text
        from json_each(unbooked.given_answers) as item
      ) as answer
      where trim(answer.text) like '%_@_%' and trim(answer.text) not like '% %' and trim(answer.text) not like '%@%@%'
      order by answer.position limit 1
    ) as email
  from unbooked
)

select
  addressed.uri as submission_uri,
  addressed.routing_form,
  routing_forms.name as routing_form_name,
  addressed.created_at,
  addressed.event_type,
  event_types.name as event_type_name,
  addressed.submitter,
  addressed.submitter_type,
  (
    select trim(answer.text)
    from (
      select
        item.key as position,
        case json_type(case item.type when 'object' then item.value end, '$.answer')
          when 'text' then item.value ->> '$.answer'
        end as text,
        case json_type(case item.type when 'object' then item.value end, '$.question')
          when 'text' then item.value ->> '$.question'
        end as question,
        case json_type(case item.type when 'object' then item.value end, '$.question_uuid')
          when 'text' then item.value ->> '$.question_uuid'
        end as question_uuid
      from json_each(addressed.given_answers) as item
    ) as answer
    where trim(answer.text) <> ''
      and coalesce(
        (
          select case json_type(case asked.type when 'object' then asked.value end, '$.type') when 'text' then asked.value ->> '$.type' end
          from json_each(
            case when json_type(routing_forms.questions) = 'array' then routing_forms.questions else '[]' end
          ) as asked
          where case json_type(case asked.type when 'object' then asked.value end, '$.uuid')
              when 'text' then asked.value ->> '$.uuid'
            end = answer.question_uuid
          order by asked.key limit 1
        ),
        case when lower(trim(answer.question)) in ('name', 'your name', 'full name', 'your full name') then 'name' end
      ) = 'name'
    order by answer.position limit 1
  ) as name,
  addressed.email,
  -- Each of the two conditions on the address has an index.
  (
    select invitees.uri
    from invitees
    where (
        invitees.email = lower(trim(addressed.email))
        or (invitees.email <> lower(invitees.email) and lower(invitees.email) = lower(trim(addressed.email)))
      )
      and invitees.created_at >= addressed.created_at
    order by coalesce(invitees.created_at, invitees.created_at), invitees.uri limit 1
  ) as booked_otherwise,
  addressed.questions_and_answers as answers,
  addressed.utm_source,
  addressed.utm_medium,
  addressed.utm_campaign,
  addressed.utm_content,
  addressed.utm_term
from addressed
left join routing_forms on routing_forms.uri = addressed.routing_form
left join event_types on event_types.uri = addressed.event_type;
