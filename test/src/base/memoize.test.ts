// What is made once, when it is first asked for.
import { describe, expect, it } from 'vitest';
import { once } from '#src/base/memoize.ts';

describe('what is made once', () => {
  it('is the same for everybody, and made when the first one asks', async () => {
    let made = 0;
    const ask = once(async () => ({ number: (made += 1) }));
    expect(made).toBe(0);
    const [one, other] = await Promise.all([ask(), ask()]);
    expect(one).toBe(other);
    expect([one, await ask(), made]).toEqual([{ number: 1 }, { number: 1 }, 1]);
  });

  it('is made again after it failed', async () => {
    let tries = 0;
    const ask = once(async () => {
      tries += 1;
      if (tries === 1) throw new Error('not this time');
      return tries;
    });
    await expect(ask()).rejects.toThrow('not this time');
    expect([await ask(), await ask()]).toEqual([2, 2]);
  });
});
