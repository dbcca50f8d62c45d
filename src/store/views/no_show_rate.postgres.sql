-- The share of meetings that the invitee missed: one row per value of each dimension.
-- Key: dimension, value, month.
--
-- dimension (text, one of event_type host weekday hour weekday_hour weekday_host hour_host hour_invitee utm_source utm_medium utm_campaign
--   utm_content utm_term month event_type_month host_month): `event_type`, `host` (every host of a meeting counts), `weekday`, `hour`,
--   `weekday_hour` (of the start, in `REPORT_TIMEZONE`), `weekday_host`, `hour_host` (in the time zone of the first host), `hour_invitee`
--   (in that of the invitee), `utm_source`, `utm_medium`, `utm_campaign`, `utm_content`, `utm_term`; by month of the start (in
--   `REPORT_TIMEZONE`): `month`, `event_type_month`, `host_month`
-- value (text, holds text): the URI, the weekday from `1` (Monday) to `7`, the hour from `00` to `23`, both as `1-09`, the month as
--   `2025-04`, or the tag; empty where nothing is said, or the time zone is not known
-- label (text, holds person): the value in readable form: a name, `Monday`, `09:00`, `Monday 09:00`, `April 2025`
-- held (integer): journeys whose meeting is over and whose invitee is not marked as a no-show
-- no_shows (integer): journeys that ended as a no-show
-- rate (number): `no_shows / (held + no_shows)`
-- month (text): the month of the start as `2025-04`, in the dimensions `month`, `event_type_month` and `host_month`; empty in the others,
--   which count all months
-- unconfirmed (integer): held meetings without evidence of attendance: `unconfirmed` or `suspected_no_show`
-- rate_low (number): the same as `rate`: if every unmarked invitee came
-- rate_high (number): `(no_shows + unconfirmed) / (held + no_shows)`: if no invitee came without evidence

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
    to_char(local_start, 'YYYY-MM') as month,
    case when ending is null then 0 else 1 end as missed,
    case when ending is null and evidence in ('unconfirmed', 'suspected_no_show') then 1 else 0 end as unconfirmed
  from (
    -- Local time in the zone of reports; UTC while no settings are stored.
    select
      bookings.*,
      date_trunc('second', start_time at time zone 'UTC') + interval '1 second' * coalesce((
        select offset_seconds from time_zones
        where name = (select lower(report_timezone collate "C") from mirror_settings) and starts_at <= start_time
        order by starts_at desc limit 1
      ), 0) as local_start
    from bookings
    where ending = 'no_show'
      or (ending is null and coalesce(end_time, start_time) <= now())
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
  from (select (floor(date_part('epoch', local_start))::bigint + 62135596800) / 3600 as hours, month, missed, unconfirmed from met) as hourly
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
  join invitee_periods on invitee_periods.name = lower(users.timezone collate "C")
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
      (floor(date_part('epoch', met.start_time))::bigint + host_periods.offset_seconds + 62135596800) / 3600 % 168 as host_hours,
      (floor(date_part('epoch', met.start_time))::bigint + invitee_periods.offset_seconds + 62135596800) / 3600 % 24 as invitee_hour,
      met.missed,
      met.unconfirmed
    from met
    left join host_periods
      on host_periods.host = met.host
      and host_periods.starts_at <= met.start_time
      and (host_periods.ends_at is null or host_periods.ends_at > met.start_time)
    left join invitee_periods
      on invitee_periods.name = lower(met.invitee_timezone collate "C")
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
      max(event_name collate "C") as name,
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
    case when jsonb_typeof(item.value -> 'user') = 'string' then item.value ->> 'user' end,
    case when jsonb_typeof(item.value -> 'user_name') = 'string' then item.value ->> 'user_name' end,
    hosts, month, meetings, missed, unconfirmed
  from teams
  cross join jsonb_array_elements(case when jsonb_typeof(teams.hosts) = 'array' then teams.hosts else '[]' end) as item
),

hosted (host, host_name, month, meetings, missed, unconfirmed) as (
  select host, host_name, month, meetings, missed, unconfirmed
  from teams
  where hosts is null and host is not null
  union all
  select host, max(host_name collate "C"), month, meetings, missed, unconfirmed
  from members
  where host is not null
  group by hosts, month, meetings, missed, unconfirmed, host
),

hosts (value, label, month, meetings, missed, unconfirmed) as materialized (
  select
    hosted.host,
    coalesce(max(users.name collate "C"), max(hosted.host_name collate "C")),
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
      from jsonb_array_elements(case when jsonb_typeof(teams.hosts) = 'array' then teams.hosts else '[]' end) as item
      where case when jsonb_typeof(item.value -> 'user') = 'string' then item.value ->> 'user' end is not null
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
  select 'event_type', value, max(label collate "C"), sum(meetings), sum(missed), sum(unconfirmed), ''
  from types
  group by value
  union all
  select 'event_type_month', value, label, meetings, missed, unconfirmed, month
  from types
  union all
  select 'host', value, max(label collate "C"), sum(meetings), sum(missed), sum(unconfirmed), ''
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
  coalesce(label collate "C", '') as label,
  cast(meetings - missed as bigint) as held,
  cast(missed as bigint) as no_shows,
  cast(missed as double precision) / nullif(meetings, 0) as rate,
  coalesce(month, '') as month,
  cast(unconfirmed as bigint) as unconfirmed,
  cast(missed as double precision) / nullif(meetings, 0) as rate_low,
  cast(missed + unconfirmed as double precision) / nullif(meetings, 0) as rate_high
from seen;
