import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pauseAfter } from '#workers/alerts/outbox/retry.ts';
import { runs } from '../../../harness/runs.ts';

const plain = { retry: true, askedMs: undefined, random: 0 };

describe('the pause before an alert is tried again', () => {
  it('grows over twelve attempts and about a day, and then it is given up', () => {
    const pauses = Array.from({ length: 12 }, (_, n) => pauseAfter({ ...plain, attempts: n + 1 }));
    expect(pauses.at(-1)).toBeUndefined();
    const given = pauses.slice(0, -1).map(Number);
    expect(given).toEqual(given.toSorted((a, b) => a - b));
    const hours = given.reduce((a, b) => a + b) / 3_600_000;
    expect(hours).toBeGreaterThan(22);
    expect(hours).toBeLessThan(26);
  });

  it('is none where trying again cannot help', () => {
    expect(pauseAfter({ ...plain, attempts: 1, retry: false, askedMs: 5 })).toBeUndefined();
  });

  it('is only ever made longer by what the other side asks for, and never longer than a day for it', () => {
    const input = { attempts: fc.integer({ min: 1, max: 11 }), random: fc.double({ min: 0, max: 0.999, noNaN: true }) };
    fc.assert(
      fc.property(fc.record(input), fc.nat(1e12), (given, askedMs) => {
        const own = Number(pauseAfter({ ...plain, ...given }));
        const asked = Number(pauseAfter({ ...plain, ...given, askedMs }));
        expect(asked).toBeGreaterThanOrEqual(own);
        expect(asked).toBeGreaterThanOrEqual(Math.min(askedMs, 86_400_000));
        expect(asked).toBeLessThanOrEqual(Math.max(own, 86_400_000));
      }),
      runs(100),
    );
  });
});
