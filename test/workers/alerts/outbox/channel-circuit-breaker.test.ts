import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCircuit, type Circuit } from '#workers/alerts/outbox/channel-circuit-breaker.ts';
import { runs } from '../../../harness/runs.ts';

const at = 1_000_000;
function failing(times: number): Circuit {
  const circuit = createCircuit();
  for (let n = 0; n < times; n += 1) circuit.failed(at, undefined);
  return circuit;
}

describe('the circuit of a channel', () => {
  it('stays closed over a few failures, and one success forgets them', () => {
    const circuit = failing(4);
    expect(circuit.admit(at)).toBe(true);
    circuit.sent();
    expect(circuit.standing(at)).toEqual({ state: 'closed', failures: 0, until: null });
  });

  it('opens at the fifth failure in a row, and then lets one message through at a time', () => {
    const circuit = failing(5);
    expect(circuit.admit(at + 4_999)).toEqual({ untilMs: at + 5_000 });
    expect(circuit.standing(at + 5_000)).toMatchObject({ state: 'half', failures: 5 });
    expect(circuit.admit(at + 5_000)).toBe(true);
    expect(circuit.admit(at + 5_000)).toEqual({ untilMs: at + 6_000 });
    circuit.sent();
    expect(circuit.admit(at + 5_001)).toBe(true);
    expect(circuit.admit(at + 5_001)).toBe(true);
  });

  it('stays open twice as long after each probe that fails, up to five minutes', () => {
    const circuit = failing(5);
    circuit.failed(at + 5_000, undefined);
    expect(circuit.admit(at + 5_000)).toEqual({ untilMs: at + 15_000 });
    expect(failing(60).admit(at)).toEqual({ untilMs: at + 300_000 });
  });

  it('tries again when nobody tells what became of a probe', () => {
    const circuit = failing(5);
    expect(circuit.admit(at + 5_000)).toBe(true);
    expect(circuit.admit(at + 34_999)).not.toBe(true);
    expect(circuit.admit(at + 35_000)).toBe(true);
  });

  it('keeps to what the other side asks for at the first failure, up to an hour', () => {
    const circuit = createCircuit();
    circuit.failed(at, 90_000);
    expect(circuit.admit(at + 1)).toEqual({ untilMs: at + 90_000 });
    circuit.failed(at, 1e12);
    expect(circuit.admit(at + 1)).toEqual({ untilMs: at + 3_600_000 });
  });

  it('always admits again in the end, whatever happened', () => {
    const step = fc.record({
      ms: fc.nat(600_000),
      askedMs: fc.option(fc.nat(1e9), { nil: undefined }),
      ok: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const circuit = createCircuit();
        let nowMs = at;
        for (const { ms, askedMs, ok } of steps) {
          nowMs += ms;
          if (circuit.admit(nowMs) !== true) continue;
          if (ok) circuit.sent();
          else circuit.failed(nowMs, askedMs);
        }
        expect(circuit.admit(nowMs + 3_600_000)).toBe(true);
      }),
      runs(100),
    );
  });
});
