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
-- ended (integer): bookings whose meeting ended: `came`, `no_shows` and `unknown` together
-- came (integer): those of them whose outcome is `came`
-- no_shows (integer): those whose outcome is `no_show`
-- unknown (integer): those whose outcome is `unknown`
-- rate (number): `no_shows / ended`
-- month (text): the month of the start as `2025-04`, in the dimensions `month`, `event_type_month` and `host_month`; empty in the others,
--   which count all months
-- rate_low (number): the same as `rate`: if every invitee came of whom it is not known
-- rate_high (number): `(no_shows + unknown) / ended`: if none of them came

-- Meetings are counted once by the hour of their start, by month with event type or hosts, and by their tags; the dimensions add these
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
    start_day - date_part('day', start_day)::integer + 1 as month,
    -- Hours of the week, from 0 (Monday, 00:00) to 167.
    start_weekday * 24 - 24 + start_hour as hour,
    start_weekday_host * 24 - 24 + start_hour_host as hour_host,
    start_hour_invitee as hour_invitee,
    outcome
  from bookings
  where ended_at is not null
),

starts (hour, meetings, missed, unknown) as materialized (
  select
    hour,
    count(*),
    count(case when outcome = 'no_show' then 1 end),
    count(case when outcome = 'unknown' then 1 end)
  from ended
  group by hour
),

zoned_starts (hour_host, hour_invitee, meetings, missed, unknown) as materialized (
  select
    hour_host,
    hour_invitee,
    count(*),
    count(case when outcome = 'no_show' then 1 end),
    count(case when outcome = 'unknown' then 1 end)
  from ended
  group by hour_host, hour_invitee
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
  group by utm_source, utm_medium, utm_campaign, utm_content, utm_term
),

types (value, label, month, meetings, missed, unknown) as materialized (
  select
    coalesce(event_type, ''),
    max(event_type_name collate "C"),
    to_char(month, 'YYYY-MM'),
    count(*),
    count(case when outcome = 'no_show' then 1 end),
    count(case when outcome = 'unknown' then 1 end)
  from ended
  group by coalesce(event_type, ''), month
),

teams (host, host_name, hosts, month, meetings, missed, unknown) as materialized (
  select
    host,
    host_name,
    several_hosts,
    to_char(month, 'YYYY-MM'),
    count(*),
    count(case when outcome = 'no_show' then 1 end),
    count(case when outcome = 'unknown' then 1 end)
  from ended
  group by host, host_name, several_hosts, month
),

-- Every host of a team counts once. What is no text is left out.
members (host, host_name, hosts, month, meetings, missed, unknown) as (
  select
    case when jsonb_typeof(item.value -> 'user') = 'string' then item.value ->> 'user' end,
    case when jsonb_typeof(item.value -> 'user_name') = 'string' then item.value ->> 'user_name' end,
    hosts, month, meetings, missed, unknown
  from teams
  cross join jsonb_array_elements(case when jsonb_typeof(teams.hosts) = 'array' then teams.hosts else '[]' end) as item
),

hosted (host, host_name, month, meetings, missed, unknown) as (
  select host, host_name, month, meetings, missed, unknown
  from teams
  where hosts is null and host is not null
  union all
  select host, max(host_name collate "C"), month, meetings, missed, unknown
  from members
  where host is not null
  group by hosts, month, meetings, missed, unknown, host
),

hosts (value, label, month, meetings, missed, unknown) as materialized (
  select
    hosted.host,
    coalesce(max(users.name collate "C"), max(hosted.host_name collate "C")),
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
      from jsonb_array_elements(case when jsonb_typeof(teams.hosts) = 'array' then teams.hosts else '[]' end) as item
      where case when jsonb_typeof(item.value -> 'user') = 'string' then item.value ->> 'user' end is not null
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
  select 'event_type', value, max(label collate "C"), sum(meetings), sum(missed), sum(unknown), ''
  from types
  group by value
  union all
  select 'event_type_month', value, label, meetings, missed, unknown, month
  from types
  union all
  select 'host', value, max(label collate "C"), sum(meetings), sum(missed), sum(unknown), ''
  from hosts
  group by value
  union all
  select 'host_month', value, label, meetings, missed, unknown, month
  from hosts
  union all
  select 'weekday', cast(weekdays.weekday as text), weekdays.name, sum(meetings), sum(missed), sum(unknown), ''
  from starts
  left join weekdays on weekdays.weekday = starts.hour / 24 + 1
  group by weekdays.weekday, weekdays.name
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
  group by weekdays.weekday, weekdays.name
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
  group by types.month, months.name
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
  coalesce(label collate "C", '') as label,
  cast(meetings as bigint) as ended,
  cast(meetings - missed - unknown as bigint) as came,
  cast(missed as bigint) as no_shows,
  cast(unknown as bigint) as unknown,
  cast(missed as double precision) / nullif(meetings, 0) as rate,
  coalesce(month, '') as month,
  cast(missed as double precision) / nullif(meetings, 0) as rate_low,
  cast(missed + unknown as double precision) / nullif(meetings, 0) as rate_high
from seen;
