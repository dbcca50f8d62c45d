// Counts the deliveries of a period in the index of their times.
import { sql } from 'kysely';
import type { EventKind } from '#schemas/events.ts';
import { instantOf } from '#src/base/time.ts';
import type { Readable } from '#src/store/contract.ts';
import { isUnprojected } from '#src/store/log/read.ts';

/** Deliveries of all kinds, and those of the kinds that people count. */
export interface DeliveryCounts {
  readonly deliveries: number;
  readonly bookings: number;
  readonly cancellations: number;
  readonly no_shows: number;
}

/** After the newest. With an end, SQLite searches the index of times; without one it would read all kinds from their index. */
const noEndMs = Date.parse('9999-12-31T00:00:00Z');

/** `toMs` is exclusive; without it, up to the newest. */
export async function countDeliveriesOf(
  { db, engine: { dialect } }: Readable,
  { fromMs, toMs = noEndMs }: { readonly fromMs: number; readonly toMs?: number },
): Promise<DeliveryCounts> {
  const { rows } = await sql<{ event: string | null; deliveries: number | string; unprojected: number | string }>`
    select event, count(*) as deliveries, count(case when ${isUnprojected} then 1 end) as unprojected from ${sql.table('event_log')}
    where received_at >= ${dialect.time(instantOf(fromMs))} and received_at < ${dialect.time(instantOf(toMs))}
      and source = 'webhook' group by event`.execute(db);
  /** What is in quarantine booked nothing yet. */
  const applied = (kind: EventKind): number => {
    const row = rows.find(({ event }) => event === kind);
    return row === undefined ? 0 : Number(row.deliveries) - Number(row.unprojected);
  };
  return {
    deliveries: rows.reduce((sum, { deliveries }) => sum + Number(deliveries), 0),
    bookings: applied('invitee.created'),
    cancellations: applied('invitee.canceled'),
    no_shows: applied('invitee_no_show.created'),
  };
}

export async function firstReceivedMs({ db }: Readable): Promise<number | undefined> {
  const row = await db.selectFrom('event_log').select('received_at').orderBy('seq').limit(1).executeTakeFirst();
  return row && Date.parse(row.received_at);
}
