// The bookings that were made, canceled or marked as a no-show since a time.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Readable } from '#src/store/contract.ts';

const factTimes = ['created_at', 'canceled_at', 'no_show_at'] as const;
const bookingsPerPage = 1_000;

/** It reads all, without an index. */
export async function recentBookings({ db }: Readable, since: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (let after: string | undefined = ''; after !== undefined;) {
    const rows: readonly Record<'uri' | (typeof factTimes)[number], string | null>[] = await db
      .selectFrom('invitees')
      .select(['uri', ...factTimes])
      .where('uri', '>', after)
      .orderBy('uri')
      .limit(bookingsPerPage)
      .execute();
    const recent = rows.filter((row) => factTimes.some((name) => (row[name] ?? '') >= since));
    found.push(...recent.map(({ uri }) => String(uri)));
    after = rows.length < bookingsPerPage ? undefined : (rows.at(-1)?.uri ?? undefined);
    await yieldToEventLoop();
  }
  return found;
}
