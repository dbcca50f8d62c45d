// Counts bookings in the database: by local day and hour, and by what may explain a no-show.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { sql } from 'kysely';
import { zonePeriods } from '#src/base/time-zone.ts';
import { instantOf, secondMs } from '#src/base/time.ts';
import { outcomeOf, severalHosts } from '#src/store/bookings/booking-rows.ts';
import { withoutEvidence } from '#src/store/bookings/evidence.ts';
import type { Store, StoreEngine } from '#src/store/contract.ts';
import type { Sql, SqlDialect } from '#src/store/sql-dialect.ts';
import { bookingSql } from '#src/store/bookings/booking-sql.ts';
import { joinPeriodIn, periodsBetween } from '#src/store/time-zones.ts';

type Readable = Pick<Store, 'db' | 'engine'>;

/** From so many hours before the start, up to the next. A meeting that was booked after its start counts as booked at its start. */
export const leadHours = [0, 24, 48, 96, 192, 360, 720] as const;
/** Days and hours are counted from this Monday: no range begins earlier. */
export const firstDay = '1899-12-25';

/** `day` is of all bookings that were not moved, `hour` not of canceled ones, the others of meetings that were held or missed. */
type Grouping = 'day' | 'hour' | 'event_type' | 'host' | 'campaign' | 'source' | 'lead_time';

export interface BookingSelection {
  /** The first instant of the starts, and the first instant after them. */
  readonly from: string;
  readonly to: string;
  /** About a row of `bookings`. */
  readonly where: readonly Sql[];
  /** Of `day`. */
  readonly timezone?: string;
  /** Whose local time `hour` is in. */
  readonly zoneOf?: 'host' | 'invitee';
  /** On SQLite, which counts on this thread. */
  readonly bookingsPerPart?: number | undefined;
}

export interface BookingCount {
  readonly by: Grouping;
  /** Days since `firstDay`, an hour of the week, a URI, a campaign, or an index of `leadHours`; empty where it is not known. */
  readonly key: string;
  /** Of an event type or host. Of `hour`: `UTC` where the time zone is not known. */
  readonly name: string | null;
  readonly outcome: string;
  readonly bookings: number;
  /** Held, but nothing shows that the invitee came. */
  readonly unconfirmed: number;
}

interface CountRow extends Pick<BookingCount, 'by' | 'name' | 'outcome'> {
  readonly key: string | null;
  readonly bookings: number | string;
  readonly unconfirmed: number | string;
}

/** In several lists; a key can be in more than one. */
export async function* countBookings(
  store: Readable,
  selection: BookingSelection,
  groupings: readonly Grouping[],
): AsyncGenerator<readonly BookingCount[]> {
  const { engine } = store;
  const counts = groupings.map((by) => countsBy(engine, by));
  for await (const part of partsOf(store, selection)) {
    const { rows } =
      await sql<CountRow>`with ${periodsOf(engine.dialect, part)}, picked as materialized (${picked(engine, part)}) ${sql.join(counts, sql` union all `)}`.execute(
        store.db,
      );
    yield rows.map((row) => ({
      ...row,
      key: row.key ?? '',
      bookings: Number(row.bookings),
      unconfirmed: row.outcome === 'held' ? Number(row.unconfirmed) : 0,
    }));
    await yieldToEventLoop();
  }
}

/** All at once on PostgreSQL, so that it is as of one moment; on SQLite in parts, between which other work is done. */
async function* partsOf({ db, engine }: Readable, selection: BookingSelection): AsyncGenerator<BookingSelection> {
  const { bookingsPerPart = 5_000 } = selection;
  let { from } = selection;
  while (engine.name === 'sqlite') {
    const { rows } = await sql<{ start_time: string }>`select start_time from ${sql.table('bookings')}
      where start_time > ${from} and start_time < ${selection.to}
      order by start_time limit 1 offset ${bookingsPerPart}`.execute(db);
    const to = rows[0]?.start_time;
    if (to === undefined) break;
    yield { ...selection, from, to };
    from = to;
  }
  yield { ...selection, from };
}

/** How far the zones that people have are ahead of UTC, and when: by the name of the zone, or by the host. */
function periodsOf({ time, lowerCase }: SqlDialect, { from, to }: BookingSelection): Sql {
  return sql`invitee_periods as materialized (${periodsBetween(time(from), time(to))}),
    host_periods as materialized (select users.uri as name, starts_at, ends_at, offset_seconds
      from ${sql.table('users')} join invitee_periods on invitee_periods.name = ${lowerCase('users.timezone')})`;
}

function picked(
  { name: engine, dialect }: StoreEngine,
  { from, to, where, timezone = 'UTC', zoneOf = 'host' }: BookingSelection,
): Sql {
  const { time } = dialect;
  const { epoch, secondsBetween } = bookingSql[engine];
  const name = zoneOf === 'host' ? sql`bookings.host` : dialect.lowerCase('bookings.invitee_timezone');
  const conditions = [
    sql`start_time >= ${time(from)} and start_time < ${time(to)}`,
    sql`coalesce(ending, '') <> 'rescheduled'`,
    ...where,
  ];
  return sql`select ${epoch(sql`start_time`)} + ${sql.lit(-Date.parse(firstDay) / secondMs)} as seconds,
      ${offsetIn(dialect, timezone, { from, to })} as day_offset, ${sql.id(`${zoneOf}_periods`)}.offset_seconds as hour_offset,
      ${outcomeOf(dialect)} as outcome, event_type, event_name, host, host_name, ${severalHosts} as hosts, utm_campaign, utm_source,
      ${secondsBetween(sql`booked_at`, sql`start_time`)} as lead,
      case when evidence in (${withoutEvidence}) then 1 else 0 end as unconfirmed
    from ${sql.table('bookings')} ${joinPeriodIn(`${zoneOf}_periods`, sql`start_time`, name)}
    where ${sql.join(conditions, sql` and `)}`;
}

/** How many seconds this zone is ahead of UTC at the start of a booking. */
function offsetIn({ time }: SqlDialect, timezone: string, { from, to }: Pick<BookingSelection, 'from' | 'to'>): Sql {
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
  const periods = (zonePeriods(timezone) ?? []).filter(
    ({ startsMs }, index, all) => startsMs < toMs && (all[index + 1]?.startsMs ?? Infinity) > fromMs,
  );
  const cases = periods.map(
    ({ startsMs, offsetMs }) =>
      sql`when start_time >= ${time(instantOf(startsMs))} then ${sql.lit(offsetMs / secondMs)}`,
  );
  return sql`case ${sql.join(cases.toReversed(), sql` `)} else 0 end`;
}

const leadIndex = sql`case ${sql.join(
  leadHours
    .map((hours, index) => sql`when lead >= ${sql.lit(hours * 3_600)} then ${sql.lit(String(index))}`)
    .toReversed(),
  sql` `,
)} else '0' end`;

function countsBy({ name: engine, dialect }: StoreEngine, by: Grouping): Sql {
  const { bytes, itemText } = dialect;
  const { distinctItems } = bookingSql[engine];
  const asText = (value: Sql): Sql => sql`cast(${value} as text)`;
  const counted = sql`count(*) as bookings, sum(unconfirmed) as unconfirmed`;
  const ended = sql`from picked where outcome in ('held', 'no_show')`;
  const rows = (key: Sql, name: Sql, counts = counted): Sql =>
    sql`select ${sql.lit(by)} as by, ${key} as key, ${name} as name, outcome, ${counts}`;
  switch (by) {
    case 'day': {
      const day = sql`((seconds + day_offset) / 86400)`;
      return sql`${rows(asText(day), sql`''`)} from picked group by ${day}, outcome`;
    }
    case 'hour': {
      const hour = sql`((seconds + coalesce(hour_offset, 0)) / 3600 % 168)`;
      const zone = sql`(hour_offset is null)`;
      return sql`${rows(asText(hour), sql`case when ${zone} then 'UTC' else '' end`)} from picked
        where outcome in ('held', 'no_show', 'upcoming') group by ${hour}, ${zone}, outcome`;
    }
    case 'event_type': {
      const known = sql`(select name from ${sql.table('event_types')} where uri = picked.event_type)`;
      const name = sql`coalesce(${known}, max(${bytes(sql`event_name`)}))`;
      return sql`${rows(sql`event_type`, name)} ${ended} group by event_type, outcome`;
    }
    case 'campaign':
      return sql`${rows(sql`utm_campaign`, sql`''`)} ${ended} group by utm_campaign, outcome`;
    case 'source':
      return sql`${rows(sql`utm_source`, sql`''`)} ${ended} group by utm_source, outcome`;
    case 'lead_time':
      return sql`${rows(leadIndex, sql`''`)} ${ended} and lead is not null group by ${leadIndex}, outcome`;
    // Lists first: many meetings have the same hosts. Every host of a meeting counts once.
    case 'host': {
      const known = sql`(select name from ${sql.table('users')} where users.uri = hosting.uri)`;
      const name = sql`coalesce(${known}, max(${bytes(sql`name`)}))`;
      return sql`${rows(sql`uri`, name, sql`sum(bookings) as bookings, sum(unconfirmed) as unconfirmed`)}
        from (select case when hosts is null then host else ${itemText('user')} end as uri,
            case when hosts is null then host_name else ${itemText('user_name')} end as name, outcome,
            bookings, unconfirmed
          from (select host, host_name, hosts, outcome, ${counted} ${ended} group by host, host_name, hosts, outcome) as lists
          left join ${distinctItems(sql`hosts`, 'user')} on true) as hosting
        group by uri, outcome`;
    }
  }
}
