// How often people do not come, by whatever may explain it.
import { sql } from 'kysely';
import type { Sql, SqlDialect } from '#src/store/sql-dialect.ts';
import { utmColumns } from '#src/store/tables.ts';
import { attendanceOfJourney, withoutEvidence } from './attendance.ts';
import { journeys } from './journeys.ts';
import { localTime, reportTime } from '#src/store/time-zones.ts';
import { integer, number, text, type View } from '#src/store/views/view.ts';

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const months = 'January February March April May June July August September October November December'.split(' ');

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
    const start = reportTime(dialect, sql`start_time`, reportZone);
    const { attendance } = attendanceOfJourney(dialect);
    const counts = sql`count(*), sum(missed), sum(unconfirmed)`;
    const local = (zone: string): Sql => localTime(dialect, sql`start_time`, sql.ref(zone));
    const zones = sql.join(['users.timezone', 'met.invitee_timezone'].map((zone) => dialect.lowerCase(zone)));
    // Local time is looked up once for all meetings of the same zones and the same start.
    // Each group is counted once by month; the dimensions without a month add the months up.
    return sql`with recursive ${journeys(dialect)},
    met as materialized (
      select journey_uri, hosts, host, start_time, invitee_timezone, event_type, event_type_name, ${sql.join(utmColumns.map((tag) => sql.id(tag)))},
        case outcome when 'no_show' then 1 else 0 end as missed,
        case when ${attendance} in (${withoutEvidence}) then 1 else 0 end as unconfirmed,
        ${dialect.weekday(start)} as weekday, ${dialect.hour(start)} as hour, ${dialect.month(start)} as month
      from journeys where outcome in ('held', 'no_show')
    ),
    starts (weekday, hour, month, meetings, missed, unconfirmed) as materialized (
      select weekday, hour, month, ${counts} from met group by weekday, hour, month
    ),
    zoned (host_zone, invitee_zone, start_time, meetings, missed, unconfirmed) as (
      select ${zones}, start_time, ${counts} from met left join users on users.uri = met.host group by ${zones}, start_time
    ),
    local_starts (host_start, invitee_start, meetings, missed, unconfirmed) as materialized (
      select ${local('host_zone')}, ${local('invitee_zone')}, meetings, missed, unconfirmed from zoned
    ),
    types (value, label, month, meetings, missed, unconfirmed) as materialized (
      select coalesce(event_type, ''), max(${bytes(sql`event_type_name`)}), month, ${counts}
      from met group by coalesce(event_type, ''), month
    ),
    hosted (journey_uri, month, missed, unconfirmed, host, host_name) as materialized (
      select journey_uri, month, missed, unconfirmed, ${itemText('user')}, max(${bytes(itemText('user_name'))})
      from met cross join ${items(sql`met.hosts`)} where ${itemText('user')} is not null
      group by journey_uri, month, missed, unconfirmed, ${itemText('user')}
    ),
    hosts (value, label, month, meetings, missed, unconfirmed) as materialized (
      select host, coalesce(max(${bytes(sql`users.name`)}), max(${bytes(sql`host_name`)})), month, ${counts}
      from hosted left join users on users.uri = hosted.host group by host, month
      union all
      select '', '', month, ${counts} from met
      where not exists (select 1 from hosted where hosted.journey_uri = met.journey_uri) group by month
    ),
    seen (dimension, value, label, meetings, missed, unconfirmed, month) as (${sql.join(dimensions(dialect, counts), sql` union all `)})
    select dimension, coalesce(value, '') as value, coalesce(${bytes(sql`label`)}, '') as label,
      cast(meetings - missed as bigint) as held, cast(missed as bigint) as no_shows,
      ${dialect.ratio(sql`missed`, sql`meetings`)} as rate, coalesce(month, '') as month,
      cast(unconfirmed as bigint) as unconfirmed, ${dialect.ratio(sql`missed`, sql`meetings`)} as rate_low,
      ${dialect.ratio(sql`missed + unconfirmed`, sql`meetings`)} as rate_high
    from seen`;
  },
};

function dimensions(dialect: SqlDialect, counts: Sql): Sql[] {
  const { asText, bytes } = dialect;
  const total = sql`sum(meetings), sum(missed), sum(unconfirmed), ''`;
  const named = (dimension: string, from: string): Sql[] => [
    sql`select ${sql.lit(dimension)}, value, max(${bytes(sql`label`)}), ${total} from ${sql.table(from)} group by value`,
    sql`select ${sql.lit(`${dimension}_month`)}, value, label, meetings, missed, unconfirmed, month from ${sql.table(from)}`,
  ];
  const byStart = (dimension: string, columns: Sql, { value, label }: Readonly<Record<'value' | 'label', Sql>>): Sql =>
    sql`select ${sql.lit(dimension)}, ${value}, ${label}, ${total} from starts group by ${columns}`;
  const byLocal = (dimension: string, value: Sql, label: Sql): Sql =>
    sql`select ${sql.lit(dimension)}, ${value}, ${label}, ${total} from local_starts group by ${value}, ${label}`;
  const weekday = nameAmong(weekdays, sql`weekday`);
  const hour = sql`hour || ':00'`;
  const hourOf = (start: Sql): readonly [Sql, Sql] => [dialect.hour(start), sql`${dialect.hour(start)} || ':00'`];
  const hostWeekday = dialect.weekday(sql`host_start`);
  const monthName = nameAmong(months, sql`cast(substr(month, 6, 2) as integer)`);
  return [
    ...named('event_type', 'types'),
    ...named('host', 'hosts'),
    byStart('weekday', sql`weekday`, { value: asText(sql`weekday`), label: weekday }),
    byStart('hour', sql`hour`, { value: sql`hour`, label: hour }),
    byStart('weekday_hour', sql`weekday, hour`, {
      value: sql`${asText(sql`weekday`)} || '-' || hour`,
      label: sql`${weekday} || ' ' || ${hour}`,
    }),
    byLocal('hour_host', ...hourOf(sql`host_start`)),
    byLocal('hour_invitee', ...hourOf(sql`invitee_start`)),
    byLocal('weekday_host', asText(hostWeekday), nameAmong(weekdays, hostWeekday)),
    sql`select 'month', month, ${monthName} || ' ' || substr(month, 1, 4), sum(meetings), sum(missed), sum(unconfirmed), month from starts group by month`,
    ...utmColumns.map((tag) => {
      const value = sql`coalesce(${sql.id(tag)}, '')`;
      return sql`select ${sql.lit(tag)}, ${value}, ${value}, ${counts}, '' from met group by ${value}`;
    }),
  ];
}

/** The name at the number's place, counted from one. */
function nameAmong(names: readonly string[], number: Sql): Sql {
  const cases = names.map((name, index) => sql`when ${sql.lit(index + 1)} then ${sql.lit(name)}`);
  return sql`case ${number} ${sql.join(cases, sql` `)} end`;
}
