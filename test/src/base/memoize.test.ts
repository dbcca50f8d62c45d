// A memoized factory.
import { describe, expect, it } from 'vitest';
import { memoize } from '#src/base/memoize.ts';

describe('a memoized factory', () => {
  it('runs at the first call, and every caller gets the same result', async () => {
    let made = 0;
    const ask = memoize(async () => ({ number: (made += 1) }));
    expect(made).toBe(0);
    const [one, other] = await Promise.all([ask(), ask()]);
    expect(one).toBe(other);
    expect([one, await ask(), made]).toEqual([{ number: 1 }, { number: 1 }, 1]);
  });

  it('runs again after a failure', async () => {
    let tries = 0;
    const ask = memoize(async () => {
      tries += 1;
      if (tries === 1) throw new Error('not this time');
      return tries;
    });
    await expect(ask()).rejects.toThrow('not this time');
    expect([await ask(), await ask()]).toEqual([2, 2]);
  });
});
