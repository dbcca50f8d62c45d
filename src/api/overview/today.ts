// The deliveries of today against those of the same weekday a week ago, up to the same time of day, and those of each of the last 24 hours.
import { localClock, startOfDay } from '#src/base/time-zone.ts';
import { dayMs, dayOf, hourMs, instantOf, minuteMs } from '#src/base/time.ts';
import type { Store } from '#src/store/contract.ts';
import { deliveryCounter, none, type Period } from '#src/store/log/delivery-counts.ts';

const weekMs = 7 * dayMs;
const shownHours = 24;

export async function readToday(
  store: Store,
  { nowMs, timezone }: { readonly nowMs: number; readonly timezone: string },
) {
  const counter = deliveryCounter(store, () => nowMs);
  const dayAt = (ms: number): string => dayOf(localClock(timezone)?.(ms) ?? ms);
  const fromMs = startOfDay(dayAt(nowMs), timezone);
  const firstMs = await firstReceivedMs(store);
  // To the minute, so that the offset of the time is searched once per minute.
  const sameTimeMs = Math.floor((nowMs - weekMs) / minuteMs) * minuteMs;
  const lastWeekMs = startOfDay(dayAt(nowMs - weekMs), timezone);
  const hasLastWeek = firstMs !== undefined && firstMs <= lastWeekMs;
  const firstHourMs = Math.floor(nowMs / hourMs) * hourMs - (shownHours - 1) * hourMs;
  const starts = Array.from({ length: shownHours }, (_, at) => firstHourMs + at * hourMs);
  const periods: readonly Period[] = [
    { fromMs, name: 'day' },
    { fromMs: lastWeekMs, toMs: Math.max(lastWeekMs, sameTimeMs), name: 'last week' },
    ...starts.map((startMs) => ({
      fromMs: startMs,
      ...(startMs + hourMs <= nowMs && { toMs: startMs + hourMs }),
      name: 'hour',
    })),
  ];
  const [day, lastWeek, ...perHour] = await counter.count(...periods);
  return {
    today: {
      since: instantOf(fromMs),
      timezone,
      counts: day ?? none,
      /** Until the same time of day; null where the log does not go back that far. */
      lastWeek: hasLastWeek ? (lastWeek ?? null) : null,
    },
    hours: starts.map((startMs, at) => ({ hour: instantOf(startMs), deliveries: perHour[at]?.deliveries ?? 0 })),
  };
}

async function firstReceivedMs({ db }: Store): Promise<number | undefined> {
  const row = await db.selectFrom('event_log').select('received_at').orderBy('seq').limit(1).executeTakeFirst();
  return row && Date.parse(row.received_at);
}
