// The clock of alerts follows the clock of the database.
import { expect, it } from 'vitest';
import { openStoreClock } from '#src/app/store-clock.ts';

const minutes = 60_000;

it('shows the time of the database when the clock of the process is wrong', async () => {
  using clock = await openStoreClock({ clockAheadMs: async () => -10 * minutes }, () => 50 * minutes);
  expect(clock.nowMs()).toBe(40 * minutes);
});

it('takes a small difference for the time that the question took', async () => {
  using clock = await openStoreClock({ clockAheadMs: async () => 900 }, () => 5);
  expect(clock.nowMs()).toBe(5);
});

it('follows a clock that is set, and goes on while the database does not answer', async () => {
  const answers = [0, new Error('away'), 3 * minutes];
  let asked = 0;
  const clockAheadMs = async (): Promise<number> => {
    const answer = answers[Math.min(asked, answers.length - 1)] ?? 0;
    asked += 1;
    if (typeof answer !== 'number') throw answer;
    return answer;
  };
  using clock = await openStoreClock({ clockAheadMs }, () => 0, 1);
  expect(clock.nowMs()).toBe(0);
  await expect.poll(() => clock.nowMs()).toBe(3 * minutes);
  expect(asked).toBeGreaterThan(2);
});
