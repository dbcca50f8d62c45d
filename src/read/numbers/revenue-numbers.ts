// The successful payments of the bookings that were made within a range of days, by currency and day. As in the view `revenue`, a payment
// that moves with a rescheduled booking counts once, on the day of the first booking that carries it.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { sql } from 'kysely';
import { localClock } from '#src/base/time-zone.ts';
import { dayOf } from '#src/base/time.ts';
import { bookingSql } from '#src/store/bookings/booking-sql.ts';
import type { Store, StoreEngine } from '#src/store/contract.ts';
import type { Sql } from '#src/store/sql-dialect.ts';
import { rangeOf, type DayRange } from './day-range.ts';

/** Beyond it is no amount of money: one such number would swallow the others, or overflow. */
const largestAmount = 1e15;

export async function readRevenueNumbers(store: Store, query: DayRange, nowMs: number) {
  const { db, engine } = store;
  const { timezone = store.settings.reportTimezone } = query;
  const { from, to, instants } = rangeOf({ ...query, timezone }, nowMs);
  const clock = localClock(timezone);
  const currencies = new Map<string, Map<string, { payments: number; amount: number }>>();
  const seen = new Set<string>();
  for await (const page of engine.stream(paymentsIn(engine, { ...query, ...instants }).compile(db))) {
    for (const [minute, currency, amount, provider, id] of page) {
      const identity = `${String(provider)} ${String(id)}`;
      if (id !== '' && seen.has(identity)) continue;
      seen.add(identity);
      const days = currencies.get(String(currency)) ?? new Map<string, { payments: number; amount: number }>();
      currencies.set(String(currency), days);
      const ms = Date.parse(`${String(minute)}:00Z`);
      const date = dayOf(clock?.(ms) ?? ms);
      const day = days.get(date) ?? { payments: 0, amount: 0 };
      days.set(date, day);
      day.payments += 1;
      day.amount += Math.abs(Number(amount)) < largestAmount ? Number(amount) : 0;
    }
    // SQLite reads on this thread.
    await yieldToEventLoop();
  }
  const records = [...currencies].map(([currency, byDay]) => {
    const days = [...byDay].map(([day, { payments, amount }]) => ({ day, payments, amount: rounded(amount) }));
    return {
      currency: currency || null,
      payments: days.reduce((sum, { payments }) => sum + payments, 0),
      amount: rounded(days.reduce((sum, { amount }) => sum + amount, 0)),
      days: days.toSorted((a, b) => (a.day < b.day ? -1 : 1)),
    };
  });
  return {
    from,
    to,
    timezone,
    currencies: records.toSorted(
      (a, b) => b.payments - a.payments || (String(a.currency) < String(b.currency) ? -1 : 1),
    ),
  };
}

/** Without what adding binary fractions leaves behind. */
const rounded = (amount: number): number => Math.round(amount * 10_000) / 10_000;

const samePayment = sql.join(
  ['payment_provider', 'payment_external_id'].map(
    (name) => sql`coalesce(${sql.ref(`earlier.${name}`)}, '') = coalesce(${sql.ref(`paid.${name}`)}, '')`,
  ),
  sql` and `,
);

/** Oldest first. */
function paymentsIn(
  { name: engine, dialect }: StoreEngine,
  {
    from,
    to,
    event_type: eventType,
    host,
  }: Pick<DayRange, 'event_type' | 'host'> & Readonly<Record<'from' | 'to', string>>,
): Sql {
  const [uri, uriOfEarlier] = [dialect.bytes(sql`paid.uri`), dialect.bytes(sql`earlier.uri`)];
  const conditions = [
    sql`paid.payment_successful is true`,
    sql`paid.created_at >= ${dialect.time(from)} and paid.created_at < ${dialect.time(to)}`,
    // Only rescheduled bookings have several invitees.
    sql`not exists (select 1 from ${sql.table('followed_invitees')} as own
      join ${sql.table('followed_invitees')} as other on other.journey_uri = own.journey_uri
      join ${sql.table('invitees')} as earlier on earlier.uri = other.invitee_uri
      where own.invitee_uri = paid.uri and earlier.payment_successful is true and ${samePayment}
        and (earlier.created_at < paid.created_at or (earlier.created_at = paid.created_at and ${uriOfEarlier} < ${uri})))`,
    ...(eventType === undefined ? [] : [sql`scheduled_events.event_type = ${eventType}`]),
    ...(host === undefined ? [] : [dialect.hasUserAmong(sql`scheduled_events.hosts`, sql`select ${host}`)]),
  ];
  return sql`select ${bookingSql[engine].minute(sql`paid.created_at`)}, coalesce(paid.payment_currency, ''), paid.payment_amount,
      coalesce(paid.payment_provider, ''), coalesce(paid.payment_external_id, '')
    from ${sql.table('invitees')} as paid left join ${sql.table('scheduled_events')} on scheduled_events.uri = paid.event_uri
    where ${sql.join(conditions, sql` and `)}
    order by paid.created_at, ${uri}`;
}
