// What needs a person: meetings that ended without evidence that the invitee came, and forms that led to no booking. Each is counted
// within a period, by indexes on times.
import { sql } from 'kysely';
import { dayMs, instantOf } from '#src/base/time.ts';
import type { Store } from '#src/store/contract.ts';
import { attendanceOf, withoutEvidence } from '#src/store/views/attendance.ts';
import { isUnbooked } from '#src/store/views/unbooked-submissions.ts';

type Readable = Pick<Store, 'db' | 'engine'>;

/** No meeting takes longer: starts are indexed, ends are not. */
export const longestMeetingMs = dayMs;

/**
 * Bookings that ended since this time, were neither canceled nor moved nor marked as a no-show, and of which nothing shows that the
 * invitee came: `GET /api/bookings?unconfirmed=true` lists those of the last seven days.
 */
export async function countUnconfirmed({ db, engine: { dialect } }: Readable, sinceMs: number): Promise<number> {
  const time = (ms: number) => dialect.time(instantOf(ms));
  const end = sql`coalesce(scheduled_events.end_time, scheduled_events.start_time)`;
  const { attendance } = attendanceOf(dialect, { outcome: sql`'held'`, from: 'invitees' });
  const { rows } = await sql<{ count: number | string }>`select count(*) as count
    from scheduled_events join invitees on invitees.event_uri = scheduled_events.uri
    where scheduled_events.start_time >= ${time(sinceMs - longestMeetingMs)} and scheduled_events.start_time <= ${dialect.now}
      and ${end} >= ${time(sinceMs)} and ${end} <= ${dialect.now}
      and coalesce(scheduled_events.status, '') <> 'canceled' and coalesce(invitees.status, '') <> 'canceled'
      and invitees.rescheduled is not true and coalesce(invitees.new_invitee, '') = ''
      and invitees.no_show_at is null and ${attendance} in (${withoutEvidence})`.execute(db);
  return Number(rows[0]?.count ?? 0);
}

/** Submissions since this time that led to a booking page and that no booking refers to. */
export async function countUnbooked({ db, engine: { dialect } }: Readable, sinceMs: number): Promise<number> {
  const { rows } = await sql<{ count: number | string }>`select count(*) as count from routing_form_submissions
    where created_at >= ${dialect.time(instantOf(sinceMs))} and ${isUnbooked()}`.execute(db);
  return Number(rows[0]?.count ?? 0);
}
