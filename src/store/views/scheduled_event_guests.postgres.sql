-- One row per guest whom an invitee added to a scheduled event. Guests are not invitees.
-- Key: event_uri, position.
--
-- event_uri (text, joins scheduled_events.uri): URI of the scheduled event
-- position (integer): position in the list of guests, from 1
-- email (text, holds person): e-mail address of the guest

select
  scheduled_events.uri as event_uri,
  item.position,
  case when jsonb_typeof(item.value -> 'email') = 'string' then item.value ->> 'email' end as email
from scheduled_events
cross join lateral jsonb_array_elements(
  case when jsonb_typeof(scheduled_events.guests) = 'array' then scheduled_events.guests else '[]' end
) with ordinality as item (value, position);
