-- What this view and its columns mean is said in no_show_rate.postgres.sql.

-- Meetings are counted once by the hour of their start, by month with event type and hosts, and by their tags; the dimensions add these
-- counts up, and look names up. Starts are seconds since Monday, 1 January 0001, in UTC.
with ended as materialized (
  select
    host,
    host_name,
    -- Of most meetings, `host` says it all, and is compared faster.
    case when json_type(hosts, '$[1]') is not null then hosts end as several_hosts,
    event_type,
    event_type_name,
    utm_source,
    utm_medium,
    utm_campaign,
    utm_content,
    utm_term,
    substr(start_day, 1, 7) as month,
    unixepoch(substr(start_time, 1, 19)) + 62135596800 as start,
    -- UTC while no settings are stored.
    coalesce((
      select offset_seconds from time_zones
      where name = (select lower(report_timezone) from mirror_settings) and starts_at <= start_time
      order by starts_at desc limit 1
    ), 0) as report_offset,
    (
      select offset_seconds from time_zones
      where name = lower(host_timezone) and starts_at <= start_time
      order by starts_at desc limit 1
    ) as host_offset,
    (
      select offset_seconds from time_zones
      where name = lower(invitee_timezone) and starts_at <= start_time
      order by starts_at desc limit 1
    ) as invitee_offset,
    outcome
  from bookings
  where ended_at is not null
),

-- Hours of the week, from 0 (Monday, 00:00) to 167.
starts (hour, meetings, missed, unknown) as materialized (
  select
    (start + report_offset) / 3600 % 168,
    count(*),
    count(case when outcome = 'no_show' then 1 end),
    count(case when outcome = 'unknown' then 1 end)
  from ended
  group by (start + report_offset) / 3600 % 168
),

zoned_starts (hour_host, hour_invitee, meetings, missed, unknown) as materialized (
  select
    (start + host_offset) / 3600 % 168,
    (start + invitee_offset) / 3600 % 24,
    count(*),
    count(case when outcome = 'no_show' then 1 end),
    count(case when outcome = 'unknown' then 1 end)
  from ended
  group by (start + host_offset) / 3600 % 168, (start + invitee_offset) / 3600 % 24
),

tagged (utm_source, utm_medium, utm_campaign, utm_content, utm_term, meetings, missed, unknown) as materialized (
  select
    utm_source,
    utm_medium,
    utm_campaign,
    utm_content,
    utm_term,
    count(*),
    count(case when outcome = 'no_show' then 1 end),
    count(case when outcome = 'unknown' then 1 end)
  from ended
  group by utm_campaign, utm_source, utm_medium, utm_content, utm_term
),

monthly (month, event_type, event_type_name, host, host_name, several_hosts, meetings, missed, unknown) as materialized (
  select
    month,
    event_type,
    max(event_type_name),
    host,
    max(host_name),
    several_hosts,
    count(*),
    count(case when outcome = 'no_show' then 1 end),
    count(case when outcome = 'unknown' then 1 end)
  from ended
  group by month, event_type, host, several_hosts
),

types (value, label, month, meetings, missed, unknown) as materialized (
  select coalesce(event_type, ''), max(event_type_name), month, sum(meetings), sum(missed), sum(unknown)
  from monthly
  group by coalesce(event_type, ''), month
),

teams (host, host_name, hosts, month, meetings, missed, unknown) as materialized (
  select host, max(host_name), several_hosts, month, sum(meetings), sum(missed), sum(unknown)
  from monthly
  group by month, host, several_hosts
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

weekdays (weekday, name) as (
  values (1, 'Monday'), (2, 'Tuesday'), (3, 'Wednesday'), (4, 'Thursday'), (5, 'Friday'), (6, 'Saturday'), (7, 'Sunday')
),

hours (number, hour) as (
  values
    (0, '00'), (1, '01'), (2, '02'), (3, '03'), (4, '04'), (5, '05'), (6, '06'), (7, '07'), (8, '08'), (9, '09'), (10, '10'), (11, '11'),
    (12, '12'), (13, '13'), (14, '14'), (15, '15'), (16, '16'), (17, '17'), (18, '18'), (19, '19'), (20, '20'), (21, '21'), (22, '22'),
    (23, '23')
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
  select 'weekday', cast(weekdays.weekday as text), weekdays.name, sum(meetings), sum(missed), sum(unknown), ''
  from starts
  left join weekdays on weekdays.weekday = starts.hour / 24 + 1
  group by weekdays.weekday
  union all
  select 'hour', hours.hour, hours.hour || ':00', sum(meetings), sum(missed), sum(unknown), ''
  from starts
  left join hours on hours.number = starts.hour % 24
  group by hours.hour
  union all
  select
    'weekday_hour',
    weekdays.weekday || '-' || hours.hour,
    weekdays.name || ' ' || hours.hour || ':00',
    meetings,
    missed,
    unknown,
    ''
  from starts
  left join weekdays on weekdays.weekday = starts.hour / 24 + 1
  left join hours on hours.number = starts.hour % 24
  union all
  select 'weekday_host', cast(weekdays.weekday as text), weekdays.name, sum(meetings), sum(missed), sum(unknown), ''
  from zoned_starts
  left join weekdays on weekdays.weekday = zoned_starts.hour_host / 24 + 1
  group by weekdays.weekday
  union all
  select 'hour_host', hours.hour, hours.hour || ':00', sum(meetings), sum(missed), sum(unknown), ''
  from zoned_starts
  left join hours on hours.number = zoned_starts.hour_host % 24
  group by hours.hour
  union all
  select 'hour_invitee', hours.hour, hours.hour || ':00', sum(meetings), sum(missed), sum(unknown), ''
  from zoned_starts
  left join hours on hours.number = zoned_starts.hour_invitee
  group by hours.hour
  union all
  select 'month', types.month, months.name || ' ' || substr(types.month, 1, 4), sum(meetings), sum(missed), sum(unknown), types.month
  from types
  left join months on months.number = substr(types.month, 6, 2)
  group by types.month
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
