// Whether the invitees of some bookings came, by the rule of the views; and the meetings that ended within a period.
import { sql } from 'kysely';
import { instantOf } from '#src/base/time.ts';
import type { StoredColumns } from '#src/store/columns.ts';
import type { Store, Unit } from '#src/store/contract.ts';
import { chunks } from '#src/store/prepared-sql.ts';
import { decodeColumns, readColumns } from '#src/store/rows.ts';
import { longestMeetingMs } from './needs-attention.ts';
import { attendanceOf, attendances, type Attendance } from '#src/store/views/attendance.ts';
import { movedOn } from '#src/store/views/journeys.ts';

export interface BookingAttendance {
  /** As if the meeting had ended; null for a booking that was canceled or moved. */
  readonly attendance: Attendance | null;
  /** When the recap that it follows from was created; null where it follows from none. */
  readonly recapAt: string | null;
}

/** By the URI of the invitee. */
export async function attendanceOfBookings(
  from: Store | Unit,
  uris: readonly string[],
): Promise<ReadonlyMap<string, BookingAttendance>> {
  const { attendance, basis } = attendanceOf(from.engine.dialect, {
    outcome: sql`(case when ${movedOn} or last.status = 'canceled' or last_event.status = 'canceled' then ''
      when last.no_show_at is not null then 'no_show' else 'held' end)`,
    from: 'last',
  });
  const found: { readonly uri: string; readonly attendance: string | null; readonly basis: string | null }[] = [];
  for (const chunk of chunks(uris)) {
    const { rows } = await sql<(typeof found)[number]>`
      select last.uri, ${attendance} as attendance, ${basis} as basis
      from invitees as last left join scheduled_events as last_event on last_event.uri = last.event_uri
      where last.uri in (${sql.join(chunk)})`.execute(from.db);
    found.push(...rows);
  }
  const recaps = await readColumns(from, 'meeting_recaps', {
    columns: ['uri', 'created_at'],
    key: 'uri',
    values: [...new Set(found.flatMap(({ basis: uri }) => uri ?? []))],
  });
  const createdAt = new Map(recaps.map(({ uri, created_at: at }) => [uri, at]));
  return new Map(
    found.map(({ uri, attendance: value, basis: recap }) => [
      uri,
      {
        attendance: attendances.find((one) => one === value) ?? null,
        recapAt: createdAt.get(recap ?? '') ?? null,
      },
    ]),
  );
}

/** Of these bookings, those whose meeting ended since the one time or has a recap that was created since the other. */
export async function recentlyMetAmong(
  { db, engine: { dialect } }: Store,
  uris: readonly string[],
  { ended, recap }: { readonly ended: string; readonly recap: string },
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const chunk of chunks(uris)) {
    const { rows } = await sql<{ readonly uri: string }>`select invitees.uri
      from invitees left join scheduled_events on scheduled_events.uri = invitees.event_uri
      where invitees.uri in (${sql.join(chunk)})
        and (coalesce(scheduled_events.end_time, scheduled_events.start_time) >= ${dialect.time(ended)}
          or exists (select 1 from meeting_recaps where meeting_recaps.event_uri = invitees.event_uri
            and meeting_recaps.created_at >= ${dialect.time(recap)}))`.execute(db);
    found.push(...rows.map(({ uri }) => uri));
  }
  return found;
}

const meetingColumns = ['uri', 'hosts'] as const;

/** The meetings that ended after the one moment and up to the other, with their hosts. */
export async function endedMeetings(
  { db, engine }: Store | Unit,
  { afterMs, throughMs }: { readonly afterMs: number; readonly throughMs: number },
) {
  const time = (ms: number) => engine.dialect.time(instantOf(ms));
  const end = sql`coalesce(end_time, start_time)`;
  const { rows } = await sql<StoredColumns>`
    select ${sql.join(meetingColumns.map((name) => sql.ref(name)))} from scheduled_events
    where start_time > ${time(afterMs - longestMeetingMs)} and start_time <= ${time(throughMs)}
      and ${end} > ${time(afterMs)} and ${end} <= ${time(throughMs)}
      and coalesce(status, '') <> 'canceled'`.execute(db);
  return rows.map((row) => decodeColumns(engine, { table: 'scheduled_events', columns: meetingColumns }, row));
}
