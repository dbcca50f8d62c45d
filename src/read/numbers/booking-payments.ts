// The successful payments of the bookings that were made within a range. As in the view `revenue`, a payment that moves with a
// rescheduled booking counts once, on the day of the first booking that carries it.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { sql, type RawBuilder } from 'kysely';
import type { NumbersRange } from './booking-facts.ts';
import type { Store } from '#src/store/contract.ts';
import { largestAmount, type SqlDialect } from '#src/store/sql-dialect.ts';

export interface Payment {
  /** When it was booked in UTC: `2026-11-16T09:30`. */
  readonly minute: string;
  readonly currency: string;
  readonly amount: number;
}

/** In pages; other work is done between pages, because SQLite reads on this thread. */
export async function* readPayments(
  { db, engine }: Pick<Store, 'db' | 'engine'>,
  range: NumbersRange,
): AsyncGenerator<readonly Payment[]> {
  const seen = new Set<string>();
  for await (const page of engine.stream(paymentsIn(engine.dialect, range).compile(db))) {
    const payments: Payment[] = [];
    for (const [minute, currency, amount, provider, id] of page) {
      const identity = `${String(provider)} ${String(id)}`;
      if (id !== '' && seen.has(identity)) continue;
      seen.add(identity);
      const value = Number(amount ?? 0);
      payments.push({
        minute: String(minute),
        currency: String(currency),
        amount: Math.abs(value) < largestAmount ? value : 0,
      });
    }
    yield payments;
    await yieldToEventLoop();
  }
}

const identified = (table: string): RawBuilder<unknown> =>
  sql`coalesce(${sql.ref(`${table}.payment_external_id`)}, '')`;
const provided = (table: string): RawBuilder<unknown> => sql`coalesce(${sql.ref(`${table}.payment_provider`)}, '')`;

/** Oldest first. Without an identifier, the payment of a rescheduled booking is that of the booking before. */
function paymentsIn(dialect: SqlDialect, { from, to, event_type: eventType, host }: NumbersRange): RawBuilder<unknown> {
  const conditions = [
    sql`paid.payment_successful is true`,
    sql`paid.created_at >= ${dialect.time(from)} and paid.created_at < ${dialect.time(to)}`,
    sql`not exists (select 1 from invitees as before
      where before.uri = paid.old_invitee and before.uri <> paid.uri and before.payment_successful is true
        and ${identified('before')} = ${identified('paid')} and ${provided('before')} = ${provided('paid')})`,
    ...(eventType === undefined ? [] : [sql`scheduled_events.event_type = ${eventType}`]),
    ...(host === undefined ? [] : [dialect.hasUserAmong(sql`scheduled_events.hosts`, sql`select ${host}`)]),
  ];
  return sql`select ${dialect.minute(sql`paid.created_at`)}, coalesce(paid.payment_currency, ''), paid.payment_amount,
      ${provided('paid')}, ${identified('paid')}
    from invitees as paid left join scheduled_events on scheduled_events.uri = paid.event_uri
    where ${sql.join(conditions, sql` and `)}
    order by paid.created_at, ${dialect.bytes(sql`paid.uri`)}`;
}
