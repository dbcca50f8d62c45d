-- What this view and its columns mean is said in scheduled_event_hosts.postgres.sql.

-- What is no text is left out. A plain text is not read as JSON: that would be an error.
with hosts as (
  select
    scheduled_events.uri as event_uri,
    item.key + 1 as position,
    case json_type(case item.type when 'object' then item.value end, '$.user') when 'text' then item.value ->> '$.user' end as user_uri,
    case json_type(case item.type when 'object' then item.value end, '$.user_name') when 'text' then item.value ->> '$.user_name' end as name,
    case json_type(case item.type when 'object' then item.value end, '$.user_email') when 'text' then item.value ->> '$.user_email' end as email
  from scheduled_events
  cross join json_each(case when json_type(scheduled_events.hosts) = 'array' then scheduled_events.hosts else '[]' end) as item
)

select
  hosts.event_uri,
  hosts.position,
  hosts.user_uri,
  coalesce(users.name, hosts.name) as name,
  coalesce(users.email, hosts.email) as email
from hosts
left join users on users.uri = hosts.user_uri;
