// How often people do not come, by whatever may explain it.
import { sql } from 'kysely';
import type { Sql, SqlDialect } from '#src/store/sql-dialect.ts';
import { journeys } from './journeys.ts';
import { integer, number, text, type View } from './view.ts';

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const tags = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_content', 'utm_term'];

export const noShowRate: View = {
  name: 'no_show_rate',
  about: 'The share of meetings that the invitee missed: one row per value of each dimension.',
  columns: {
    dimension: text(
      '`event_type`, `host` (every host of a meeting counts), `weekday`, `hour`, `weekday_hour` (of the start, in UTC), `utm_source`, `utm_medium`, `utm_campaign`, `utm_content`, `utm_term`',
    ),
    value: text(
      'the URI, the weekday from `1` (Monday) to `7`, the hour from `00` to `23`, both as `1-09`, or the tag; empty where nothing is said',
    ),
    label: text('the value in readable form: a name, `Monday`, `09:00`, `Monday 09:00`'),
    held: integer('journeys that were held with the invitee'),
    no_shows: integer('journeys that ended as a no-show'),
    rate: number('`no_shows` of both together, from 0 to 1'),
  },
  key: ['dimension', 'value'],
  since: undefined,
  select(dialect) {
    const dimensions = [
      by('event_type', { value: sql`event_type`, label: sql`event_type_name` }),
      ...startDimensions(dialect),
      ...tags.map((tag) => by(tag, { value: sql.id(tag), label: sql.id(tag) })),
    ];
    const counted = (outcome: string) => sql`count(case outcome when ${sql.lit(outcome)} then 1 end)`;
    const both = sql`count(*)`;
    return sql`with recursive ${journeys(dialect)},
    met as materialized (
      select journeys.*, ${dialect.weekday(sql`start_time`)} as weekday, ${dialect.hour(sql`start_time`)} as hour
      from journeys where outcome in ('held', 'no_show')
    ),
    hosted as (
      select met.journey_uri, met.outcome, ${dialect.itemText('user')} as host,
        max(${dialect.bytes(dialect.itemText('user_name'))}) as host_name
      from met cross join ${dialect.items(sql`met.hosts`)}
      group by met.journey_uri, met.outcome, ${dialect.itemText('user')}
    ),
    seen (dimension, value, label, outcome) as (
      ${sql.join(dimensions, sql` union all `)}
      union all
      select 'host', hosted.host, coalesce(users.name, hosted.host_name), hosted.outcome
      from hosted left join users on users.uri = hosted.host where hosted.host is not null
      union all
      select 'host', '', '', met.outcome from met
      where met.journey_uri not in (select journey_uri from hosted where host is not null)
    )
    select dimension, coalesce(value, '') as value, coalesce(max(${dialect.bytes(sql`label`)}), '') as label,
      ${counted('held')} as held, ${counted('no_show')} as no_shows, ${dialect.ratio(counted('no_show'), both)} as rate
    from seen group by dimension, coalesce(value, '')`;
  },
};

function by(dimension: string, { value, label }: { readonly value: Sql; readonly label: Sql }): Sql {
  return sql`select ${sql.lit(dimension)}, ${value}, ${label}, outcome from met`;
}

function startDimensions({ asText }: SqlDialect): Sql[] {
  const names = weekdays.map((name, index) => sql`when ${sql.lit(index + 1)} then ${sql.lit(name)}`);
  const weekday = sql`case weekday ${sql.join(names, sql` `)} end`;
  const hour = sql`hour || ':00'`;
  return [
    by('weekday', { value: asText(sql`weekday`), label: weekday }),
    by('hour', { value: sql`hour`, label: hour }),
    by('weekday_hour', {
      value: sql`${asText(sql`weekday`)} || '-' || hour`,
      label: sql`${weekday} || ' ' || ${hour}`,
    }),
  ];
}
