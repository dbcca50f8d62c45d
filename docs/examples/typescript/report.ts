// Reports a month of bookings: how they ended, what was paid, and whom to write to. Run it with Node 24:
//   SLOTSTREAM_URL=http://127.0.0.1:8081 SLOTSTREAM_TOKEN=… node report.ts 2026-11-01 2026-12-01
import { createClient } from 'slotstream/client';

export async function report(mirror: { url: string; token: string }, from: string, until: string): Promise<string> {
  const { rows, count } = createClient(mirror);
  const month = { start_time: { gte: from, lt: until } };
  const lines = [`Bookings from ${from} until ${until}: ${await count('bookings', { where: month })}`];

  const outcomes = rows('bookings', { where: month, select: ['outcome', 'count()'], order: ['count.desc', 'outcome'] });
  for await (const each of outcomes) lines.push(`  ${each.outcome}: ${each.count}`);

  const paid = { ...month, payment_successful: true };
  const sums = rows('bookings', { where: paid, select: ['payment_currency', 'sum(payment_amount)'] });
  for await (const { payment_currency, sum_payment_amount } of sums)
    lines.push(`Paid: ${sum_payment_amount} ${payment_currency}`);

  // Who missed a meeting, or canceled late.
  const toWrite = rows('bookings', {
    where: { ...month, outcome: ['no_show', 'late_cancellation'] },
    select: ['start_time', 'invitee_name', 'invitee_email', 'outcome'],
    order: ['start_time'],
  });
  for await (const { start_time, invitee_name, invitee_email, outcome } of toWrite)
    lines.push(`${start_time?.slice(0, 10)} ${invitee_name} <${invitee_email}>: ${outcome}`);
  return lines.join('\n');
}

const { SLOTSTREAM_URL: url, SLOTSTREAM_TOKEN: token } = process.env;
const [from, until] = process.argv.slice(2);
if (import.meta.main && url && token && from && until)
  process.stdout.write(`${await report({ url, token }, from, until)}\n`);
