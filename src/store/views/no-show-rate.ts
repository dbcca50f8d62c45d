// How often people do not come, by whatever may explain it.
import { sql } from 'kysely';
import { secondMs } from '#src/base/time.ts';
import type { Sql, SqlDialect } from '#src/store/sql-dialect.ts';
import { utmColumns } from '#src/store/schema/tables.ts';
import { severalHosts } from '#src/store/bookings/booking-rows.ts';
import { withoutEvidence } from '#src/store/bookings/evidence.ts';
import { joinPeriodIn, periodsBetween, reportTime } from '#src/store/time-zones.ts';
import { integer, number, text, type View } from './view.ts';

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const months = 'January February March April May June July August September October November December'.split(' ');
/** From the first Monday of the calendar, so that hours have no sign. */
const secondsBefore1970 = -Date.parse('0001-01-01T00:00:00Z') / secondMs;

export const noShowRate: View = {
  name: 'no_show_rate',
  about: 'The share of meetings that the invitee missed: one row per value of each dimension.',
  columns: {
    dimension: text(
      '`event_type`, `host` (every host of a meeting counts), `weekday`, `hour`, `weekday_hour` (of the start, in `REPORT_TIMEZONE`), `weekday_host`, `hour_host` (in the time zone of the first host), `hour_invitee` (in that of the invitee), `utm_source`, `utm_medium`, `utm_campaign`, `utm_content`, `utm_term`; by month of the start (in `REPORT_TIMEZONE`): `month`, `event_type_month`, `host_month`',
    ),
    value: text(
      'the URI, the weekday from `1` (Monday) to `7`, the hour from `00` to `23`, both as `1-09`, the month as `2025-04`, or the tag; empty where nothing is said, or the time zone is not known',
    ),
    label: text('the value in readable form: a name, `Monday`, `09:00`, `Monday 09:00`, `April 2025`'),
    held: integer('journeys whose meeting is over and whose invitee is not marked as a no-show'),
    no_shows: integer('journeys that ended as a no-show'),
    rate: number('`no_shows / (held + no_shows)`'),
    month: text(
      'the month of the start as `2025-04`, in the dimensions `month`, `event_type_month` and `host_month`; empty in the others, which count all months',
    ),
    unconfirmed: integer('held meetings without evidence of attendance: `unconfirmed` or `suspected_no_show`'),
    rate_low: number('the same as `rate`: if every unmarked invitee came'),
    rate_high: number('`(no_shows + unconfirmed) / (held + no_shows)`: if no invitee came without evidence'),
  },
  key: ['dimension', 'value', 'month'],
  since: undefined,
  select(dialect, reportZone) {
    const { bytes, itemText, items } = dialect;
    const counts = sql`count(*), sum(missed), sum(unconfirmed)`;
    const sums = sql`sum(meetings), sum(missed), sum(unconfirmed)`;
    const tags = sql.join(utmColumns.map((tag) => sql.id(tag)));
    const start = sql`met.start_time`;
    const hours = (seconds: Sql): Sql => sql`((${seconds} + ${sql.lit(secondsBefore1970)}) / 3600)`;
    const hoursIn = (periods: string): Sql =>
      hours(sql`${dialect.epoch(start)} + ${sql.id(periods, 'offset_seconds')}`);
    // Meetings are counted once by the hour of their start, by month, by their list of hosts and by their tags; the dimensions add
    // these counts up, and look names up. Local time is found by joining the few periods of time zones that meetings are in.
    return sql`with met as materialized (
      select host, host_name, ${severalHosts} as several_hosts, start_time,
        invitee_timezone, event_type, event_name, ${tags}, local_start, ${dialect.month(sql`local_start`)} as month,
        case when ending is null then 0 else 1 end as missed,
        case when ending is null and evidence in (${withoutEvidence}) then 1 else 0 end as unconfirmed
      from (select bookings.*, ${reportTime(dialect, sql`start_time`, reportZone)} as local_start from bookings
        where ending = 'no_show' or (ending is null and coalesce(end_time, start_time) <= ${dialect.now})) as zoned
    ),
    starts (weekday, hour, month, meetings, missed, unconfirmed) as materialized (
      select hours / 24 % 7 + 1, hours % 24, month, meetings, missed, unconfirmed
      from (select ${hours(dialect.epoch(sql`local_start`))} as hours, min(month) as month, count(*) as meetings, sum(missed) as missed,
        sum(unconfirmed) as unconfirmed from met group by ${hours(dialect.epoch(sql`local_start`))}) as hourly
    ),
    invitee_periods as materialized (
      ${periodsBetween(sql`(select min(start_time) from bookings)`, sql`(select max(start_time) from bookings)`)}
    ),
    host_periods as materialized (
      select users.uri as name, starts_at, ends_at, offset_seconds
      from users join invitee_periods on invitee_periods.name = ${dialect.lowerCase('users.timezone')}
    ),
    zoned_starts (weekday_host, hour_host, hour_invitee, meetings, missed, unconfirmed) as materialized (
      select host_hours / 24 + 1, host_hours % 24, invitee_hour, ${counts} from (
        select ${hoursIn('host_periods')} % 168 as host_hours, ${hoursIn('invitee_periods')} % 24 as invitee_hour, missed, unconfirmed
        from met ${joinPeriodIn('host_periods', start, sql`met.host`)}
        ${joinPeriodIn('invitee_periods', start, dialect.lowerCase('met.invitee_timezone'))}
      ) as zoned group by host_hours, invitee_hour
    ),
    types (value, label, month, meetings, missed, unconfirmed) as materialized (
      select counted.value, coalesce(event_types.name, counted.name), month, meetings, missed, unconfirmed from (
        select coalesce(event_type, '') as value, max(${bytes(sql`event_name`)}) as name, month, count(*) as meetings,
          sum(missed) as missed, sum(unconfirmed) as unconfirmed
        from met group by coalesce(event_type, ''), month
      ) as counted left join event_types on event_types.uri = counted.value
    ),
    teams (host, host_name, hosts, month, meetings, missed, unconfirmed) as materialized (
      select host, host_name, several_hosts, month, ${counts} from met group by host, host_name, several_hosts, month
    ),
    hosted (host, host_name, month, meetings, missed, unconfirmed) as (
      select host, host_name, month, meetings, missed, unconfirmed from teams where hosts is null and host is not null
      union all
      select ${itemText('user')}, max(${bytes(itemText('user_name'))}), month, meetings, missed, unconfirmed
      from teams cross join ${items(sql`teams.hosts`)} where ${itemText('user')} is not null
      group by hosts, month, meetings, missed, unconfirmed, ${itemText('user')}
    ),
    hosts (value, label, month, meetings, missed, unconfirmed) as materialized (
      select host, coalesce(max(${bytes(sql`users.name`)}), max(${bytes(sql`host_name`)})), month, ${sums}
      from hosted left join users on users.uri = hosted.host group by host, month
      union all
      select '', '', month, ${sums} from teams
      where host is null and not exists (select 1 from ${items(sql`teams.hosts`)} where ${itemText('user')} is not null) group by month
    ),
    tagged (${tags}, meetings, missed, unconfirmed) as materialized (
      select ${tags}, ${counts} from met group by ${tags}
    ),
    seen (dimension, value, label, meetings, missed, unconfirmed, month) as (${sql.join(dimensions(dialect), sql` union all `)})
    select dimension, coalesce(value, '') as value, coalesce(${bytes(sql`label`)}, '') as label,
      cast(meetings - missed as bigint) as held, cast(missed as bigint) as no_shows,
      ${dialect.ratio(sql`missed`, sql`meetings`)} as rate, coalesce(month, '') as month,
      cast(unconfirmed as bigint) as unconfirmed, ${dialect.ratio(sql`missed`, sql`meetings`)} as rate_low,
      ${dialect.ratio(sql`missed + unconfirmed`, sql`meetings`)} as rate_high
    from seen`;
  },
};

function dimensions(dialect: SqlDialect): Sql[] {
  const { asText, bytes } = dialect;
  const total = sql`sum(meetings), sum(missed), sum(unconfirmed), ''`;
  const named = (dimension: string, from: string): Sql[] => [
    sql`select ${sql.lit(dimension)}, value, max(${bytes(sql`label`)}), ${total} from ${sql.table(from)} group by value`,
    sql`select ${sql.lit(`${dimension}_month`)}, value, label, meetings, missed, unconfirmed, month from ${sql.table(from)}`,
  ];
  const by = (dimension: string, from: string, { value, label }: Readonly<Record<'value' | 'label', Sql>>): Sql =>
    sql`select ${sql.lit(dimension)}, ${value}, ${label}, ${total} from ${sql.table(from)} group by ${value}, ${label}`;
  const weekday = (column: string) => ({
    value: asText(sql.id(column)),
    label: nameAmong(weekdays, sql.id(column)),
  });
  const hour = (column: string) => {
    const number = asText(sql.id(column));
    const value = sql`case when ${sql.id(column)} < 10 then '0' || ${number} else ${number} end`;
    return { value, label: sql`${value} || ':00'` };
  };
  const [day, time] = [weekday('weekday'), hour('hour')];
  const monthName = nameAmong(months, sql`cast(substr(month, 6, 2) as integer)`);
  return [
    ...named('event_type', 'types'),
    ...named('host', 'hosts'),
    by('weekday', 'starts', day),
    by('hour', 'starts', time),
    by('weekday_hour', 'starts', {
      value: sql`${day.value} || '-' || ${time.value}`,
      label: sql`${day.label} || ' ' || ${time.label}`,
    }),
    by('hour_host', 'zoned_starts', hour('hour_host')),
    by('hour_invitee', 'zoned_starts', hour('hour_invitee')),
    by('weekday_host', 'zoned_starts', weekday('weekday_host')),
    sql`select 'month', month, ${monthName} || ' ' || substr(month, 1, 4), sum(meetings), sum(missed), sum(unconfirmed), month from starts group by month`,
    ...utmColumns.map((tag) => {
      const value = sql`coalesce(${sql.id(tag)}, '')`;
      return sql`select ${sql.lit(tag)}, ${value}, ${value}, ${total} from tagged group by ${value}`;
    }),
  ];
}

/** The name at the number's place, counted from one. */
function nameAmong(names: readonly string[], number: Sql): Sql {
  const cases = names.map((name, index) => sql`when ${sql.lit(index + 1)} then ${sql.lit(name)}`);
  return sql`case ${number} ${sql.join(cases, sql` `)} end`;
}
