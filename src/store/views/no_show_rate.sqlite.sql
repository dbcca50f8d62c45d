-- What this view and its columns mean is said in no_show_rate.postgres.sql.

-- Meetings are counted once by the hour of their start, by month, by their list of hosts and by their tags; the dimensions add these
-- counts up, and look names up.
with ended as materialized (
  select
    host,
    host_name,
    -- Of most meetings, `host` says it all, and is compared faster.
    case when hosts -> 1 is not null then hosts end as several_hosts,
    event_type,
    event_type_name,
    utm_source,
    utm_medium,
    utm_campaign,
    utm_content,
    utm_term,
    substr(start_day, 1, 7) as month,
    start_weekday,
    start_hour,
    start_weekday_host,
    start_hour_host,
    start_hour_invitee,
    outcome
  from bookings
  where ended_at is not null
),

starts (weekday, hour, month, meetings, missed, unknown) as materialized (
  select
    start_weekday,
    case when start_hour < 10 then '0' else '' end || cast(start_hour as text),
    month,
    count(*),
    count(case when outcome = 'no_show' then 1 end),
    count(case when outcome = 'unknown' then 1 end)
  from ended
  group by start_weekday, start_hour, month
),

zoned_starts (weekday_host, hour_host, hour_invitee, meetings, missed, unknown) as materialized (
  select
    start_weekday_host,
    case when start_hour_host < 10 then '0' else '' end || cast(start_hour_host as text),
    case when start_hour_invitee < 10 then '0' else '' end || cast(start_hour_invitee as text),
    count(*),
    count(case when outcome = 'no_show' then 1 end),
    count(case when outcome = 'unknown' then 1 end)
  from ended
  group by start_weekday_host, start_hour_host, start_hour_invitee
),

types (value, label, month, meetings, missed, unknown) as materialized (
  select coalesce(event_type, ''), max(event_type_name), month, count(*), count(case when outcome = 'no_show' then 1 end), count(case when outcome = 'unknown' then 1 end)
  from ended
  group by coalesce(event_type, ''), month
),

teams (host, host_name, hosts, month, meetings, missed, unknown) as materialized (
  select host, host_name, several_hosts, month, count(*), count(case when outcome = 'no_show' then 1 end), count(case when outcome = 'unknown' then 1 end)
  from ended
  group by host, host_name, several_hosts, month
),

-- Every host of a team counts once. What is no text is left out.
members (host, host_name, hosts, month, meetings, missed, unknown) as (
  select
    case json_type(case item.type when 'object' then item.value end, '$.user') when 'text' then item.value ->> '$.user' end,
    case json_type(case item.type when 'object' then item.value end, '$.user_name') when 'text' then item.value ->> '$.user_name' end,
    hosts, month, meetings, missed, unknown
  from teams
  cross join json_each(case when json_type(teams.hosts) = 'array' then teams.hosts else '[]' end) as item
),

hosted (host, host_name, month, meetings, missed, unknown) as (
  select host, host_name, month, meetings, missed, unknown
  from teams
  where hosts is null and host is not null
  union all
  select host, max(host_name), month, meetings, missed, unknown
  from members
  where host is not null
  group by hosts, month, meetings, missed, unknown, host
),

hosts (value, label, month, meetings, missed, unknown) as materialized (
  select
    hosted.host,
    coalesce(max(users.name), max(hosted.host_name)),
    month,
    sum(meetings),
    sum(missed),
    sum(unknown)
  from hosted
  left join users on users.uri = hosted.host
  group by hosted.host, month
  union all
  select '', '', month, sum(meetings), sum(missed), sum(unknown)
  from teams
  where host is null
    and not exists (
      select 1
      from json_each(case when json_type(teams.hosts) = 'array' then teams.hosts else '[]' end) as item
      where case json_type(case item.type when 'object' then item.value end, '$.user') when 'text' then item.value ->> '$.user' end is not null
    )
  group by month
),

tagged (utm_source, utm_medium, utm_campaign, utm_content, utm_term, meetings, missed, unknown) as materialized (
  select utm_source, utm_medium, utm_campaign, utm_content, utm_term, count(*), count(case when outcome = 'no_show' then 1 end), count(case when outcome = 'unknown' then 1 end)
  from ended
  group by utm_source, utm_medium, utm_campaign, utm_content, utm_term
),

weekdays (weekday, name) as (
  values (1, 'Monday'), (2, 'Tuesday'), (3, 'Wednesday'), (4, 'Thursday'), (5, 'Friday'), (6, 'Saturday'), (7, 'Sunday')
),

months (number, name) as (
  values
    ('01', 'January'), ('02', 'February'), ('03', 'March'), ('04', 'April'), ('05', 'May'), ('06', 'June'),
    ('07', 'July'), ('08', 'August'), ('09', 'September'), ('10', 'October'), ('11', 'November'), ('12', 'December')
),

seen (dimension, value, label, meetings, missed, unknown, month) as (
  select 'event_type', value, max(label), sum(meetings), sum(missed), sum(unknown), ''
  from types
  group by value
  union all
  select 'event_type_month', value, label, meetings, missed, unknown, month
  from types
  union all
  select 'host', value, max(label), sum(meetings), sum(missed), sum(unknown), ''
  from hosts
  group by value
  union all
  select 'host_month', value, label, meetings, missed, unknown, month
  from hosts
  union all
  select 'weekday', cast(starts.weekday as text), weekdays.name, sum(meetings), sum(missed), sum(unknown), ''
  from starts
  left join weekdays on weekdays.weekday = starts.weekday
  group by starts.weekday, weekdays.name
  union all
  select 'hour', hour, hour || ':00', sum(meetings), sum(missed), sum(unknown), ''
  from starts
  group by hour
  union all
  select
    'weekday_hour',
    cast(starts.weekday as text) || '-' || hour,
    weekdays.name || ' ' || hour || ':00',
    sum(meetings),
    sum(missed),
    sum(unknown),
    ''
  from starts
  left join weekdays on weekdays.weekday = starts.weekday
  group by starts.weekday, weekdays.name, hour
  union all
  select 'hour_host', hour_host, hour_host || ':00', sum(meetings), sum(missed), sum(unknown), ''
  from zoned_starts
  group by hour_host
  union all
  select 'hour_invitee', hour_invitee, hour_invitee || ':00', sum(meetings), sum(missed), sum(unknown), ''
  from zoned_starts
  group by hour_invitee
  union all
  select 'weekday_host', cast(weekday_host as text), weekdays.name, sum(meetings), sum(missed), sum(unknown), ''
  from zoned_starts
  left join weekdays on weekdays.weekday = zoned_starts.weekday_host
  group by weekday_host, weekdays.name
  union all
  select 'month', month, months.name || ' ' || substr(month, 1, 4), sum(meetings), sum(missed), sum(unknown), month
  from starts
  left join months on months.number = substr(month, 6, 2)
  group by month, months.name
  union all
  select 'utm_source', coalesce(utm_source, ''), coalesce(utm_source, ''), sum(meetings), sum(missed), sum(unknown), ''
  from tagged
  group by coalesce(utm_source, '')
  union all
  select 'utm_medium', coalesce(utm_medium, ''), coalesce(utm_medium, ''), sum(meetings), sum(missed), sum(unknown), ''
  from tagged
  group by coalesce(utm_medium, '')
  union all
  select 'utm_campaign', coalesce(utm_campaign, ''), coalesce(utm_campaign, ''), sum(meetings), sum(missed), sum(unknown), ''
  from tagged
  group by coalesce(utm_campaign, '')
  union all
  select 'utm_content', coalesce(utm_content, ''), coalesce(utm_content, ''), sum(meetings), sum(missed), sum(unknown), ''
  from tagged
  group by coalesce(utm_content, '')
  union all
  select 'utm_term', coalesce(utm_term, ''), coalesce(utm_term, ''), sum(meetings), sum(missed), sum(unknown), ''
  from tagged
  group by coalesce(utm_term, '')
)

select
  dimension,
  coalesce(value, '') as value,
  coalesce(label, '') as label,
  meetings as ended,
  meetings - missed - unknown as came,
  missed as no_shows,
  unknown,
  cast(missed as real) / nullif(meetings, 0) as rate,
  coalesce(month, '') as month,
  cast(missed as real) / nullif(meetings, 0) as rate_low,
  cast(missed + unknown as real) / nullif(meetings, 0) as rate_high
from seen;
