// The payments of a range of days, by currency and day: columns of the view `payments`.
import { sql } from 'kysely';
import type { ReadableMirror } from '#src/store/contract.ts';
import { ofMeetings, type NumbersQuery } from './booking-numbers.ts';
import { rangeOf } from './day-range.ts';

interface PaidDay {
  readonly day: string;
  readonly payments: number;
  readonly amount: number;
}

export type RevenueNumbers = Awaited<ReturnType<typeof readRevenueNumbers>>;

export async function readRevenueNumbers(store: ReadableMirror, query: NumbersQuery, nowMs: number) {
  const { db } = store;
  const { instants: _instants, ...range } = rangeOf(store.settings.reportTimezone, query, nowMs);
  const where = [sql`day >= ${range.from} and day <= ${range.to}`, ...ofMeetings(store, query)];
  const { rows } = await sql<{ currency: string } & Readonly<Record<keyof PaidDay, unknown>>>`
    select currency, cast(day as text) as day, count(*) as payments, sum(amount) as amount from ${sql.table('payments')}
    where ${sql.join(where, sql` and `)} group by currency, day order by day`.execute(db);
  const currencies = [...Map.groupBy(rows, ({ currency }) => currency)].map(([currency, paid]) => {
    const days = paid.map(({ day, payments, amount }): PaidDay => ({
      day: String(day),
      payments: Number(payments),
      amount: rounded(Number(amount)),
    }));
    return {
      currency: currency || null,
      payments: days.reduce((sum, { payments }) => sum + payments, 0),
      amount: rounded(days.reduce((sum, { amount }) => sum + amount, 0)),
      days,
    };
  });
  return {
    ...range,
    currencies: currencies.toSorted(
      (a, b) => b.payments - a.payments || (String(a.currency) < String(b.currency) ? -1 : 1),
    ),
  };
}

/** Without what adding binary fractions leaves behind. */
const rounded = (amount: number): number => Math.round(amount * 10_000) / 10_000;
