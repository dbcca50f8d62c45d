-- One row per answer of a booking form.
-- Key: invitee_uri, item.
--
-- invitee_uri (text, joins invitees.uri): URI of the invitee
-- item (integer): index in the list, from 0
-- position (integer): position of the question in the form, as sent
-- question (text, holds text): the question
-- answer (text, holds text): the answer

select
  invitees.uri as invitee_uri,
  item.index - 1 as item,
  -- Only a whole number that every reader can hold.
  case when jsonb_typeof(item.value -> 'position') = 'number' then
    case when (item.value -> 'position')::numeric % 1 = 0 and abs((item.value -> 'position')::numeric) <= 9007199254740991
      then (item.value -> 'position')::bigint
    end
  end as position,
  case when jsonb_typeof(item.value -> 'question') = 'string' then item.value ->> 'question' end as question,
  case when jsonb_typeof(item.value -> 'answer') = 'string' then item.value ->> 'answer' end as answer
from invitees
cross join lateral jsonb_array_elements(
  case when jsonb_typeof(invitees.questions_and_answers) = 'array' then invitees.questions_and_answers else '[]' end
) with ordinality as item (value, index);
