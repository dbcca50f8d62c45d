// How many of the bookings that ended within a window were missed, by event type or by host.
import { sql } from 'kysely';
import type { Store } from './contract.ts';
import { viewDialects } from './views/dialects.ts';

export interface RateWindow {
  readonly by: 'event_type' | 'host';
  readonly from: string;
  readonly to: string;
}

export interface NoShowRate {
  readonly uri: string;
  readonly ended: number;
  readonly noShows: number;
}

/** No meeting takes longer: starts are indexed, ends are not. */
const longestMeetingMs = 86_400_000;

/** Canceled and rescheduled bookings never ended. Every host of a meeting counts. */
export async function noShowRates({ db, engine }: Store, { by, from, to }: RateWindow): Promise<readonly NoShowRate[]> {
  const dialect = viewDialects[engine.name];
  const time = (value: string) => engine.encode('time', value);
  const earliest = new Date(Date.parse(from) - longestMeetingMs).toISOString().replace('Z', '000Z');
  const subject = by === 'event_type' ? sql`events.event_type` : dialect.itemText('user');
  const hosts = by === 'event_type' ? sql`` : sql`cross join ${dialect.items(sql`events.hosts`)}`;
  // One row a booking and subject: a host named twice counts once.
  const { rows } = await sql<{ uri: string; ended: unknown; no_shows: unknown }>`
    select uri, count(*) as ended, count(missed) as no_shows from (
      select distinct invitees.uri as invitee, ${subject} as uri,
        case when invitees.no_show_uri is not null then 1 end as missed
      from scheduled_events as events
        join invitees on invitees.event_uri = events.uri
        ${hosts}
      where events.start_time >= ${time(earliest)} and events.start_time < ${time(to)}
        and events.end_time > ${time(from)} and events.end_time <= ${time(to)}
        and coalesce(events.status, '') <> 'canceled' and coalesce(invitees.status, '') <> 'canceled'
    ) as bookings
    where uri is not null group by uri order by uri`.execute(db);
  return rows.map(({ uri, ended, no_shows: noShows }) => ({ uri, ended: Number(ended), noShows: Number(noShows) }));
}
