// The bookings whose meetings start within a range, with what numbers are made of. They are added up here and not in the database, which
// takes as long on PostgreSQL, longer on SQLite, and there would keep this thread from other work.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { sql } from 'kysely';
import { isObject, textOf } from '#schemas/wire.ts';
import { outcomeOf } from '#src/store/bookings/booking-rows.ts';
import { withoutEvidence } from '#src/store/bookings/evidence.ts';
import type { Store } from '#src/store/contract.ts';
import type { Sql } from '#src/store/sql-dialect.ts';

export interface BookingSelection {
  /** The first instant of the starts, and the first instant after them. */
  readonly from: string;
  readonly to: string;
  /** About a row of `bookings`. */
  readonly where: readonly Sql[];
}

export interface BookingFacts {
  /** When the meeting starts in UTC: `2026-11-16T09:30`. */
  readonly minute: string;
  readonly outcome: string;
  /** Held, but nothing shows that the invitee came. */
  readonly isUnconfirmed: boolean;
  readonly eventType: string | null;
  /** Of the meeting; the event type may have another. */
  readonly eventName: string | null;
  readonly hosts: readonly Host[];
  readonly campaign: string | null;
  /** From the first booking to the start. */
  readonly leadSeconds: number | null;
  readonly hostZone: string | null;
  readonly inviteeZone: string | null;
}

interface Host {
  readonly uri: string;
  /** As the meeting names them. */
  readonly name: string | null;
}

/** In pages; other work is done between pages, because SQLite reads on this thread. */
export async function* readBookingFacts(
  { db, engine }: Pick<Store, 'db' | 'engine'>,
  { from, to, where }: BookingSelection,
): AsyncGenerator<readonly BookingFacts[]> {
  const { dialect } = engine;
  const inRange = sql`start_time >= ${dialect.time(from)} and start_time < ${dialect.time(to)}`;
  const query = sql`select ${dialect.minute(sql`start_time`)}, ${outcomeOf(dialect)}, case when evidence in (${withoutEvidence}) then 1 end,
      event_type, event_name, ${dialect.jsonText(sql`hosts`)}, utm_campaign,
      ${dialect.secondsBetween(sql`booked_at`, sql`start_time`)}, users.timezone, invitee_timezone
    from bookings left join users on users.uri = bookings.host
    where ${sql.join([inRange, ...where], sql` and `)}`;
  // Many meetings have the same hosts.
  const hostLists = new Map<unknown, readonly Host[]>();
  for await (const page of engine.stream(query.compile(db))) {
    yield page.map(([minute, outcome, unconfirmed, type, name, list, campaign, lead, hostZone, inviteeZone]) => {
      const hosts = hostLists.get(list) ?? hostsIn(list);
      hostLists.set(list, hosts);
      return {
        minute: String(minute),
        outcome: String(outcome),
        isUnconfirmed: outcome === 'held' && unconfirmed !== null,
        eventType: textOf(type),
        eventName: textOf(name),
        hosts,
        campaign: textOf(campaign),
        leadSeconds: lead === null ? null : Number(lead),
        hostZone: textOf(hostZone),
        inviteeZone: textOf(inviteeZone),
      };
    });
    await yieldToEventLoop();
  }
}

/** Each once. */
function hostsIn(json: unknown): readonly Host[] {
  const list: unknown = typeof json === 'string' ? JSON.parse(json) : [];
  const hosts = (Array.isArray(list) ? list : []).flatMap((host: unknown) =>
    isObject(host) && typeof host['user'] === 'string' ? [{ uri: host['user'], name: textOf(host['user_name']) }] : [],
  );
  return [...new Map(hosts.map((host) => [host.uri, host])).values()];
}
