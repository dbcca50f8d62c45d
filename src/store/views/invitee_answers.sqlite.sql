-- What this view and its columns mean is said in invitee_answers.postgres.sql.

-- A plain text is not read as JSON: that would be an error.
select
  invitees.uri as invitee_uri,
  item.key as item,
  -- Only a whole number that every reader can hold.
  case when json_type(case item.type when 'object' then item.value end, '$.position') = 'integer' then
    case when abs(item.value ->> '$.position') <= 9007199254740991 then item.value ->> '$.position' end
  end as position,
  case json_type(case item.type when 'object' then item.value end, '$.question') when 'text' then item.value ->> '$.question' end as question,
  case json_type(case item.type when 'object' then item.value end, '$.answer') when 'text' then item.value ->> '$.answer' end as answer
from invitees
cross join json_each(
  case when json_type(invitees.questions_and_answers) = 'array' then invitees.questions_and_answers else '[]' end
) as item;
