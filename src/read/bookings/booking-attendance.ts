// What the view says of some bookings, and the bookings of a period of which nothing shows that the invitee came.
import { sql } from 'kysely';
import { instantOf } from '#src/base/time.ts';
import type { Attendance, Outcome } from '#src/store/bookings/words.ts';
import type { StoredKinds } from '#src/store/columns.ts';
import type { Readable } from '#src/store/contract.ts';
import { inChunks } from '#src/store/prepared-sql.ts';
import { longestMeetingMs } from './needs-attention.ts';

/** Of a row of the view. */
export interface BookingState {
  readonly outcome: Outcome | null;
  readonly canceled_at: string | null;
  readonly canceler_type: string | null;
  readonly cancel_notice_seconds: number | null;
  /** Null for a booking that was canceled or moved, and for an upcoming one of which nothing is known yet. */
  readonly attendance: Attendance | null;
  /** When the recap that it follows from was created; null where it follows from none. */
  readonly recapAt: string | null;
}

/** By the URI of the last invitee of a booking. */
export async function statesOfBookings(
  { db }: Readable,
  uris: readonly string[],
): Promise<ReadonlyMap<string, BookingState>> {
  const found = await inChunks(uris, async (chunk) => {
    const { rows } = await sql<
      BookingState & { readonly uri: string }
    >`select last_invitee as uri, outcome, canceled_at,
        canceler_type, cancel_notice_seconds, attendance,
        (select created_at from ${sql.table('meeting_recaps')} where uri = attendance_basis) as "recapAt"
      from ${sql.table('bookings')} where last_invitee in (${sql.join(chunk)})`.execute(db);
    return rows;
  });
  return new Map(found.map(({ uri, ...state }) => [uri, state]));
}

/** Of these bookings, those that were canceled since this time. */
export async function recentlyCanceledAmong(
  { db, engine: { dialect } }: Readable,
  uris: readonly string[],
  since: string,
): Promise<readonly string[]> {
  return inChunks(uris, async (chunk) => {
    const { rows } = await sql<{ readonly uri: string }>`select last_invitee as uri from ${sql.table('bookings')}
      where last_invitee in (${sql.join(chunk)}) and canceled_at >= ${dialect.time(since)}`.execute(db);
    return rows.map(({ uri }) => uri);
  });
}

/** Of these bookings, those whose meeting ended since the one time or has a recap that was created since the other. */
export async function recentlyMetAmong(
  { db, engine: { dialect } }: Readable,
  uris: readonly string[],
  { ended, recap }: { readonly ended: string; readonly recap: string },
): Promise<readonly string[]> {
  return inChunks(uris, async (chunk) => {
    const { rows } = await sql<{ readonly uri: string }>`select invitees.uri
      from ${sql.table('invitees')} left join ${sql.table('scheduled_events')} on scheduled_events.uri = invitees.event_uri
      where invitees.uri in (${sql.join(chunk)})
        and (coalesce(scheduled_events.end_time, scheduled_events.start_time) >= ${dialect.time(ended)}
          or exists (select 1 from ${sql.table('meeting_recaps')} where meeting_recaps.event_uri = invitees.event_uri
            and meeting_recaps.created_at >= ${dialect.time(recap)}))`.execute(db);
    return rows.map(({ uri }) => uri);
  });
}

/** The unconfirmed bookings whose meeting ended after the one moment and up to the other. */
export async function unconfirmedBookings(
  { db, engine }: Readable,
  { afterMs, throughMs }: { readonly afterMs: number; readonly throughMs: number },
) {
  const time = (ms: number) => engine.dialect.time(instantOf(ms));
  const { rows } = await sql<{ last_invitee: string; hosts: StoredKinds['json'] | null }>`select last_invitee, hosts
    from ${sql.table('bookings')}
    where start_time > ${time(afterMs - longestMeetingMs)} and start_time <= ${time(throughMs)}
      and ended_at > ${time(afterMs)} and ended_at <= ${time(throughMs)} and attendance = 'unconfirmed'`.execute(db);
  return rows.map(({ last_invitee, hosts }) => ({ last_invitee, hosts: engine.decode('json', hosts) }));
}
