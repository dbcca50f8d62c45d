// The gate in front of the queue.
import { describe, expect, it, vi } from 'vitest';
import type { EngineProblem } from '#src/queue/contract.ts';
import { openDurabilityGate } from '#src/queue/durability-gate.ts';

const unsafe: EngineProblem = { fatal: true, message: 'It is not durable.', hint: 'Fix it.' };
const batch = { v: 1, deliveries: [{ body: '{}', receivedAt: '2026-01-01T00:00:00.000000Z' }] } as const;

const waiting = { timeout: 5_000, interval: 50 };

function engine(problems: readonly EngineProblem[] = []) {
  const state = { problems, fails: false, added: 0, reported: [] as string[] };
  const queue = {
    check: async () => state.problems,
    ping: async () => {},
    add: async () => {
      if (state.fails) throw new Error('failed');
      state.added += 1;
    },
  };
  return { state, needs: { queue, onProblem: ({ message }: EngineProblem) => void state.reported.push(message) } };
}

describe('the durability gate', () => {
  it('does not open for an engine that could lose what it accepts', async () => {
    await expect(openDurabilityGate(engine([unsafe]).needs)).rejects.toMatchObject({
      code: 'queue_unsafe',
      hint: 'Fix it.',
    });
  });

  it('passes batches to a durable engine', async () => {
    const { state, needs } = engine();
    const gate = await openDurabilityGate(needs);
    await gate.enqueue(batch);
    expect(state.added).toBe(1);
    await gate.close();
  });

  it('closes after a failure, and stays closed until the engine is durable again', async () => {
    const { state, needs } = engine();
    const gate = await openDurabilityGate(needs);
    state.fails = true;
    await expect(gate.enqueue(batch)).rejects.toThrow('failed');
    Object.assign(state, { fails: false, problems: [unsafe] });
    await vi.waitFor(() => expect(state.reported).toEqual(['It is not durable.']), waiting);
    await expect(gate.enqueue(batch)).rejects.toMatchObject({ code: 'queue_unavailable' });
    await expect(gate.ping()).rejects.toMatchObject({ code: 'queue_unavailable' });
    state.problems = [];
    await vi.waitFor(() => gate.ping(), waiting);
    await gate.enqueue(batch);
    expect([state.added, state.reported]).toEqual([1, ['It is not durable.']]);
    await gate.close();
  });
});
