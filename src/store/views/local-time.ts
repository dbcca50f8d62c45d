// Local time in SQL, by the table `time_zones`, alike on both engines.
import { sql } from 'kysely';
import { isUtc } from '#src/base/time-zone.ts';
import type { Sql, SqlDialect } from '#src/store/sql-dialect.ts';

/** A time whose day, weekday and hour in UTC are the local ones of the zone; null where the zone is not known. */
export const localTime = (dialect: SqlDialect, time: Sql, zone: Sql): Sql =>
  dialect.later(
    time,
    sql`(select offset_seconds from time_zones where time_zones.name = ${zone} and starts_at <= ${time}
      order by starts_at desc limit 1)`,
  );

/** Joins the period of a zone that a time is in, for several columns of local time: `later(time, <as>.offset_seconds)`. */
export const joinPeriod = (as: string, time: Sql, zone: Sql): Sql =>
  sql`left join time_zones as ${sql.id(as)} on ${sql.id(as, 'name')} = ${zone} and ${sql.id(as, 'starts_at')} = (
    select max(starts_at) from time_zones where time_zones.name = ${zone} and starts_at <= ${time})`;

/** The same for the zone of reports. UTC needs no lookup. */
export function reportTime(dialect: SqlDialect, time: Sql, zone: string): Sql {
  return isUtc(zone) ? time : localTime(dialect, time, sql.lit(zone.toLowerCase()));
}
