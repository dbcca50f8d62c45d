// The exponential back-off and the circuit breaker.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffMs, createCircuitBreaker, type CircuitBreaker } from '#src/base/retry-policy.ts';
import { runs } from '../../harness/runs.ts';

it('the back-off doubles up to its longest delay, and only the jitter share of it is random', () => {
  const backoff = { firstMs: 250, longestMs: 30_000, jitter: 0.5 };
  const random = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 31 }), random, (failures, chance) => {
      const full = Math.min(30_000, 250 * 2 ** Math.min(failures - 1, 20));
      expect(backoffMs(backoff, failures, chance)).toBeGreaterThanOrEqual(full / 2);
      expect(backoffMs(backoff, failures, chance)).toBeLessThanOrEqual(full);
    }),
    runs(100),
  );
  expect([1, 2, 3, 60].map((failures) => backoffMs({ firstMs: 5, longestMs: 100 }, failures))).toEqual([
    5, 10, 20, 100,
  ]);
});

const at = 1_000_000;
const backoff = { firstMs: 5_000, longestMs: 300_000 };
const open = (): CircuitBreaker => createCircuitBreaker({ failuresToOpen: 5, backoff, longestRequestedMs: 3_600_000 });
function failing(times: number): CircuitBreaker {
  const circuit = open();
  for (let n = 0; n < times; n += 1) circuit.failed(at);
  return circuit;
}

describe('a circuit breaker', () => {
  it('stays closed below the number of failures that open it, and a success resets the count', () => {
    const circuit = failing(4);
    expect(circuit.admit(at)).toBe(true);
    circuit.succeeded();
    expect([circuit.state(at), circuit.failures]).toEqual(['closed', 0]);
  });

  it('opens at the fifth failure in a row, and then admits one probe at a time', () => {
    const circuit = failing(5);
    expect(circuit.admit(at + 4_999)).toEqual({ retryAtMs: at + 5_000 });
    expect([circuit.state(at + 5_000), circuit.failures]).toEqual(['half', 5]);
    expect(circuit.admit(at + 5_000)).toBe(true);
    expect(circuit.admit(at + 5_000)).toEqual({ retryAtMs: at + 6_000 });
    circuit.succeeded();
    expect(circuit.admit(at + 5_001)).toBe(true);
    expect(circuit.admit(at + 5_001)).toBe(true);
  });

  it('stays open twice as long after each probe that fails, up to five minutes', () => {
    const circuit = failing(5);
    circuit.failed(at + 5_000, undefined);
    expect(circuit.admit(at + 5_000)).toEqual({ retryAtMs: at + 15_000 });
    expect(failing(60).admit(at)).toEqual({ retryAtMs: at + 300_000 });
  });

  it('admits another probe when the result of one is never reported', () => {
    const circuit = failing(5);
    expect(circuit.admit(at + 5_000)).toBe(true);
    expect(circuit.admit(at + 34_999)).not.toBe(true);
    expect(circuit.admit(at + 35_000)).toBe(true);
  });

  it('respects a requested pause at the first failure, up to an hour', () => {
    const circuit = open();
    circuit.failed(at, 90_000);
    expect(circuit.admit(at + 1)).toEqual({ retryAtMs: at + 90_000 });
    circuit.failed(at, 1e12);
    expect(circuit.admit(at + 1)).toEqual({ retryAtMs: at + 3_600_000 });
  });

  it('always admits again in the end', () => {
    const step = fc.record({
      ms: fc.nat(600_000),
      askedMs: fc.option(fc.nat(1e9), { nil: undefined }),
      ok: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const circuit = open();
        let nowMs = at;
        for (const { ms, askedMs, ok } of steps) {
          nowMs += ms;
          if (circuit.admit(nowMs) !== true) continue;
          if (ok) circuit.succeeded();
          else circuit.failed(nowMs, askedMs);
        }
        expect(circuit.admit(nowMs + 3_600_000)).toBe(true);
      }),
      runs(100),
    );
  });
});
