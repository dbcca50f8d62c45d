// The timer queue on the sandbox's clock.
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createClock } from '#src/sandbox/clock.ts';
import { createTimerQueue } from '#src/sandbox/webhooks/timer-queue.ts';
import { until } from '../../../harness/ports.ts';
import { runs } from '../../../harness/runs.ts';

describe('the timer queue', () => {
  /** With a clock that only moves when it is advanced. */
  function openTimers() {
    const clock = createClock(() => 0);
    const due: string[] = [];
    const timers = createTimerQueue<string>(clock, (item) => void due.push(item));
    onTestFinished(() => timers[Symbol.dispose]());
    return { clock, due, timers };
  }

  it('releases what is due when the clock is advanced, earliest first', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(100), { maxLength: 60 }), fc.nat(100), (times, nowMs) => {
        const { clock, due, timers } = openTimers();
        for (const [index, dueMs] of times.entries()) timers.add(dueMs + 1, `${dueMs + 1}/${index}`);
        clock.advance(nowMs);
        const expected = [...times.entries()]
          .filter(([, dueMs]) => dueMs + 1 <= nowMs)
          .toSorted(([, a], [, b]) => a - b)
          .map(([index, dueMs]) => `${dueMs + 1}/${index}`);
        expect(due).toEqual(expected);
        expect(timers.size).toBe(times.length - due.length);
      }),
      runs(100),
    );
  });

  it('removes items and keeps the order of the rest', () => {
    const { clock, due, timers } = openTimers();
    for (const dueMs of [50, 10, 40, 20, 30]) timers.add(dueMs, String(dueMs));
    timers.removeIf((item) => item === '10' || item === '40');
    clock.advance(100);
    expect(due).toEqual(['20', '30', '50']);
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
});
