// What waits in the dispatcher: lanes with bounds, an agenda on the sandbox's clock, a log that forgets.
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createClock } from '#src/sandbox/clock.ts';
import { createTimerQueue } from '#src/sandbox/webhooks/timer-queue.ts';
import { createAttemptLog } from '#src/sandbox/webhooks/attempt-log.ts';
import { createFairQueue } from '#src/sandbox/webhooks/fair-queue.ts';
import { until } from '../../../harness/ports.ts';
import { runs } from '../../../harness/runs.ts';

/** FairQueue whose work ends when the test says so. */
function openLanes(mostPerLane: number, mostInAll: number) {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const lanes = createFairQueue<string>({
    mostPerLane,
    mostInAll,
    run: (item) =>
      new Promise((resolve) => {
        started.push(item);
        ends.set(item, resolve);
      }),
    onEnd: () => undefined,
  });
  const end = async (item: string): Promise<void> => {
    ends.get(item)?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { lanes, started, end };
}

describe('lanes', () => {
  it('hold back what is too much for one lane, in the order it came', async () => {
    const { lanes, started, end } = openLanes(2, 10);
    for (const item of ['a1', 'a2', 'a3', 'a4']) lanes.add('a', item);
    expect(started).toEqual(['a1', 'a2']);
    await end('a2');
    expect(started).toEqual(['a1', 'a2', 'a3']);
    expect(lanes.size).toBe(3);
  });

  it('take turns when all together are too many', async () => {
    const { lanes, started, end } = openLanes(10, 2);
    for (const item of ['a1', 'a2', 'a3', 'a4']) lanes.add('a', item);
    for (const item of ['b1', 'b2']) lanes.add('b', item);
    await end('a1');
    await end('a2');
    expect(started).toEqual(['a1', 'a2', 'a3', 'b1']);
  });

  it('forget what waits in a lane, not what is under way', async () => {
    const { lanes, started, end } = openLanes(1, 10);
    for (const item of ['a1', 'a2']) lanes.add('a', item);
    for (const item of ['b1', 'b2']) lanes.add('b', item);
    lanes.clearIf((lane) => lane === 'a');
    expect(lanes.size).toBe(3);
    await end('a1');
    await end('b1');
    await end('b2');
    expect(started).toEqual(['a1', 'b1', 'b2']);
    expect(lanes.size).toBe(0);
  });

  it('run everything once, in order within a lane, however long the line is', async () => {
    const done: number[] = [];
    const lanes = createFairQueue<number>({
      mostPerLane: 1,
      mostInAll: 1,
      run: async (item) => void done.push(item),
      onEnd: () => undefined,
    });
    const items = Array.from({ length: 5000 }, (_, index) => index);
    for (const item of items) lanes.add('a', item);
    await until(() => lanes.size === 0, 'all have run');
    expect(done).toEqual(items);
  });
});

describe('the agenda', () => {
  /** With a clock that only moves when it is told to. */
  function openAgenda() {
    const clock = createClock(() => 0);
    const due: string[] = [];
    const agenda = createTimerQueue<string>(clock, (item) => void due.push(item));
    onTestFinished(() => agenda[Symbol.dispose]());
    return { clock, due, agenda };
  }

  it('gives out what is due when the clock is advanced, earliest first', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(100), { maxLength: 60 }), fc.nat(100), (times, nowMs) => {
        const { clock, due, agenda } = openAgenda();
        for (const [index, dueMs] of times.entries()) agenda.add(dueMs + 1, `${dueMs + 1}/${index}`);
        clock.advance(nowMs);
        const expected = [...times.entries()]
          .filter(([, dueMs]) => dueMs + 1 <= nowMs)
          .toSorted(([, a], [, b]) => a - b)
          .map(([index, dueMs]) => `${dueMs + 1}/${index}`);
        expect(due).toEqual(expected);
        expect(agenda.size).toBe(times.length - due.length);
      }),
      runs(100),
    );
  });

  it('forgets what is removed and keeps the order of the rest', () => {
    const { clock, due, agenda } = openAgenda();
    for (const dueMs of [50, 10, 40, 20, 30]) agenda.add(dueMs, String(dueMs));
    agenda.removeIf((item) => item === '10' || item === '40');
    clock.advance(100);
    expect(due).toEqual(['20', '30', '50']);
  });

  it('needs nobody to look: real time passes too', async () => {
    const clock = createClock(Date.now);
    const due: string[] = [];
    using agenda = createTimerQueue<string>(clock, (item) => void due.push(item));
    agenda.add(clock.nowMs() + 20, 'later');
    agenda.add(clock.nowMs() + 1, 'soon');
    await until(() => due.length === 2, 'both are due');
    expect(due).toEqual(['soon', 'later']);
  });
});

describe('the delivery log', () => {
  const attempt = (number: number, size = 1) => ({
    subscription: 'a',
    event: 'contact.created',
    attempt: number,
    at: '',
    url: '',
    status: 202,
    headers: {},
    body: Buffer.alloc(size, 'x'),
  });

  it('keeps the newest and counts them all', () => {
    const log = createAttemptLog({ attempts: 10, bytes: 1000 });
    for (let number = 1; number <= 57; number += 1) log.add(attempt(number));
    expect(log.kept.map((one) => one.attempt)).toEqual([48, 49, 50, 51, 52, 53, 54, 55, 56, 57]);
    expect(log.total).toBe(57);
    expect(log.kept[0]?.body).toBe('x');
  });

  it('keeps fewer of them when their bodies are large, but always the last', () => {
    const log = createAttemptLog({ attempts: 10, bytes: 1000 });
    for (let number = 1; number <= 5; number += 1) log.add(attempt(number, 400));
    expect(log.kept.map((one) => one.attempt)).toEqual([4, 5]);
    log.add(attempt(6, 5000));
    expect(log.kept.map((one) => one.attempt)).toEqual([6]);
    log.add(attempt(7));
    expect(log.kept.map((one) => one.attempt)).toEqual([7]);
  });
});
