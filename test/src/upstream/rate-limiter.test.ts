// The rate limiter: what is left to the user's other tools.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRateLimiter, type RateLimiter } from '#src/upstream/rate-limiter.ts';
import { longestDelayMs } from '#src/base/retry-after.ts';
import { pausedTime } from '../../harness/sandbox/api-clients.ts';
import { runs } from '../../harness/runs.ts';

const rateLimit = (remaining: number, { limit = 500, resetMs = 40_000 } = {}) => ({ limit, resetMs, remaining });

/** Lets everything that can go on now do so. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
};

async function once(limiter: RateLimiter, answer: Answer): Promise<void> {
  (await limiter.acquire())(answer);
}

/** A limiter that leaves two fifths to others, and what it has waited for. */
function openLimiter() {
  const time = pausedTime();
  const reported: unknown[] = [];
  return { time, reported, limiter: createRateLimiter({ ...time, onPause: (one) => void reported.push(one) }, 0.4) };
}

type Answer = ReturnType<typeof rateLimit> | undefined;

/** Begins calls, and gives the ends of those that were admitted. */
function begin(limiter: RateLimiter, count: number): ((answer: Answer) => void)[] {
  const entered: ((answer: Answer) => void)[] = [];
  for (let call = 0; call < count; call += 1) void limiter.acquire().then((release) => entered.push(release));
  return entered;
}

describe('the rate limiter', () => {
  it('admits calls while more than the reserve remains', async () => {
    const { limiter, time } = openLimiter();
    for (let remaining = 499; remaining > 200; remaining -= 1) await once(limiter, rateLimit(remaining));
    expect(time.pauses).toEqual([]);
  });

  it.each([[[200]], [[450, 150]]])(
    'waits for the reset once the reserve is reached, by whomever (%j remain), then goes on',
    async (remaining) => {
      const { limiter, time, reported } = openLimiter();
      for (const left of [...remaining, 499, 498])
        await once(limiter, rateLimit(left, { resetMs: left > 450 ? 60_000 : 40_000 }));
      expect(time.pauses).toEqual([40_000]);
      expect(reported).toEqual([{ ms: 40_000, why: 'rate_limit' }]);
    },
  );

  it('sends another single call when the first got no response', async () => {
    const entered = begin(openLimiter().limiter, 3);
    await settle();
    entered[0]?.(undefined);
    await settle();
    expect(entered).toHaveLength(2);
  });

  it('holds no call back when the service sends no limit, or a limit of 0', async () => {
    const time = pausedTime();
    for (const answer of [
      { limit: undefined, remaining: undefined, resetMs: undefined },
      { limit: 0, remaining: 0, resetMs: 0 },
    ]) {
      const limiter = createRateLimiter(time, 0.4);
      (await limiter.acquire())(answer);
      await Promise.all(Array.from({ length: 100 }, () => limiter.acquire()));
    }
    expect(time.pauses).toEqual([]);
  });

  it('uses the smaller count when responses of one window arrive out of order', async () => {
    const { limiter, time } = openLimiter();
    await once(limiter, rateLimit(300));
    const [a, b] = await Promise.all([limiter.acquire(), limiter.acquire()]);
    a(rateLimit(200));
    b(rateLimit(201));
    await once(limiter, rateLimit(499, { resetMs: 60_000 }));
    expect(time.pauses).toEqual([40_000]);
  });

  it('never waits longer than the longest delay, whatever the reset is', async () => {
    const { limiter, time } = openLimiter();
    await once(limiter, rateLimit(0, { resetMs: 1e12 }));
    await once(limiter, rateLimit(499));
    expect(time.pauses).toEqual([longestDelayMs]);
  });

  it('is open again after the sleep, whatever the clock says', async () => {
    const sleeps: number[] = [];
    let nowMs = 3_600_000;
    const limiter = createRateLimiter({ nowMs: () => nowMs, sleep: async (ms) => void sleeps.push(ms) }, 0.4);
    await once(limiter, rateLimit(0));
    nowMs = 0;
    await once(limiter, rateLimit(499));
    expect(sleeps, 'not an hour').toEqual([longestDelayMs]);
  });

  it('stops waiting when the signal aborts', async () => {
    const { limiter } = openLimiter();
    await once(limiter, rateLimit(0));
    await expect(limiter.acquire(AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  });

  it('never lets the service count past the reserve, whatever the number of workers', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 10, max: 60 }),
        fc.double({ min: 0, max: 0.9, noNaN: true }),
        async (workers, limit, share) => {
          const time = pausedTime();
          const limiter = createRateLimiter(time, share);
          let windowEndsMs = time.nowMs() + 60_000;
          let used = 0;
          let least = limit;
          const call = async (): Promise<void> => {
            const release = await limiter.acquire();
            if (time.nowMs() >= windowEndsMs) [windowEndsMs, used] = [time.nowMs() + 60_000, 0];
            used += 1;
            least = Math.min(least, limit - used);
            const answer = rateLimit(limit - used, { limit, resetMs: windowEndsMs - time.nowMs() });
            await Promise.resolve();
            release(answer);
          };
          await Promise.all(
            Array.from({ length: workers }, async () => {
              for (let turn = 0; turn < 20; turn += 1) await call();
            }),
          );
          expect(least).toBeGreaterThanOrEqual(Math.floor(limit * share));
        },
      ),
      runs(30),
    );
  });
});
