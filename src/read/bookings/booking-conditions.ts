// The conditions by which journeys of bookings are searched, and the same on one invitee, which find candidates without computing
// journeys.
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { instantOf } from '#src/base/time.ts';
import type { Store } from '#src/store/contract.ts';
import { containsText, emailAmong, lowerCaseEmail, type SqlDialect } from '#src/store/sql-dialect.ts';
import { attendanceOfJourney, withoutEvidence, type Attendance } from '#src/store/views/attendance.ts';
import { longestMeetingMs } from './needs-attention.ts';

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

/** On the columns of `journeys`. */
export function journeyConditions(dialect: SqlDialect, search: BookingSearch): readonly Condition[] {
  const { status, outcome, attendance, unconfirmedSince } = search;
  const attended = attendanceOfJourney(dialect).attendance;
  const canceled = sql`'canceled_by_host', 'canceled_by_invitee', 'late_cancellation', 'canceled'`;
  return [
    ...(outcome === undefined ? [] : [sql<SqlBool>`outcome = ${outcome}`]),
    ...(attendance === undefined ? [] : [sql<SqlBool>`${attended} = ${attendance}`]),
    ...(status === undefined
      ? []
      : [sql<SqlBool>`outcome in (${status === 'canceled' ? canceled : sql`'upcoming', 'held', 'no_show'`})`]),
    ...(unconfirmedSince === undefined
      ? []
      : [
          sql<SqlBool>`outcome = 'held' and coalesce(end_time, start_time) >= ${dialect.time(unconfirmedSince)}`,
          sql<SqlBool>`${attended} in (${withoutEvidence})`,
        ]),
    ...valueConditions(dialect, search, {
      hosts: 'journeys.hosts',
      type: 'journeys.event_type',
      start: 'journeys.start_time',
      email: 'journeys.invitee_email',
      name: 'journeys.invitee_name',
      campaign: 'journeys.utm_campaign',
    }),
  ];
}

const decidedByRecap: ReadonlySet<Attendance> = new Set(['confirmed', 'likely', 'suspected_no_show']);

/** Invitees whose journey may match, on the columns of `invitees`: those that were moved, and those that match themselves. */
export function candidateCondition(dialect: SqlDialect, search: BookingSearch): Condition {
  const { attendance, host, event_type, min_start_time, max_start_time, email, q, utm_campaign } = search;
  const columns = {
    hosts: 'scheduled_events.hosts',
    type: 'scheduled_events.event_type',
    start: 'scheduled_events.start_time',
    email: 'invitees.email',
    name: 'invitees.name',
    campaign: 'invitees.utm_campaign',
  };
  const isHeld = (attendance ?? 'no_show') !== 'no_show' || search.outcome === 'held';
  const meeting = [
    ...valueConditions(dialect, { host, event_type, min_start_time, max_start_time }, columns),
    // The newest bookings are upcoming ones.
    ...(isHeld
      ? [sql<SqlBool>`coalesce(scheduled_events.end_time, scheduled_events.start_time) <= ${dialect.now}`]
      : []),
  ];
  const matches = [
    ...([search.outcome, search.attendance].includes('no_show') ? [sql<SqlBool>`invitees.no_show_at is not null`] : []),
    ...(attendance !== undefined && decidedByRecap.has(attendance)
      ? [sql<SqlBool>`exists (select 1 from meeting_recaps where meeting_recaps.event_uri = invitees.event_uri)`]
      : []),
    ...valueConditions(dialect, { email, q, utm_campaign }, columns),
    // The offset keeps PostgreSQL from reading all meetings to join them with a few invitees.
    ...(meeting.length === 0
      ? []
      : [
          sql<SqlBool>`exists (select 1 from scheduled_events where scheduled_events.uri = invitees.event_uri
            and ${sql.join(meeting, sql` and `)} limit 1 offset 0)`,
        ]),
  ];
  if (matches.length === 0) return sql<SqlBool>`1 = 1`;
  const moved = isHeld ? sql`${isMoved} and not ${isMovedToUpcoming(dialect)}` : isMoved;
  return sql<SqlBool>`((${sql.join(matches, sql` and `)}) or (${moved}))`;
}

const isNamedIn = (column: string, table = 'invitees') =>
  sql`exists (select 1 from invitees as linked where ${sql.ref(`linked.${column}`)} = ${sql.ref(`${table}.uri`)})`;

const isMoved = sql`(invitees.old_invitee is not null or invitees.new_invitee is not null
    or ${isNamedIn('old_invitee')} or ${isNamedIn('new_invitee')})`;

/** Whether it was rescheduled once, to a meeting that is still to come: the usual reschedule, whose journey is not over. */
const isMovedToUpcoming = ({ now }: SqlDialect): Condition => sql<SqlBool>`exists (
    select 1 from invitees as later join scheduled_events on scheduled_events.uri = later.event_uri
    where later.uri = invitees.new_invitee and later.uri <> invitees.uri and later.new_invitee is null
      and coalesce(scheduled_events.end_time, scheduled_events.start_time) > ${now}
      and not ${isNamedIn('old_invitee', 'later')}
      and not exists (select 1 from invitees as other where other.old_invitee = invitees.uri and other.uri <> later.uri)
      limit 1 offset 0)`;

/**
 * A journey has its place in the list by its first booking, so the booking after it need not be examined. Of longer chains, and of
 * links that contradict each other, all are.
 */
export const mayBeFirst = sql<SqlBool>`(invitees.old_invitee is null or not exists (select 1 from invitees as first
    where first.uri = invitees.old_invitee and first.uri <> invitees.uri and first.old_invitee is null
      and not ${isNamedIn('new_invitee', 'first')}))`;

type ComparedColumns = Readonly<Record<'hosts' | 'type' | 'start' | 'email' | 'name' | 'campaign', string>>;

function valueConditions(dialect: SqlDialect, search: BookingSearch, columns: ComparedColumns): readonly Condition[] {
  const { host, event_type: type, email, q, utm_campaign: campaign, min_start_time: min, max_start_time: max } = search;
  const [hosts, start] = [sql.ref(columns.hosts), sql.ref(columns.start)];
  const contains = (column: string) => containsText(dialect, column, q ?? '');
  return [
    ...(type === undefined ? [] : [sql<SqlBool>`${sql.ref(columns.type)} = ${type}`]),
    ...(campaign === undefined ? [] : [sql<SqlBool>`${sql.ref(columns.campaign)} = ${campaign}`]),
    ...(min === undefined ? [] : [sql<SqlBool>`${start} >= ${dialect.time(min)}`]),
    ...(max === undefined ? [] : [sql<SqlBool>`${start} <= ${dialect.time(max)}`]),
    ...(email === undefined ? [] : [sql<SqlBool>`${dialect.lowerCase(columns.email)} = ${lowerCaseEmail(email)}`]),
    ...(host === undefined ? [] : [dialect.hasUserAmong(hosts, sql`select ${host}`)]),
    ...(q === undefined ? [] : [sql<SqlBool>`(${contains(columns.name)} or ${contains(columns.email)})`]),
  ];
}

/** Every candidate where an index on addresses or start times finds them and they are at most so many. */
export async function indexedCandidates(
  { db, engine: { dialect } }: Pick<Store, 'db' | 'engine'>,
  search: BookingSearch,
  most: number,
): Promise<readonly string[] | undefined> {
  const { email, outcome, unconfirmedSince } = search;
  const isCandidate = candidateCondition(dialect, search);
  const few = (uris: readonly string[]) => (uris.length > most ? undefined : uris);
  if (email !== undefined) {
    const found: string[] = [];
    for (const isTheirs of emailAmong(dialect, [lowerCaseEmail(email)])) {
      const rows = await db
        .selectFrom('invitees')
        .select('uri')
        .where(isTheirs)
        .limit(most + 1)
        .execute();
      found.push(...rows.map(({ uri }) => uri));
    }
    return few(found);
  }
  // A meeting is upcoming until its end.
  const now = instantOf(Date.now());
  const endAfter = unconfirmedSince ?? (outcome === 'upcoming' ? now : undefined);
  const from = search.min_start_time ?? (endAfter && instantOf(Date.parse(endAfter) - longestMeetingMs));
  const to = search.max_start_time ?? (unconfirmedSince && now);
  const bounds = [
    ...(from === undefined ? [] : [sql`start_time >= ${dialect.time(from)}`]),
    ...(to === undefined ? [] : [sql`start_time <= ${dialect.time(to)}`]),
  ];
  if (bounds.length === 0) return undefined;
  const { rows } = await sql<{ uri: string }>`select invitees.uri from scheduled_events
    join invitees on invitees.event_uri = scheduled_events.uri
    where ${sql.join(bounds, sql` and `)} and ${isCandidate} limit ${most + 1}`.execute(db);
  return few(rows.map(({ uri }) => uri));
}
