// The rate budget: what is left to the user's other tools.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBudget, type Budget } from '#src/upstream/rate-limiter.ts';
import { longestDelayMs } from '#src/base/retry-after.ts';
import { pausedTime } from '../../harness/upstream.ts';
import { runs } from '../../harness/runs.ts';

const told = (remaining: number, more: { limit?: number; resetMs?: number } = {}) => ({
  limit: 500,
  resetMs: 40_000,
  remaining,
  ...more,
});

/** Lets everything that can go on now do so. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
};

async function once(budget: Budget, answer: ReturnType<typeof told> | undefined): Promise<void> {
  (await budget.enter())(answer);
}

describe('the budget', () => {
  it('lets calls through while more than the reserve remains', async () => {
    const time = pausedTime();
    const budget = createBudget(time, 0.4);
    for (let remaining = 499; remaining > 200; remaining -= 1) await once(budget, told(remaining));
    expect(time.pauses).toEqual([]);
  });

  it('waits for the reset once the reserve is reached, then goes on', async () => {
    const time = pausedTime();
    const budget = createBudget(time, 0.4);
    await once(budget, told(200));
    await once(budget, told(499, { resetMs: 60_000 }));
    await once(budget, told(498, { resetMs: 60_000 }));
    expect(time.pauses).toEqual([40_000]);
  });

  it('counts what others used: their calls are in the header', async () => {
    const time = pausedTime();
    const budget = createBudget(time, 0.4);
    await once(budget, told(450));
    await once(budget, told(150));
    await once(budget, told(499, { resetMs: 60_000 }));
    expect(time.pauses).toEqual([40_000]);
  });

  it('counts calls in flight, so that many at once do not eat the reserve', async () => {
    const time = pausedTime();
    const budget = createBudget(time, 0.4);
    await once(budget, told(203));
    const entered: ((answer: ReturnType<typeof told> | undefined) => void)[] = [];
    for (let call = 0; call < 10; call += 1) void budget.enter().then((leave) => entered.push(leave));
    await settle();
    expect(entered).toHaveLength(3);
    entered[0]?.(told(202));
    await settle();
    expect(entered).toHaveLength(3);
    entered[1]?.(told(201));
    entered[2]?.(told(200));
    await settle();
    expect(time.pauses.length).toBeGreaterThan(0);
    expect(entered).toHaveLength(10);
  });

  it('sends one call alone until it knows the limit', async () => {
    const budget = createBudget(pausedTime(), 0.4);
    const entered: ((answer: ReturnType<typeof told> | undefined) => void)[] = [];
    for (let call = 0; call < 5; call += 1) void budget.enter().then((leave) => entered.push(leave));
    await settle();
    expect(entered).toHaveLength(1);
    entered[0]?.(told(400));
    await settle();
    expect(entered).toHaveLength(5);
  });

  it('tries another one alone when the first got no answer', async () => {
    const budget = createBudget(pausedTime(), 0.4);
    const entered: ((answer: undefined) => void)[] = [];
    for (let call = 0; call < 3; call += 1) void budget.enter().then((leave) => entered.push(leave));
    await settle();
    entered[0]?.(undefined);
    await settle();
    expect(entered).toHaveLength(2);
  });

  it('holds nothing back from a service that tells no limits, or a limit of none', async () => {
    const time = pausedTime();
    for (const answer of [
      { limit: undefined, remaining: undefined, resetMs: undefined },
      { limit: 0, remaining: 0, resetMs: 0 },
    ]) {
      const budget = createBudget(time, 0.4);
      (await budget.enter())(answer);
      await Promise.all(Array.from({ length: 100 }, () => budget.enter()));
    }
    expect(time.pauses).toEqual([]);
  });

  it('takes the smaller count when answers of one window come out of order', async () => {
    const time = pausedTime();
    const budget = createBudget(time, 0.4);
    await once(budget, told(300));
    const [a, b] = await Promise.all([budget.enter(), budget.enter()]);
    a(told(200));
    b(told(201));
    await once(budget, told(499, { resetMs: 60_000 }));
    expect(time.pauses).toEqual([40_000]);
  });

  it('never waits longer than the longest pause, whatever the reset says', async () => {
    const time = pausedTime();
    const budget = createBudget(time, 0.4);
    await once(budget, told(0, { resetMs: 1e12 }));
    await once(budget, told(499));
    expect(time.pauses).toEqual([longestDelayMs]);
  });

  it('has waited when it has slept, whatever the clock says', async () => {
    let sleeps = 0;
    const budget = createBudget({ nowMs: () => 0, sleep: async () => void (sleeps += 1) }, 0.4);
    await once(budget, told(0));
    await once(budget, told(499));
    expect(sleeps).toBe(1);
  });

  it('stops waiting when it is told to', async () => {
    const time = pausedTime();
    const budget = createBudget(time, 0.4);
    await once(budget, told(0));
    await expect(budget.enter(AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  });

  it('never lets the service count past the reserve, whatever the number of workers', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 10, max: 60 }),
        fc.double({ min: 0, max: 0.9, noNaN: true }),
        async (workers, limit, share) => {
          const time = pausedTime();
          const budget = createBudget(time, share);
          let windowEndsMs = time.nowMs() + 60_000;
          let used = 0;
          let least = limit;
          const call = async (): Promise<void> => {
            const leave = await budget.enter();
            if (time.nowMs() >= windowEndsMs) [windowEndsMs, used] = [time.nowMs() + 60_000, 0];
            used += 1;
            least = Math.min(least, limit - used);
            const answer = told(limit - used, { limit, resetMs: windowEndsMs - time.nowMs() });
            await Promise.resolve();
            leave(answer);
          };
          await Promise.all(
            Array.from({ length: workers }, async () => {
              for (let turn = 0; turn < 20; turn += 1) await call();
            }),
          );
          expect(least).toBeGreaterThanOrEqual(Math.floor(limit * share));
        },
      ),
      runs(50),
    );
  });
});
