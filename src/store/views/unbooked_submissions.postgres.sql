-- One row per submission of a routing form that led to a booking page and that no booking refers to (`is_unbooked` in the view
-- `routing_form_results`).
-- Key: submission_uri. Since: created_at.
--
-- submission_uri (text, joins routing_form_submissions.uri): URI of the submission
-- routing_form (text, joins routing_forms.uri): URI of the form
-- routing_form_name (text, holds text): name of the form, if the form is mirrored
-- created_at (time): when the form was submitted
-- event_type (text, joins event_types.uri): URI of the event type whose booking page it led to
-- event_type_name (text, holds text): its name, if the event type is mirrored
-- submitter (text): as the service sends it
-- submitter_type (text): as the service sends it
-- name (text, holds person): first answer to a question of the type `name`; if the form is not mirrored, to a question called `Name`, `Your
--   name`, `Full name` or `Your full name`
-- email (text, holds person): first answer that is an e-mail address
-- booked_otherwise (text, joins invitees.uri): URI of the first invitee with this address, in any letter case, who was created later: a
--   booking that does not refer to the form
-- answers (json, holds text): questions and answers, as sent
-- utm_source (text, holds text): from the submission
-- utm_medium (text, holds text): from the submission
-- utm_campaign (text, holds text): from the submission
-- utm_content (text, holds text): from the submission
-- utm_term (text, holds text): from the submission

with unbooked as (
  select
    submissions.*,
    case when jsonb_typeof(submissions.result -> 'value') = 'string' then submissions.result ->> 'value' end as event_type,
    case when jsonb_typeof(submissions.questions_and_answers) = 'array'
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
      from jsonb_array_elements(unbooked.given_answers) with ordinality as item (value, index)
      cross join lateral (
        select case when jsonb_typeof(item.value -> 'answer') = 'string' then item.value ->> 'answer' end as text
      ) as answer
      where trim(answer.text) like '%_@_%' and trim(answer.text) not like '% %' and trim(answer.text) not like '%@%@%'
      order by item.index limit 1
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
    from jsonb_array_elements(addressed.given_answers) with ordinality as item (value, index)
    cross join lateral (
      select
        case when jsonb_typeof(item.value -> 'answer') = 'string' then item.value ->> 'answer' end as text,
        case when jsonb_typeof(item.value -> 'question') = 'string' then item.value ->> 'question' end as question,
        case when jsonb_typeof(item.value -> 'question_uuid') = 'string' then item.value ->> 'question_uuid' end as question_uuid
    ) as answer
    where trim(answer.text) <> ''
      and coalesce(
        (
          select case when jsonb_typeof(asked.value -> 'type') = 'string' then asked.value ->> 'type' end
          from jsonb_array_elements(
            case when jsonb_typeof(routing_forms.questions) = 'array' then routing_forms.questions else '[]' end
          ) with ordinality as asked (value, index)
          where case when jsonb_typeof(asked.value -> 'uuid') = 'string' then asked.value ->> 'uuid' end = answer.question_uuid
          order by asked.index limit 1
        ),
        case when lower(trim(answer.question) collate "C") in ('name', 'your name', 'full name', 'your full name') then 'name' end
      ) = 'name'
    order by item.index limit 1
  ) as name,
  addressed.email,
  -- Each of the two conditions on the address has an index. The order is not by the bare column: PostgreSQL would follow the index of
  -- the column, and read every booking since the submission.
  (
    select invitees.uri
    from invitees
    where (
        invitees.email = (lower(trim(addressed.email) collate "C") collate "default")
        or (
          invitees.email <> lower(invitees.email collate "C")
          and lower(invitees.email collate "C") = lower(trim(addressed.email) collate "C")
        )
      )
      and invitees.created_at >= addressed.created_at
    order by coalesce(invitees.created_at, invitees.created_at), invitees.uri collate "C" limit 1
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
