// The conditions by which bookings are searched.
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { instantOf } from '#src/base/time.ts';
import { outcomeOf } from '#src/store/bookings/booking-rows.ts';
import { attendanceOf, type Attendance } from '#src/store/bookings/evidence.ts';
import type { Store } from '#src/store/contract.ts';
import { containsText, emailAmong, lowerCaseEmail, type SqlDialect } from '#src/store/sql-dialect.ts';
import { isUnconfirmed, longestMeetingMs } from './needs-attention.ts';

type Condition = RawBuilder<SqlBool>;

export interface BookingSearch {
  readonly status?: 'active' | 'canceled' | undefined;
  readonly outcome?: string | undefined;
  readonly attendance?: Attendance | undefined;
  /** Any of the hosts. */
  readonly host?: string | undefined;
  readonly event_type?: string | undefined;
  /** In any letter case. */
  readonly email?: string | undefined;
  /** A part of the name or the e-mail address; the letters A to Z in any case. */
  readonly q?: string | undefined;
  readonly utm_campaign?: string | undefined;
  readonly min_start_time?: string | undefined;
  readonly max_start_time?: string | undefined;
  /** Held since this time, without evidence that the invitee came. */
  readonly unconfirmedSince?: string | undefined;
}

/** On the columns of `bookings`. */
export function bookingConditions(dialect: SqlDialect, search: BookingSearch): readonly Condition[] {
  const { min_start_time: min, max_start_time: max, event_type: type, utm_campaign: campaign } = search;
  const { status, outcome, attendance, host, q, unconfirmedSince } = search;
  const canceled = sql`'canceled_by_host', 'canceled_by_invitee', 'late_cancellation', 'canceled'`;
  const contains = (column: string) => containsText(dialect, `bookings.${column}`, q ?? '');
  return [
    ...(outcome === undefined ? [] : [sql<SqlBool>`${outcomeOf(dialect)} = ${outcome}`]),
    ...(attendance === undefined ? [] : [sql<SqlBool>`${attendanceOf(dialect)} = ${attendance}`]),
    ...(status === undefined
      ? []
      : [
          sql<SqlBool>`${outcomeOf(dialect)} in (${status === 'canceled' ? canceled : sql`'upcoming', 'held', 'no_show'`})`,
        ]),
    ...(unconfirmedSince === undefined ? [] : [isUnconfirmed(dialect, unconfirmedSince)]),
    ...(type === undefined ? [] : [sql<SqlBool>`bookings.event_type = ${type}`]),
    ...(campaign === undefined ? [] : [sql<SqlBool>`bookings.utm_campaign = ${campaign}`]),
    ...(min === undefined ? [] : [sql<SqlBool>`bookings.start_time >= ${dialect.time(min)}`]),
    ...(max === undefined ? [] : [sql<SqlBool>`bookings.start_time <= ${dialect.time(max)}`]),
    ...(host === undefined ? [] : [dialect.hasUserAmong(sql`bookings.hosts`, sql`select ${host}`)]),
    ...(q === undefined ? [] : [sql<SqlBool>`(${contains('invitee_name')} or ${contains('invitee_email')})`]),
  ];
}

/** A condition that an index answers with at most so many bookings, where the search has one. Those of one address are few. */
export async function indexedCondition(
  { db, engine: { dialect } }: Pick<Store, 'db' | 'engine'>,
  { email, outcome, unconfirmedSince, min_start_time: min, max_start_time: max }: BookingSearch,
  most: number,
): Promise<Condition | undefined> {
  if (email !== undefined) {
    const theirs = emailAmong(dialect, [lowerCaseEmail(email)]).map(
      (is) => sql`select uri from ${sql.table('invitees')} where ${is}`,
    );
    return sql<SqlBool>`bookings.last_invitee in (${sql.join(theirs, sql` union all `)})`;
  }
  // A meeting is upcoming until its end.
  const now = instantOf(Date.now());
  const endAfter = unconfirmedSince ?? (outcome === 'upcoming' ? now : undefined);
  const from = min ?? (endAfter && instantOf(Date.parse(endAfter) - longestMeetingMs));
  const to = max ?? (unconfirmedSince && now);
  const bounds = [
    ...(from === undefined ? [] : [sql`start_time >= ${dialect.time(from)}`]),
    ...(to === undefined ? [] : [sql`start_time <= ${dialect.time(to)}`]),
  ];
  if (bounds.length === 0) return undefined;
  const within = sql`select journey_uri from ${sql.table('bookings')} where ${sql.join(bounds, sql` and `)}`;
  const { rows } = await sql`${within} limit 1 offset ${most}`.execute(db);
  return rows.length > 0 ? undefined : sql<SqlBool>`bookings.journey_uri in (${within})`;
}
