// Bodies that are not verified yet share memory and time: the one that takes most of it gives way.
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createBodyBudget, type BodyBudget, type BodyBudgetOptions } from '#src/receiver/body-budget.ts';
import { runs } from '../../harness/runs.ts';

/** Joins the bodies of a table and records which of them are evicted. */
function openScene(options: Partial<BodyBudgetOptions> = {}) {
  const evicted: string[] = [];
  let nowMs = 0;
  const budget = createBodyBudget({
    maxBytes: 1000,
    reservedBytes: 250,
    smallBytes: 100,
    clock: () => nowMs,
    ...options,
  });
  return {
    evicted,
    pass: (ms: number) => (nowMs += ms),
    join: (name: string, declaredBytes?: number) => budget.join(declaredBytes, () => void evicted.push(name)),
  };
}

describe('a budget that is used up', () => {
  it('has a reserve that only bodies with a small declared length use', () => {
    const { join, evicted } = openScene();
    const large = join('declared large', 101);
    large.add(375);
    join('undeclared').add(375);
    for (let n = 0; n < 5; n += 1) join('small', 50).add(50);
    expect(evicted).toEqual([]);
    large.add(1);
    expect(evicted).toEqual(['declared large']);
  });

  it('lends free room to small bodies, and evicts among all when they exceed everything', () => {
    const { join, evicted, pass } = openScene();
    for (let n = 0; n < 10; n += 1) join(`stalled ${n}`, 100).add(100);
    expect(evicted).toEqual([]);
    pass(100);
    join('genuine', 30).add(30);
    expect(evicted).toEqual(['stalled 0']);
  });

  it('has room again when bodies leave, once each', () => {
    const { join, evicted } = openScene();
    const first = join('a');
    first.add(700);
    first.leave();
    first.leave();
    first.add(700);
    join('b').add(750);
    expect(evicted).toEqual([]);
  });

  it('never holds more than its limits, and never evicts a body while another has cost more', () => {
    const step = fc.record({ body: fc.nat(7), bytes: fc.integer({ min: 1, max: 500 }), ms: fc.nat(50) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { join, evicted, pass } = openScene();
        const held = new Map<
          number,
          { share: ReturnType<BodyBudget['join']>; bytes: number; isSmall: boolean; ageMs: number }
        >();
        for (const { body, bytes, ms } of steps) {
          pass(ms);
          for (const one of held.values()) one.ageMs += ms;
          const isSmall = body < 4;
          const one = held.get(body) ?? {
            share: join(String(body), isSmall ? 100 : undefined),
            bytes: 0,
            isSmall,
            ageMs: 0,
          };
          held.set(body, one);
          one.bytes += bytes;
          const largeBefore = sum([...held.values()].filter((other) => !other.isSmall));
          const seen = evicted.length;
          one.share.add(bytes);
          const first = evicted.slice(seen).map(Number)[0];
          if (first !== undefined) {
            const rivals = [...held.values()].filter((other) => largeBefore <= 750 || !other.isSmall);
            expect(cost(held.get(first))).toBe(Math.max(...rivals.map(cost)));
          }
          for (const gone of evicted.slice(seen)) held.delete(Number(gone));
          expect(sum([...held.values()])).toBeLessThanOrEqual(1000);
          expect(sum([...held.values()].filter((other) => !other.isSmall))).toBeLessThanOrEqual(750);
        }
      }),
      runs(200),
    );
  });
});

const sum = (bodies: readonly { readonly bytes: number }[]): number =>
  bodies.reduce((total, { bytes }) => total + bytes, 0);
const cost = (body: { readonly bytes: number; readonly ageMs: number } | undefined): number =>
  (body?.bytes ?? 0) * ((body?.ageMs ?? 0) + 1);

describe('a minimum rate', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function openTimed() {
    const evicted: string[] = [];
    const budget = createBodyBudget({ maxBytes: 1e9, minBytesPerSecond: 100, windowMs: 2000, clock: Date.now });
    return { evicted, join: (name: string) => budget.join(50, (reason) => void evicted.push(`${name}: ${reason}`)) };
  }

  it('ends a body that trickles, and leaves one at the minimum alone', () => {
    const { join, evicted } = openTimed();
    const [slow, fast] = [join('slow'), join('fast')];
    for (let at = 0; at < 100; at += 1) {
      slow.add(9);
      fast.add(11);
      vi.advanceTimersByTime(100);
    }
    expect(evicted).toEqual(['slow: slow_body']);
  });

  it('ends a body that stalls after a fast start', () => {
    const { join, evicted } = openTimed();
    join('stalled').add(1e6);
    vi.advanceTimersByTime(2000);
    expect(evicted).toEqual([]);
    vi.advanceTimersByTime(2000);
    expect(evicted).toEqual(['stalled: slow_body']);
  });

  it('blames no sender for the time in which this process was blocked', () => {
    const { join, evicted } = openTimed();
    const body = join('body');
    vi.setSystemTime(Date.now() + 60_000);
    vi.advanceTimersByTime(1000);
    expect(evicted).toEqual([]);
    body.add(1000);
    vi.advanceTimersByTime(2000);
    expect(evicted).toEqual([]);
  });
});
