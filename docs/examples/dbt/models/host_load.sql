select
  hosts.user_uri,
  max(hosts.name) as host,
  date_trunc('month', events.start_time) as month,
  count(*) as meetings,
  sum(extract(epoch from events.end_time - events.start_time)) / 3600.0 as hours
from {{ source('slotstream', 'scheduled_event_hosts') }} as hosts
join {{ source('slotstream', 'scheduled_events') }} as events on events.uri = hosts.event_uri
where events.status = 'active' and hosts.user_uri is not null and events.start_time is not null
group by hosts.user_uri, date_trunc('month', events.start_time)
