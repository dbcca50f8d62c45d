-- One row per host of a scheduled event.
-- Key: event_uri, position.
--
-- event_uri (text, joins scheduled_events.uri): URI of the scheduled event
-- position (integer): position in the list of hosts, from 1; the first is `bookings.host`
-- user_uri (text, joins users.uri): URI of the user; null if the list does not name one
-- name (text, holds person): name of the user: from `users`, else as the event has it
-- email (text, holds person): e-mail address of the user: from `users`, else as the event has it

select
  scheduled_events.uri as event_uri,
  item.position,
  host.user_uri,
  coalesce(users.name, host.name) as name,
  coalesce(users.email, host.email) as email
from scheduled_events
cross join lateral jsonb_array_elements(
  case when jsonb_typeof(scheduled_events.hosts) = 'array' then scheduled_events.hosts else '[]' end
) with ordinality as item (value, position)
-- What is no text is left out.
cross join lateral (
  select
    case when jsonb_typeof(item.value -> 'user') = 'string' then item.value ->> 'user' end as user_uri,
    case when jsonb_typeof(item.value -> 'user_name') = 'string' then item.value ->> 'user_name' end as name,
    case when jsonb_typeof(item.value -> 'user_email') = 'string' then item.value ->> 'user_email' end as email
) as host
left join users on users.uri = host.user_uri;
