// The conditions by which bookings are searched that the grammar of /api/tables cannot say, and what an outcome implies.
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { activeOutcomes, canceledOutcomes, type Outcome } from '#src/store/bookings/words.ts';
import { containsText, type SqlDialect } from '#src/store/sql-dialect.ts';
import { isUnconfirmed } from './needs-attention.ts';

type Condition = RawBuilder<SqlBool>;

export interface BookingSearch {
  /** Canceled by anyone, at any time; or neither canceled nor moved. */
  readonly status?: 'active' | 'canceled' | undefined;
  /** Any of the hosts. */
  readonly host?: string | undefined;
  /** Whole, in any letter case. */
  readonly email?: string | undefined;
  /** A part of the name or the e-mail address; the letters A to Z in any case. */
  readonly q?: string | undefined;
  /** Ended since this time, and nothing shows that the invitee came. */
  readonly unconfirmedSince?: string | undefined;
}

/** `invitees`: those whose bookings are searched; an address is looked up before. */
export function bookingConditions(
  dialect: SqlDialect,
  {
    status,
    host,
    q,
    unconfirmedSince,
    invitees,
  }: BookingSearch & { readonly invitees?: readonly string[] | undefined },
): readonly Condition[] {
  const contains = (column: string) => containsText(dialect, `bookings.${column}`, q ?? '');
  const listed = sql.join((status === 'canceled' ? canceledOutcomes : activeOutcomes).map((word) => sql.lit(word)));
  return [
    ...(status === undefined ? [] : [sql<SqlBool>`outcome in (${listed})`]),
    ...(unconfirmedSince === undefined ? [] : [isUnconfirmed(dialect, unconfirmedSince)]),
    ...(host === undefined ? [] : [dialect.hasUserAmong(sql`hosts`, sql`select ${host}`)]),
    ...(invitees === undefined ? [] : [sql<SqlBool>`last_invitee in (${dialect.values(invitees)})`]),
    ...(q === undefined ? [] : [sql<SqlBool>`(${contains('invitee_name')} or ${contains('invitee_email')})`]),
  ];
}

/** An index has the few invitees with a mark. */
export const isMarked = sql<SqlBool>`no_show_at is not null`;
const overOutcomes: ReadonlySet<Outcome> = new Set(['came', 'unknown']);

/** With what an outcome implies, which costs less to find out. PostgreSQL takes few rows for many in `coalesce`, and follows the order of a page. */
export function withOutcome(outcome: Outcome): readonly Condition[] {
  if (outcome === 'no_show') return [isMarked, sql<SqlBool>`coalesce(outcome = ${outcome}, false)`];
  return [
    sql<SqlBool>`ended_at is ${overOutcomes.has(outcome) ? sql`not null` : sql`null`}`,
    sql<SqlBool>`outcome = ${outcome}`,
  ];
}
