// The conditions by which bookings are searched, on the columns of the view.
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { canceledOutcomes, activeOutcomes, type Attendance, type Outcome } from '#src/store/bookings/words.ts';
import { containsText, type SqlDialect } from '#src/store/sql-dialect.ts';
import { isUnconfirmed } from './needs-attention.ts';

type Condition = RawBuilder<SqlBool>;

export interface BookingSearch {
  readonly status?: 'active' | 'canceled' | undefined;
  readonly outcome?: Outcome | undefined;
  readonly attendance?: Attendance | undefined;
  /** Any of the hosts. */
  readonly host?: string | undefined;
  readonly event_type?: string | undefined;
  /** Whole, in any letter case. */
  readonly email?: string | undefined;
  /** A part of the name or the e-mail address; the letters A to Z in any case. */
  readonly q?: string | undefined;
  readonly utm_campaign?: string | undefined;
  readonly min_start_time?: string | undefined;
  readonly max_start_time?: string | undefined;
  /** Ended since this time, and nothing shows that the invitee came. */
  readonly unconfirmedSince?: string | undefined;
}

/** `invitees`: those whose bookings are searched; an address is looked up before. */
export function bookingConditions(
  dialect: SqlDialect,
  search: BookingSearch & { readonly invitees?: readonly string[] },
): readonly Condition[] {
  const { min_start_time: min, max_start_time: max, event_type: type, utm_campaign: campaign } = search;
  const { status, outcome, attendance, host, invitees, q, unconfirmedSince } = search;
  const contains = (column: string) => containsText(dialect, `bookings.${column}`, q ?? '');
  const listed = (words: readonly string[]) => sql.join(words.map((word) => sql.lit(word)));
  return [
    ...(outcome === undefined ? [] : withOutcome(outcome)),
    ...(attendance === undefined ? [] : [sql<SqlBool>`attendance = ${attendance}`]),
    ...(attendance === 'no_show' ? [isMarked] : []),
    ...(status === undefined
      ? []
      : [sql<SqlBool>`outcome in (${listed(status === 'canceled' ? canceledOutcomes : activeOutcomes)})`]),
    ...(unconfirmedSince === undefined ? [] : [isUnconfirmed(dialect, unconfirmedSince)]),
    ...(type === undefined ? [] : [sql<SqlBool>`event_type = ${type}`]),
    ...(campaign === undefined ? [] : [sql<SqlBool>`utm_campaign = ${campaign}`]),
    ...(min === undefined ? [] : [sql<SqlBool>`start_time >= ${dialect.time(min)}`]),
    ...(max === undefined ? [] : [sql<SqlBool>`start_time <= ${dialect.time(max)}`]),
    ...(host === undefined ? [] : [dialect.hasUserAmong(sql`hosts`, sql`select ${host}`)]),
    ...(invitees === undefined ? [] : [sql<SqlBool>`last_invitee in (${dialect.values(invitees)})`]),
    ...(q === undefined ? [] : [sql<SqlBool>`(${contains('invitee_name')} or ${contains('invitee_email')})`]),
  ];
}

const isMarked = sql<SqlBool>`no_show_at is not null`;
const overOutcomes: ReadonlySet<Outcome> = new Set(['came', 'unknown']);

/** With what an outcome implies, which costs less to find out. PostgreSQL takes few rows for many in `coalesce`, and follows the order of a page. */
export function withOutcome(outcome: Outcome): readonly Condition[] {
  if (outcome === 'no_show') return [isMarked, sql<SqlBool>`coalesce(outcome = ${outcome}, false)`];
  return [
    sql<SqlBool>`ended_at is ${overOutcomes.has(outcome) ? sql`not null` : sql`null`}`,
    sql<SqlBool>`outcome = ${outcome}`,
  ];
}
