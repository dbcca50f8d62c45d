// What needs a person: meetings that ended without evidence that the invitee came, and forms that led to no booking. Each is counted
// within a period, by indexes on times.
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { dayMs, instantOf } from '#src/base/time.ts';
import { withoutEvidence } from '#src/store/bookings/words.ts';
import type { Readable } from '#src/store/contract.ts';
import type { SqlDialect } from '#src/store/sql-dialect.ts';

/** No meeting takes longer: starts are indexed, ends are not. */
export const longestMeetingMs = dayMs;

/** Of a row of `bookings`: its meeting ended since this time, and nothing shows that the invitee came. */
export function isUnconfirmed(dialect: SqlDialect, since: string): RawBuilder<SqlBool> {
  const words = sql.join(withoutEvidence.map((word) => sql.lit(word)));
  const start = instantOf(Date.parse(since) - longestMeetingMs);
  return sql<SqlBool>`attendance in (${words}) and ended_at >= ${dialect.time(since)} and start_time >= ${dialect.time(start)}`;
}

/** `/bookings?unconfirmed=true` lists those of the last seven days. */
export async function countUnconfirmed({ db, engine: { dialect } }: Readable, sinceMs: number): Promise<number> {
  const { rows } = await sql<{ count: number | string }>`select count(*) as count from ${sql.table('bookings')}
    where ${isUnconfirmed(dialect, instantOf(sinceMs))}`.execute(db);
  return Number(rows[0]?.count ?? 0);
}

/** Submissions since this time that led to a booking page and that no booking refers to. */
export async function countUnbooked({ db, engine: { dialect } }: Readable, sinceMs: number): Promise<number> {
  const { rows } = await sql<{
    count: number | string;
  }>`select count(*) as count from ${sql.table('unbooked_submissions')}
    where created_at >= ${dialect.time(instantOf(sinceMs))}`.execute(db);
  return Number(rows[0]?.count ?? 0);
}
