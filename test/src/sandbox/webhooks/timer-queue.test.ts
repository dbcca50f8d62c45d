// The timer queue on the sandbox's clock.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createClock } from '#src/sandbox/clock.ts';
import { createTimerQueue } from '#src/sandbox/webhooks/timer-queue.ts';
import { until } from '../../../harness/ports.ts';
import { runs } from '../../../harness/runs.ts';

it('releases what is due when the clock is advanced and was not removed, earliest first', () => {
  const due = fc.record({ dueMs: fc.integer({ min: 1, max: 100 }), isRemoved: fc.boolean() });
  fc.assert(
    fc.property(fc.array(due, { maxLength: 60 }), fc.nat(100), (added, nowMs) => {
      const clock = createClock(() => 0);
      const released: unknown[] = [];
      using timers = createTimerQueue<(typeof added)[number]>(clock, (item) => void released.push(item));
      for (const item of added) timers.add(item.dueMs, item);
      timers.removeIf(({ isRemoved }) => isRemoved);
      clock.advance(nowMs);
      const left = added.filter(({ isRemoved }) => !isRemoved).toSorted((a, b) => a.dueMs - b.dueMs);
      expect(released).toEqual(left.filter(({ dueMs }) => dueMs <= nowMs));
      expect(timers.size).toBe(left.length - released.length);
    }),
    runs(100),
  );
});

it('releases items as real time passes', async () => {
  const clock = createClock(Date.now);
  const due: string[] = [];
  using timers = createTimerQueue<string>(clock, (item) => void due.push(item));
  timers.add(clock.nowMs() + 20, 'later');
  timers.add(clock.nowMs() + 1, 'soon');
  await until(() => due.length === 2, 'both are due');
  expect(due).toEqual(['soon', 'later']);
});
