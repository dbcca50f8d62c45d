import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { retryDelayMs } from '#workers/out/alerts/outbox/retry.ts';
import { runs } from '../../../../harness/runs.ts';

const plain = { retry: true, requestedMs: undefined, random: 0 };

describe('the delay before the next attempt', () => {
  it('grows over twelve attempts and about a day, and then the alert is given up', () => {
    const delays = Array.from({ length: 12 }, (_, n) => retryDelayMs({ ...plain, attempts: n + 1 }));
    expect(delays.at(-1)).toBeUndefined();
    const given = delays.slice(0, -1).map(Number);
    expect(given).toEqual(given.toSorted((a, b) => a - b));
    const hours = given.reduce((a, b) => a + b) / 3_600_000;
    expect(hours).toBeGreaterThan(22);
    expect(hours).toBeLessThan(26);
  });

  it('is undefined when another attempt cannot succeed', () => {
    expect(retryDelayMs({ ...plain, attempts: 1, retry: false, requestedMs: 5 })).toBeUndefined();
  });

  it('is only ever lengthened by the delay that the recipient requests, to at most a day', () => {
    const input = { attempts: fc.integer({ min: 1, max: 11 }), random: fc.double({ min: 0, max: 0.999, noNaN: true }) };
    fc.assert(
      fc.property(fc.record(input), fc.nat(1e12), (given, requestedMs) => {
        const own = Number(retryDelayMs({ ...plain, ...given }));
        const asked = Number(retryDelayMs({ ...plain, ...given, requestedMs }));
        expect(asked).toBeGreaterThanOrEqual(own);
        expect(asked).toBeGreaterThanOrEqual(Math.min(requestedMs, 86_400_000));
        expect(asked).toBeLessThanOrEqual(Math.max(own, 86_400_000));
      }),
      runs(100),
    );
  });
});
