-- One row per answer of a routing form.
-- Key: submission_uri, item.
--
-- submission_uri (text, joins routing_form_submissions.uri): URI of the submission
-- item (integer): index in the list, from 0
-- question_uuid (text): UUID of the question in `routing_forms.questions`
-- question (text, holds text): the question
-- answer (text, holds text): the answer

select
  submissions.uri as submission_uri,
  item.index - 1 as item,
  case when jsonb_typeof(item.value -> 'question_uuid') = 'string' then item.value ->> 'question_uuid' end as question_uuid,
  case when jsonb_typeof(item.value -> 'question') = 'string' then item.value ->> 'question' end as question,
  case when jsonb_typeof(item.value -> 'answer') = 'string' then item.value ->> 'answer' end as answer
from routing_form_submissions as submissions
cross join lateral jsonb_array_elements(
  case when jsonb_typeof(submissions.questions_and_answers) = 'array' then submissions.questions_and_answers else '[]' end
) with ordinality as item (value, index);
