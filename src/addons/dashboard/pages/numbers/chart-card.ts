// What the charts of the page Numbers share: the card around each, and the list of bookings that a mark leads to.
import { address, type Markup } from '#src/addons/dashboard/components/markup.ts';

export interface ChartCard {
  readonly id: string;
  readonly heading: string;
  readonly finding: Markup | string;
  readonly chart: Markup;
  readonly isWide?: boolean;
}

export type Query = Readonly<Record<string, string | undefined>>;

export interface DayRange {
  readonly from: string;
  readonly to: string;
  readonly timezone: string;
}

export function listOf(url: URL, { from, to, timezone }: DayRange, more: Query = {}): string {
  const { event_type, host } = Object.fromEntries(url.searchParams);
  return address('/bookings', { event_type, host, min_start_time: from, max_start_time: to, timezone, ...more });
}

export const greatestOf = <Value>(values: readonly Value[], amountOf: (value: Value) => number): Value | undefined =>
  values.reduce<Value | undefined>(
    (best, value) => (best === undefined || amountOf(value) > amountOf(best) ? value : best),
    undefined,
  );
