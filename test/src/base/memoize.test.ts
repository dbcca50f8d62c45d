// A memoized factory.
import { expect, it } from 'vitest';
import { memoize } from '#src/base/memoize.ts';

it('a memoized factory runs at the first call, every caller gets the same result, and it runs again after a failure', async () => {
  let runs = 0;
  const ask = memoize(async () => {
    runs += 1;
    if (runs === 1) throw new Error('not this time');
    return { runs };
  });
  expect(runs).toBe(0);
  await expect(ask()).rejects.toThrow('not this time');
  const [one, other] = await Promise.all([ask(), ask()]);
  expect(one).toBe(other);
  expect([one, await ask(), runs]).toEqual([{ runs: 2 }, { runs: 2 }, 2]);
});
