// The clock of alerts and scheduled jobs follows the clock of the database.
import { expect, it } from 'vitest';
import { openStoreClock } from '#src/app/store-clock.ts';
import { eventually } from '../../harness/moments.ts';

const minutes = 60_000;

it('shows the time of the database when the clock of the process is wrong', async () => {
  using clock = await openStoreClock({ clockAheadMs: async () => -10 * minutes });
  expect(clock.following(() => 50 * minutes)()).toBe(40 * minutes);
});

it('takes a small difference for the time that the question took', async () => {
  using clock = await openStoreClock({ clockAheadMs: async () => 900 });
  expect(clock.following(() => 5)()).toBe(5);
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
  using clock = await openStoreClock({ clockAheadMs }, 1);
  const nowMs = clock.following(() => 0);
  expect(nowMs()).toBe(0);
  await eventually(nowMs).toBe(3 * minutes);
  expect(asked).toBeGreaterThan(2);
});
