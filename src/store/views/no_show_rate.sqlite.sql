-- What this view and its columns mean is said in no_show_rate.postgres.sql.

-- Meetings are counted once by the hour of their start, by month, by their list of hosts and by their tags; the dimensions add these
-- counts up, and look names up. Local time is found by joining the few periods of time zones that meetings are in.
with met as materialized (
  select
    host,
    host_name,
    -- Of most meetings, `host` says it all, and is compared faster.
    case when hosts -> 1 is not null then hosts end as several_hosts,
    start_time,
    invitee_timezone,
    event_type,
    event_name,
    utm_source,
    utm_medium,
    utm_campaign,
    utm_content,
    utm_term,
    local_start,
    substr(local_start, 1, 7) as month,
    case when ending is null then 0 else 1 end as missed,
    case when ending is null and evidence in ('unconfirmed', 'suspected_no_show') then 1 else 0 end as unconfirmed
  from (
    -- Local time in the zone of reports; UTC while no settings are stored.
    select
      bookings.*,
      datetime(substr(start_time, 1, 19), coalesce((
        select offset_seconds from time_zones
        where name = (select lower(report_timezone) from mirror_settings) and starts_at <= start_time
        order by starts_at desc limit 1
      ), 0) || ' seconds') as local_start
    from bookings
    where ending = 'no_show'
      or (ending is null and coalesce(end_time, start_time) <= (select strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')))
  ) as zoned
),

-- Hours are counted from the first Monday of the calendar, 62135596800 seconds before 1970, so that they have no sign.
starts (weekday, hour, month, meetings, missed, unconfirmed) as materialized (
  select
    hours / 24 % 7 + 1,
    case when hours % 24 < 10 then '0' else '' end || cast(hours % 24 as text),
    month,
    count(*),
    sum(missed),
    sum(unconfirmed)
  from (select (unixepoch(local_start) + 62135596800) / 3600 as hours, month, missed, unconfirmed from met) as hourly
  group by hours, month
),

invitee_periods as materialized (
  select name, starts_at, ends_at, offset_seconds
  from (
    select name, starts_at, offset_seconds, lead(starts_at) over (partition by name order by starts_at) as ends_at
    from time_zones
  ) as every_period
  where starts_at <= (select max(start_time) from bookings)
    and (ends_at is null or ends_at > (select min(start_time) from bookings))
),

host_periods as materialized (
  select users.uri as host, starts_at, ends_at, offset_seconds
  from users
  join invitee_periods on invitee_periods.name = lower(users.timezone)
),

zoned_starts (weekday_host, hour_host, hour_invitee, meetings, missed, unconfirmed) as materialized (
  select
    host_hours / 24 + 1,
    case when host_hours % 24 < 10 then '0' else '' end || cast(host_hours % 24 as text),
    case when invitee_hour < 10 then '0' else '' end || cast(invitee_hour as text),
    count(*),
    sum(missed),
    sum(unconfirmed)
  from (
    select
      (unixepoch(met.start_time) + host_periods.offset_seconds + 62135596800) / 3600 % 168 as host_hours,
      (unixepoch(met.start_time) + invitee_periods.offset_seconds + 62135596800) / 3600 % 24 as invitee_hour,
      met.missed,
      met.unconfirmed
    from met
    left join host_periods
      on host_periods.host = met.host
      and host_periods.starts_at <= met.start_time
      and (host_periods.ends_at is null or host_periods.ends_at > met.start_time)
    left join invitee_periods
      on invitee_periods.name = lower(met.invitee_timezone)
      and invitee_periods.starts_at <= met.start_time
      and (invitee_periods.ends_at is null or invitee_periods.ends_at > met.start_time)
  ) as zoned
  group by host_hours, invitee_hour
),

types (value, label, month, meetings, missed, unconfirmed) as materialized (
  select counted.value, coalesce(event_types.name, counted.name), month, meetings, missed, unconfirmed
  from (
    select
      coalesce(event_type, '') as value,
      max(event_name) as name,
      month,
      count(*) as meetings,
      sum(missed) as missed,
      sum(unconfirmed) as unconfirmed
    from met
    group by coalesce(event_type, ''), month
  ) as counted
  left join event_types on event_types.uri = counted.value
),

teams (host, host_name, hosts, month, meetings, missed, unconfirmed) as materialized (
  select host, host_name, several_hosts, month, count(*), sum(missed), sum(unconfirmed)
  from met
  group by host, host_name, several_hosts, month
),

-- Every host of a team counts once. What is no text is left out.
members (host, host_name, hosts, month, meetings, missed, unconfirmed) as (
  select
    case json_type(case item.type when 'object' then item.value end, '$.user') when 'text' then item.value ->> '$.user' end,
    case json_type(case item.type when 'object' then item.value end, '$.user_name') when 'text' then item.value ->> '$.user_name' end,
    hosts, month, meetings, missed, unconfirmed
  from teams
  cross join json_each(case when json_type(teams.hosts) = 'array' then teams.hosts else '[]' end) as item
),

hosted (host, host_name, month, meetings, missed, unconfirmed) as (
  select host, host_name, month, meetings, missed, unconfirmed
  from teams
  where hosts is null and host is not null
  union all
  select host, max(host_name), month, meetings, missed, unconfirmed
  from members
  where host is not null
  group by hosts, month, meetings, missed, unconfirmed, host
),

hosts (value, label, month, meetings, missed, unconfirmed) as materialized (
  select
    hosted.host,
    coalesce(max(users.name), max(hosted.host_name)),
    month,
    sum(meetings),
    sum(missed),
    sum(unconfirmed)
  from hosted
  left join users on users.uri = hosted.host
  group by hosted.host, month
  union all
  select '', '', month, sum(meetings), sum(missed), sum(unconfirmed)
  from teams
  where host is null
    and not exists (
      select 1
      from json_each(case when json_type(teams.hosts) = 'array' then teams.hosts else '[]' end) as item
      where case json_type(case item.type when 'object' then item.value end, '$.user') when 'text' then item.value ->> '$.user' end is not null
    )
  group by month
),

tagged (utm_source, utm_medium, utm_campaign, utm_content, utm_term, meetings, missed, unconfirmed) as materialized (
  select utm_source, utm_medium, utm_campaign, utm_content, utm_term, count(*), sum(missed), sum(unconfirmed)
  from met
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

seen (dimension, value, label, meetings, missed, unconfirmed, month) as (
  select 'event_type', value, max(label), sum(meetings), sum(missed), sum(unconfirmed), ''
  from types
  group by value
  union all
  select 'event_type_month', value, label, meetings, missed, unconfirmed, month
  from types
  union all
  select 'host', value, max(label), sum(meetings), sum(missed), sum(unconfirmed), ''
  from hosts
  group by value
  union all
  select 'host_month', value, label, meetings, missed, unconfirmed, month
  from hosts
  union all
  select 'weekday', cast(starts.weekday as text), weekdays.name, sum(meetings), sum(missed), sum(unconfirmed), ''
  from starts
  left join weekdays on weekdays.weekday = starts.weekday
  group by starts.weekday, weekdays.name
  union all
  select 'hour', hour, hour || ':00', sum(meetings), sum(missed), sum(unconfirmed), ''
  from starts
  group by hour
  union all
  select
    'weekday_hour',
    cast(starts.weekday as text) || '-' || hour,
    weekdays.name || ' ' || hour || ':00',
    sum(meetings),
    sum(missed),
    sum(unconfirmed),
    ''
  from starts
  left join weekdays on weekdays.weekday = starts.weekday
  group by starts.weekday, weekdays.name, hour
  union all
  select 'hour_host', hour_host, hour_host || ':00', sum(meetings), sum(missed), sum(unconfirmed), ''
  from zoned_starts
  group by hour_host
  union all
  select 'hour_invitee', hour_invitee, hour_invitee || ':00', sum(meetings), sum(missed), sum(unconfirmed), ''
  from zoned_starts
  group by hour_invitee
  union all
  select 'weekday_host', cast(weekday_host as text), weekdays.name, sum(meetings), sum(missed), sum(unconfirmed), ''
  from zoned_starts
  left join weekdays on weekdays.weekday = zoned_starts.weekday_host
  group by weekday_host, weekdays.name
  union all
  select 'month', month, months.name || ' ' || substr(month, 1, 4), sum(meetings), sum(missed), sum(unconfirmed), month
  from starts
  left join months on months.number = substr(month, 6, 2)
  group by month, months.name
  union all
  select 'utm_source', coalesce(utm_source, ''), coalesce(utm_source, ''), sum(meetings), sum(missed), sum(unconfirmed), ''
  from tagged
  group by coalesce(utm_source, '')
  union all
  select 'utm_medium', coalesce(utm_medium, ''), coalesce(utm_medium, ''), sum(meetings), sum(missed), sum(unconfirmed), ''
  from tagged
  group by coalesce(utm_medium, '')
  union all
  select 'utm_campaign', coalesce(utm_campaign, ''), coalesce(utm_campaign, ''), sum(meetings), sum(missed), sum(unconfirmed), ''
  from tagged
  group by coalesce(utm_campaign, '')
  union all
  select 'utm_content', coalesce(utm_content, ''), coalesce(utm_content, ''), sum(meetings), sum(missed), sum(unconfirmed), ''
  from tagged
  group by coalesce(utm_content, '')
  union all
  select 'utm_term', coalesce(utm_term, ''), coalesce(utm_term, ''), sum(meetings), sum(missed), sum(unconfirmed), ''
  from tagged
  group by coalesce(utm_term, '')
)

select
  dimension,
  coalesce(value, '') as value,
  coalesce(label, '') as label,
  cast(meetings - missed as bigint) as held,
  cast(missed as bigint) as no_shows,
  cast(missed as double precision) / nullif(meetings, 0) as rate,
  coalesce(month, '') as month,
  cast(unconfirmed as bigint) as unconfirmed,
  cast(missed as double precision) / nullif(meetings, 0) as rate_low,
  cast(missed + unconfirmed as double precision) / nullif(meetings, 0) as rate_high
from seen;
