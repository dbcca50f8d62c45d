// No-show marks as a worklist, page by page: the open ones, or those that were removed, each with what a person needs to act on it.
import { sql, type SqlBool } from 'kysely';
import { idOf } from '#schemas/wire.ts';
import { zonedSpan } from '#src/base/zoned-time.ts';
import { alertsAbout, type Alert } from '#src/store/alerts/alert-rows.ts';
import type { Readable } from '#src/store/contract.ts';
import type { StoredRow } from '#src/store/rows.ts';
import { containsText } from '#src/store/sql-dialect.ts';
import type { OrderTerm } from '#src/read/tables/question.ts';
import { relationNamed } from '#src/read/tables/relation.ts';
import { readRows, type PageOfRows, type RowsFound } from '#src/read/tables/rows.ts';
import { loadBookingContexts, noShowsUpTo, type BookingContext } from './booking-context.ts';
import { hostsOf } from './hosts.ts';
import { inviteeConditions, type InviteeSearch } from './meetings.ts';

export interface NoShowSearch extends Pick<InviteeSearch, 'user' | 'event_type' | 'min_start_time' | 'max_start_time'> {
  /** Only the marks that were removed. */
  readonly isUndone: boolean;
  /** A part of the name or of the e-mail address. */
  readonly q?: string | undefined;
}

export type NoShow = ReturnType<typeof noShowOf>;

export interface NoShowsFound extends Omit<RowsFound, 'rows'> {
  readonly rows: readonly NoShow[];
}

/** Open ones are only of bookings that were neither canceled nor rescheduled. Why there are none is said by `readRows`. */
export async function findNoShows(
  store: Readable,
  { isUndone, q, ...booking }: NoShowSearch,
  { order, page }: { readonly order: readonly OrderTerm[]; readonly page: PageOfRows },
): Promise<NoShowsFound | 'too many' | 'other order'> {
  const { dialect } = store.engine;
  const relation = await relationNamed(store, 'no_shows');
  const current = sql<SqlBool>`exists (select 1 from ${sql.table('bookings')}
    where bookings.last_invitee = invitees.uri and bookings.outcome = 'no_show')`;
  const conditions = [
    ...(isUndone ? [] : [current]),
    ...inviteeConditions(store.engine, booking),
    ...(q === undefined
      ? []
      : [
          sql<SqlBool>`(${containsText(dialect, 'invitees.name', q)} or ${containsText(dialect, 'invitees.email', q)})`,
        ]),
    sql<SqlBool>`invitees.uri = no_shows.invitee_uri`,
  ];
  // The offset keeps PostgreSQL from joining all bookings first: few marks are examined for a page.
  const also = [
    sql<SqlBool>`exists (select 1 from ${sql.table('invitees')} where ${sql.join(conditions, sql` and `)} limit 1 offset 0)`,
  ];
  const question = {
    where: [{ column: 'unmarked_at', isNegated: isUndone, operator: 'is', value: null } as const],
    select: Object.keys(relation.columns).map((name) => ({ name, column: name, aggregate: undefined })),
    isGrouped: false,
    order,
    limit: undefined,
  };
  const found = await readRows(store, relation, { question, page: { ...page, also } });
  return typeof found === 'string' ? found : { ...found, rows: await noShowsOf(store, found.rows.map(markOf)) };
}

interface Mark {
  readonly invitee: string;
  readonly uri: string;
  readonly markedAt: string;
  readonly unmarkedAt: string | null;
}

const markOf = (row: StoredRow): Mark => ({
  invitee: String(row['invitee_uri']),
  uri: String(row['no_show_uri']),
  markedAt: String(row['marked_at']),
  unmarkedAt: row['unmarked_at'] === null ? null : String(row['unmarked_at']),
});

async function noShowsOf(store: Readable, marks: readonly Mark[]): Promise<readonly NoShow[]> {
  const invitees = marks.map(({ invitee }) => invitee);
  const contexts = await loadBookingContexts(store, invitees);
  const alerts = Map.groupBy(await alertsAbout(store, invitees), ({ fact }) => fact);
  return marks.map((mark) => noShowOf(mark, contexts.get(mark.invitee), alerts.get(mark.uri) ?? []));
}

/** Without a context, the person was erased. */
function noShowOf(mark: Mark, context: BookingContext | undefined, alerts: readonly Alert[]) {
  const { invitee, event, eventTypeName = null, hostTimezone = null, contact } = context ?? {};
  const { start_time = null, end_time = null } = event ?? {};
  const timeIn = (zone: string | null) => (start_time === null ? null : zonedSpan(start_time, end_time, zone));
  const names = [invitee?.first_name, invitee?.last_name].filter(Boolean).join(' ');
  // The mark itself counts, while it is open.
  const marks = context
    ? noShowsUpTo({ inviteeUri: mark.invitee, noShowUri: mark.uri, markedAt: mark.markedAt }, context)
    : 0;
  return {
    /** Of the booking in the addresses of pages. */
    uuid: idOf(mark.invitee),
    invitee_uri: mark.invitee,
    no_show_uri: mark.uri,
    marked_at: mark.markedAt,
    unmarked_at: mark.unmarkedAt,
    name: invitee?.name || names || null,
    email: invitee?.email ?? null,
    /** Of the contact with this address. */
    company: contact?.row.company ?? null,
    event_name: eventTypeName ?? event?.name ?? null,
    hosts: hostsOf({ event }).flatMap(({ name, email }) => name ?? email ?? []),
    /** When the meeting was, in the time zone of the first host; in UTC when that is unknown. */
    host_time: timeIn(hostTimezone),
    invitee_time: timeIn(invitee?.timezone ?? null),
    reschedule_url: invitee?.reschedule_url ?? null,
    /** Other open marks of this person that are older. */
    missed_before: Math.max(0, marks - (mark.unmarkedAt === null ? 1 : 0)),
    alerts,
  };
}
