// The deliveries of today against those of the same weekday a week ago, up to the same time of day, and those of each of the last 24 hours.
import { localClock, startOfDay } from '#src/base/time-zone.ts';
import { dayMs, dayOf, hourMs, instantOf } from '#src/base/time.ts';
import type { Store } from '#src/store/contract.ts';
import { countDeliveriesOf, firstReceivedMs } from '#src/read/deliveries/delivery-counts.ts';

const weekMs = 7 * dayMs;
const shownHours = 24;

export async function readToday(
  store: Store,
  { nowMs, timezone }: { readonly nowMs: number; readonly timezone: string },
) {
  const dayAt = (ms: number): string => dayOf(localClock(timezone)?.(ms) ?? ms);
  const fromMs = startOfDay(dayAt(nowMs), timezone);
  const firstMs = await firstReceivedMs(store);
  const lastWeekMs = startOfDay(dayAt(nowMs - weekMs), timezone);
  const hasLastWeek = firstMs !== undefined && firstMs <= lastWeekMs;
  const firstHourMs = Math.floor(nowMs / hourMs) * hourMs - (shownHours - 1) * hourMs;
  const starts = Array.from({ length: shownHours }, (_, at) => firstHourMs + at * hourMs);
  const lastWeek = { fromMs: lastWeekMs, toMs: nowMs - weekMs };
  const hours = [];
  for (const startMs of starts) {
    const isOver = startMs + hourMs <= nowMs;
    const { deliveries } = await countDeliveriesOf(store, {
      fromMs: startMs,
      ...(isOver && { toMs: startMs + hourMs }),
    });
    hours.push({ hour: instantOf(startMs), deliveries });
  }
  return {
    today: {
      since: instantOf(fromMs),
      timezone,
      counts: await countDeliveriesOf(store, { fromMs }),
      /** Until the same time of day; null where the log does not go back that far. */
      lastWeek: hasLastWeek ? await countDeliveriesOf(store, lastWeek) : null,
    },
    hours,
  };
}
