// The no-show rate by week: weeks with too few meetings have none.
import { expect, it } from 'vitest';
import { weeklyRate } from '#src/addons/dashboard/pages/numbers/time-charts.ts';
import type { BookingNumbers } from '#src/read/booking-numbers.ts';

const numbersWith = (days: readonly { day: string; ended: number; no_show: number }[]) =>
  ({ days }) as unknown as BookingNumbers;

it('is drawn where two weeks have five meetings, and says the range and the last week', () => {
  const first = { day: '2026-03-02', ended: 5, no_show: 1 };
  const few = { day: '2026-03-09', ended: 4, no_show: 3 };
  const last = { day: '2026-03-16', ended: 10, no_show: 5 };
  expect(String(weeklyRate(numbersWith([first, few, last])))).toContain(
    'No-show rate by week: from 20% to 50%, 50% in the last week.',
  );
  expect(weeklyRate(numbersWith([first, few]))).toBeUndefined();
});
