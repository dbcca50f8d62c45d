// Counts rows of the view `bookings`: by day, by hour, and by what may explain a no-show.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { sql } from 'kysely';
import { activeOutcomes } from '#src/store/bookings/words.ts';
import type { Readable, StoreEngine } from '#src/store/contract.ts';
import type { Sql, SqlDialect } from '#src/store/sql-dialect.ts';

/** From so many hours before the start, up to the next. A meeting that was booked after its start counts as booked at its start. */
export const leadHours = [0, 24, 48, 96, 192, 360, 720] as const;

/** `day` counts all bookings that were not moved, `hour` not the canceled ones either, the others those that ended. */
export type Grouping = 'day' | 'hour' | 'event_type' | 'host' | 'campaign' | 'source' | 'lead_time';

export interface BookingSelection {
  /** The first instant of the starts, and the first instant after them. */
  readonly from: string;
  readonly to: string;
  /** About a row of `bookings`. */
  readonly where: readonly Sql[];
  /** Whose local time `hour` is in. */
  readonly zoneOf?: 'host' | 'invitee';
  /** On SQLite, which counts on this thread. */
  readonly bookingsPerPart?: number | undefined;
}

export interface BookingCount {
  readonly by: Grouping;
  /** A day, an hour since Monday, a URI, a campaign, a source, or an index of `leadHours`; empty where it is not known. */
  readonly key: string;
  /** Of an event type or host. Of `hour`: `unknown` where the time zone is not known, so that it is that of reports. */
  readonly name: string | null;
  readonly outcome: string;
  readonly bookings: number;
  /** How many of them ended. */
  readonly ended: number;
}

type CountRow = Readonly<Record<keyof BookingCount, unknown>> & Pick<BookingCount, 'by' | 'name' | 'outcome'>;

/** In several lists; a key can be in more than one. */
export async function* countBookings(
  store: Readable,
  selection: BookingSelection,
  groupings: readonly Grouping[],
): AsyncGenerator<readonly BookingCount[]> {
  const { dialect } = store.engine;
  const counts = groupings.map((by) => countsBy(dialect, by));
  for await (const part of partsOf(store, selection)) {
    const { rows } =
      await sql<CountRow>`with picked as materialized (${picked(store.engine, part, groupings)}) ${sql.join(counts, sql` union all `)}`.execute(
        store.db,
      );
    yield rows.map(({ key, bookings, ended, ...row }) => ({
      ...row,
      key: String(key ?? ''),
      bookings: Number(bookings),
      ended: Number(ended),
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

/** Every column costs time: only those that are grouped by. */
function picked(
  { dialect: { time } }: StoreEngine,
  { from, to, where, zoneOf = 'host' }: BookingSelection,
  groupings: readonly Grouping[],
): Sql {
  const [weekday, hour] = ['weekday', 'hour'].map((part) => sql.id(`start_${part}_${zoneOf}`));
  const columns: Readonly<Record<Grouping, Sql>> = {
    day: sql`cast(start_day as text) as start_day`,
    hour: sql`(coalesce(${weekday}, start_weekday) - 1) * 24 + coalesce(${hour}, start_hour) as week_hour,
      case when ${weekday} is null then 'unknown' else '' end as zone`,
    event_type: sql`event_type, event_type_name`,
    // Of most meetings, `host` says it all, and is compared faster.
    host: sql`host, host_name, case when hosts -> 1 is not null then hosts end as several_hosts`,
    campaign: sql`utm_campaign`,
    source: sql`utm_source`,
    lead_time: sql`lead_time_seconds`,
  };
  return sql`select outcome, case when ended_at is null then 0 else 1 end as ended, ${sql.join(groupings.map((by) => columns[by]))}
    from ${sql.table('bookings')}
    where ${sql.join([sql`start_time >= ${time(from)} and start_time < ${time(to)}`, ...where], sql` and `)}`;
}

const leadIndex = sql`case ${sql.join(
  leadHours
    .map((hours, index) => sql`when lead_time_seconds >= ${sql.lit(hours * 3_600)} then ${sql.lit(String(index))}`)
    .toReversed(),
  sql` `,
)} else '0' end`;

function countsBy({ bytes, items, itemText }: SqlDialect, by: Grouping): Sql {
  const counted = sql`outcome, count(*) as bookings, sum(ended) as ended`;
  const rows = (key: Sql, name: Sql): Sql =>
    sql`select ${sql.lit(by)} as by, ${key} as key, ${name} as name, ${counted}`;
  const none = sql`''`;
  switch (by) {
    case 'day':
      return sql`${rows(sql`start_day`, none)} from picked where outcome <> 'moved' group by start_day, outcome`;
    case 'hour':
      return sql`${rows(sql`cast(week_hour as text)`, sql`zone`)} from picked
        where outcome in (${sql.join(activeOutcomes.map((word) => sql.lit(word)))}) group by week_hour, zone, outcome`;
    case 'event_type':
      return sql`${rows(sql`event_type`, sql`max(${bytes(sql`event_type_name`)})`)} from picked where ended = 1
        group by event_type, outcome`;
    case 'campaign':
      return sql`${rows(sql`utm_campaign`, none)} from picked where ended = 1 group by utm_campaign, outcome`;
    case 'source':
      return sql`${rows(sql`utm_source`, none)} from picked where ended = 1 group by utm_source, outcome`;
    case 'lead_time':
      return sql`${rows(leadIndex, none)} from picked where ended = 1 and lead_time_seconds is not null
        group by ${leadIndex}, outcome`;
    // Lists first: many meetings have the same hosts. Every host of a meeting counts once; what is no text is left out.
    case 'host': {
      const lists = sql`select host, host_name, several_hosts, ${counted} from picked where ended = 1
        group by host, host_name, several_hosts, outcome`;
      const named = sql`(select name from ${sql.table('users')} where users.uri = hosting.uri)`;
      const isNamed = sql`${itemText('user')} is not null`;
      return sql`select 'host' as by, uri as key, coalesce(${named}, max(${bytes(sql`name`)})) as name, outcome,
          sum(bookings) as bookings, sum(ended) as ended
        from (
          select host as uri, host_name as name, outcome, bookings, ended from (${lists}) as lists
          where several_hosts is null
            or not exists (select 1 from ${items(sql`several_hosts`)} where ${isNamed})
          union all
          select ${itemText('user')}, max(${itemText('user_name')}), outcome, max(bookings), max(ended)
          from (${lists}) as lists cross join ${items(sql`several_hosts`)}
          where several_hosts is not null and ${isNamed}
          group by several_hosts, host_name, outcome, ${itemText('user')}
        ) as hosting
        group by uri, outcome`;
    }
  }
}
