-- What this view and its columns mean is said in routing_form_answers.postgres.sql.

-- A plain text is not read as JSON: that would be an error.
select
  submissions.uri as submission_uri,
  item.key as item,
  case json_type(case item.type when 'object' then item.value end, '$.question_uuid')
    when 'text' then item.value ->> '$.question_uuid'
  end as question_uuid,
  case json_type(case item.type when 'object' then item.value end, '$.question') when 'text' then item.value ->> '$.question' end as question,
  case json_type(case item.type when 'object' then item.value end, '$.answer') when 'text' then item.value ->> '$.answer' end as answer
from routing_form_submissions as submissions
cross join json_each(
  case when json_type(submissions.questions_and_answers) = 'array' then submissions.questions_and_answers else '[]' end
) as item;
