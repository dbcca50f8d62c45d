-- What this view and its columns mean is said in scheduled_event_guests.postgres.sql.

-- A plain text is not read as JSON: that would be an error.
select
  scheduled_events.uri as event_uri,
  item.key + 1 as position,
  case json_type(case item.type when 'object' then item.value end, '$.email') when 'text' then item.value ->> '$.email' end as email
from scheduled_events
cross join json_each(case when json_type(scheduled_events.guests) = 'array' then scheduled_events.guests else '[]' end) as item;
