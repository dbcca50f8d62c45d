// The share of bookings within a time window that were no-shows, by event type or by host. Counted one page of meetings at a time:
// a window may hold very many, and SQLite counts on this thread.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { sql } from 'kysely';
import { instantOf } from '#src/base/time.ts';
import type { StoredColumns } from '#src/store/columns.ts';
import type { Store } from '#src/store/contract.ts';
import { decodeRow, readColumns, type StoredRow } from '#src/store/rows.ts';
import { keysetOf, type KeysetPosition } from '#src/store/keyset.ts';
import { longestMeetingMs } from '#src/read/bookings/needs-attention.ts';

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

const meetingsPerPage = 200;

/** Canceled and rescheduled bookings never ended. Every host of a meeting counts, once. */
export async function noShowRates(store: Store, { by, from, to }: RateWindow): Promise<readonly NoShowRate[]> {
  const counts = new Map<string, { ended: number; noShows: number }>();
  const earliest = instantOf(Date.parse(from) - longestMeetingMs);
  let position: KeysetPosition | undefined = { key: earliest, uri: '' };
  while (position !== undefined) {
    const meetings = await nextMeetings(store, position, to);
    const ended = new Map(
      meetings.filter((one) => hasEnded(one, from, to)).map((one) => [String(one['uri']), subjectsOf(one, by)]),
    );
    for (const { event_uri: event, status, no_show_uri: mark } of await bookingsOf(store, [...ended.keys()])) {
      if (status === 'canceled') continue;
      for (const uri of ended.get(String(event)) ?? []) {
        const count = counts.get(uri) ?? { ended: 0, noShows: 0 };
        counts.set(uri, { ended: count.ended + 1, noShows: count.noShows + (mark === null ? 0 : 1) });
      }
    }
    const last: StoredRow | undefined = meetings.length < meetingsPerPage ? undefined : meetings.at(-1);
    position = last && { key: String(last['start_time']), uri: String(last['uri']) };
    await yieldToEventLoop();
  }
  return [...counts].map(([uri, count]) => ({ uri, ...count })).toSorted((a, b) => (a.uri < b.uri ? -1 : 1));
}

async function nextMeetings(
  { db, engine }: Store,
  position: KeysetPosition,
  to: string,
): Promise<readonly StoredRow[]> {
  const { beyond, orderBy } = keysetOf(engine, 'scheduled_events', { order: 'start_time', ascending: true });
  const { rows } = await sql<StoredColumns>`
    select uri, event_type, hosts, status, start_time, end_time from scheduled_events
    where ${beyond(position)} and start_time < ${to}
    order by ${orderBy} limit ${meetingsPerPage}`.execute(db);
  return rows.map((row) => decodeRow(engine, 'scheduled_events', row));
}

const bookingsOf = (store: Store, events: readonly string[]): Promise<readonly StoredRow[]> =>
  readColumns(store, 'invitees', { columns: ['event_uri', 'status', 'no_show_uri'], key: 'event_uri', values: events });

function hasEnded({ status, end_time: end }: StoredRow, from: string, to: string): boolean {
  return status !== 'canceled' && typeof end === 'string' && end > from && end <= to;
}

function subjectsOf({ event_type: type, hosts }: StoredRow, by: RateWindow['by']): ReadonlySet<string> {
  const named = by === 'event_type' ? [type] : (Array.isArray(hosts) ? hosts : []).map((host) => userOf(host));
  return new Set(named.filter((uri) => typeof uri === 'string'));
}

const userOf = (host: unknown): unknown =>
  typeof host === 'object' && host !== null && 'user' in host ? host.user : undefined;
