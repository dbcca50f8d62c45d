// The bookings whose meetings start within a range, with what numbers are made of. The views compute all journeys there are; here an
// index finds the meetings of the range. As in the views, a rescheduled booking counts once: at the time it was moved to, and with the
// campaign and the time of its first booking.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { sql } from 'kysely';
import { isObject, textOf } from '#schemas/wire.ts';
import type { Store } from '#src/store/contract.ts';
import type { Sql, SqlDialect } from '#src/store/sql-dialect.ts';
import { attendanceOf, withoutEvidence } from '#src/store/views/attendance.ts';
import { movedOn, outcomeOf } from '#src/store/views/journeys.ts';

export interface NumbersRange {
  /** The first instant, and the first instant after the range. */
  readonly from: string;
  readonly to: string;
  readonly event_type?: string | undefined;
  /** One of the hosts of a meeting. */
  readonly host?: string | undefined;
}

export interface Host {
  readonly uri: string;
  /** As the meeting names them. */
  readonly name: string | null;
}

export interface BookingFacts {
  /** When the meeting starts in UTC: `2026-11-16T09:30`. */
  readonly minute: string;
  readonly outcome: string;
  /** Held, but nothing shows that the invitee came. */
  readonly isUnconfirmed: boolean;
  readonly eventType: string | null;
  /** Of the meeting; the event type may have another. */
  readonly name: string | null;
  readonly hosts: readonly Host[];
  readonly campaign: string | null;
  /** From the first booking to the start. */
  readonly leadSeconds: number | null;
  /** Of the invitee. */
  readonly zone: string | null;
}

/** In pages, in the order of the start; other work is done between pages, because SQLite reads on this thread. */
export async function* readBookings(
  { db, engine }: Pick<Store, 'db' | 'engine'>,
  range: NumbersRange,
): AsyncGenerator<readonly BookingFacts[]> {
  const hostsOf = hostReader();
  for await (const page of engine.stream(bookingsIn(engine.dialect, range).compile(db))) {
    yield page.map((row) => {
      const [minute, outcome, eventType, name, hosts, campaign, lead, zone, unconfirmed] = row;
      return {
        minute: String(minute),
        outcome: String(outcome),
        isUnconfirmed: Number(unconfirmed) === 1,
        eventType: textOf(eventType),
        name: textOf(name),
        hosts: hostsOf(textOf(hosts)),
        campaign: textOf(campaign),
        leadSeconds: lead === null ? null : Number(lead),
        zone: textOf(zone),
      };
    });
    await yieldToEventLoop();
  }
}

/** Many meetings have the same hosts: each list is parsed once, and each host counts once. */
function hostReader(): (json: string | null) => readonly Host[] {
  const known = new Map<string, readonly Host[]>();
  return (json) => {
    if (json === null) return [];
    const found = known.get(json) ?? hostsIn(JSON.parse(json));
    known.set(json, found);
    return found;
  };
}

function hostsIn(list: unknown): readonly Host[] {
  const hosts = (Array.isArray(list) ? list : []).flatMap((host: unknown) => {
    if (!isObject(host) || typeof host['user'] !== 'string') return [];
    return [{ uri: host['user'], name: typeof host['user_name'] === 'string' ? host['user_name'] : null }];
  });
  return [...new Map(hosts.map((host) => [host.uri, host])).values()];
}

/** Longer chains of reschedules are cut. */
const mostMoves = 32;

/** A value of the first mirrored booking of a chain of reschedules: `old_invitee` leads from one to the one before. */
const ofFirst = (column: string): Sql => sql`case when last.old_invitee <> '' then (
    with recursive back (value, old_invitee, steps) as (
      select ${sql.ref(column)}, old_invitee, 1 from invitees where uri = last.uri
      union all
      select ${sql.ref(`before.${column}`)}, before.old_invitee, steps + 1
      from back join invitees as before on before.uri = back.old_invitee
      where steps < ${sql.lit(mostMoves)}
    ) select value from back order by steps desc limit 1
  ) else ${sql.ref(`last.${column}`)} end`;

/** One row for each booking of the range that was not moved to another time and whose outcome is known. */
function bookingsIn(dialect: SqlDialect, { from, to, event_type: eventType, host }: NumbersRange): Sql {
  const { textAt, secondsBetween } = dialect;
  const conditions = [
    sql`last_event.start_time >= ${dialect.time(from)} and last_event.start_time < ${dialect.time(to)}`,
    sql`${movedOn} is not true`,
    sql`not exists (select 1 from invitees as later where later.old_invitee = last.uri and later.uri <> last.uri)`,
    ...(eventType === undefined ? [] : [sql`last_event.event_type = ${eventType}`]),
    ...(host === undefined ? [] : [dialect.hasUserAmong(sql`last_event.hosts`, sql`select ${host}`)]),
  ];
  const { attendance } = attendanceOf(dialect, { outcome: outcomeOf(dialect), from: 'stated', name: 'invitee_name' });
  return sql`select ${dialect.minute(sql`start_time`)}, ${outcomeOf(dialect)}, event_type, name, ${dialect.jsonText(sql`hosts`)},
      campaign, ${secondsBetween(sql`booked_at`, sql`start_time`)}, timezone, case when ${attendance} in (${withoutEvidence}) then 1 else 0 end
    from (
      select last_event.start_time, last_event.end_time, last_event.event_type, last_event.name, last_event.hosts, last.timezone,
        last_event.uri as event_uri, last.email, last.name as invitee_name, last.no_show_uri,
        ${ofFirst('utm_campaign')} as campaign, ${ofFirst('created_at')} as booked_at, last.no_show_at, false as moved_on,
        coalesce(last.canceler_type, ${textAt(sql`last_event.cancellation`, { name: 'canceler_type' })}) as canceler_type,
        ${secondsBetween(sql`last.canceled_at`, sql`last_event.start_time`)} as cancel_notice_seconds,
        (coalesce(last.status, '') = 'canceled' or coalesce(last_event.status, '') = 'canceled') as canceled
      from scheduled_events as last_event join invitees as last on last.event_uri = last_event.uri
      where ${sql.join(conditions, sql` and `)}
    ) as stated`;
}
