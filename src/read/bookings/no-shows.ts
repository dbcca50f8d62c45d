// No-show marks, page by page: the open ones, or those that were removed.
import { sql, type SqlBool } from 'kysely';
import type { Readable } from '#src/store/contract.ts';
import type { PageRequest } from '#src/store/keyset.ts';
import { findRows, tableRows } from '#src/store/record-search.ts';
import { containsText } from '#src/store/sql-dialect.ts';
import { inviteeConditions, type InviteeSearch } from './meetings.ts';

export interface NoShowSearch extends Pick<InviteeSearch, 'user' | 'event_type' | 'min_start_time' | 'max_start_time'> {
  readonly state: 'open' | 'undone';
  /** A part of the name or of the e-mail address. */
  readonly q?: string | undefined;
}

/** Newest first. Open ones are only of bookings that were neither canceled nor rescheduled. */
export function findNoShows(store: Readable, { state, q, ...booking }: NoShowSearch, page: PageRequest) {
  const { dialect } = store.engine;
  const current = sql<SqlBool>`exists (select 1 from ${sql.table('bookings')}
    where bookings.last_invitee = invitees.uri and bookings.outcome = 'no_show')`;
  const conditions = [
    ...(state === 'open' ? [current] : []),
    ...inviteeConditions(store.engine, booking),
    ...(q === undefined
      ? []
      : [
          sql<SqlBool>`(${containsText(dialect, 'invitees.name', q)} or ${containsText(dialect, 'invitees.email', q)})`,
        ]),
    sql<SqlBool>`invitees.uri = no_shows.invitee_uri`,
  ];
  const where = [
    state === 'open' ? sql<SqlBool>`unmarked_at is null` : sql<SqlBool>`unmarked_at is not null`,
    // The offset keeps PostgreSQL from joining all bookings first: few marks are examined for a page.
    sql<SqlBool>`exists (select 1 from ${sql.table('invitees')} where ${sql.join(conditions, sql` and `)} limit 1 offset 0)`,
  ];
  return findRows(store, tableRows('no_shows'), { order: 'marked_at', id: 'invitee_uri', page, where });
}
