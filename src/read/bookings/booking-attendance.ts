// Whether the invitees of some bookings came, and the bookings of a period of which nothing shows it.
import { sql } from 'kysely';
import { instantOf } from '#src/base/time.ts';
import { attendanceIfHeld, type Attendance } from '#src/store/bookings/evidence.ts';
import type { StoredColumns } from '#src/store/columns.ts';
import type { Store, Unit } from '#src/store/contract.ts';
import { inChunks } from '#src/store/prepared-sql.ts';
import { decodeColumns } from '#src/store/rows.ts';
import { longestMeetingMs } from './needs-attention.ts';

export interface BookingAttendance {
  /** As if the meeting had ended; null for a booking that was canceled or moved. */
  readonly attendance: Attendance | null;
  /** When the recap that it follows from was created; null where it follows from none. */
  readonly recapAt: string | null;
}

/** By the URI of the last invitee of a booking. */
export async function attendanceOfBookings(
  { db }: Store | Unit,
  uris: readonly string[],
): Promise<ReadonlyMap<string, BookingAttendance>> {
  const found = await inChunks(uris, async (chunk) => {
    const { rows } = await sql<BookingAttendance & { readonly uri: string }>`select last_invitee as uri,
        ${attendanceIfHeld()} as attendance, meeting_recaps.created_at as "recapAt"
      from ${sql.table('bookings')} left join ${sql.table('meeting_recaps')} on meeting_recaps.uri = bookings.evidence_recap
        and bookings.ending is null and bookings.evidence <> 'unconfirmed'
      where last_invitee in (${sql.join(chunk)})`.execute(db);
    return rows;
  });
  return new Map(found.map(({ uri, ...attendance }) => [uri, attendance]));
}

/** Of these bookings, those whose meeting ended since the one time or has a recap that was created since the other. */
export async function recentlyMetAmong(
  { db, engine: { dialect } }: Store,
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

const unconfirmedColumns = ['last_invitee', 'hosts'] as const;

/** The unconfirmed bookings whose meeting ended after the one moment and up to the other. */
export async function unconfirmedBookings(
  { db, engine }: Store | Unit,
  { afterMs, throughMs }: { readonly afterMs: number; readonly throughMs: number },
) {
  const time = (ms: number) => engine.dialect.time(instantOf(ms));
  const end = sql`coalesce(end_time, start_time)`;
  const { rows } = await sql<StoredColumns>`
    select ${sql.join(unconfirmedColumns.map((name) => sql.ref(name)))} from ${sql.table('bookings')}
    where start_time > ${time(afterMs - longestMeetingMs)} and start_time <= ${time(throughMs)}
      and ${end} > ${time(afterMs)} and ${end} <= ${time(throughMs)}
      and ending is null and evidence = 'unconfirmed'`.execute(db);
  return rows.map((row) => decodeColumns(engine, { table: 'bookings', columns: unconfirmedColumns }, row));
}
