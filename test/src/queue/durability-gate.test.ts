import { describe, expect, it, vi } from 'vitest';
import type { EngineProblem } from '#src/queue/contract.ts';
import { openGate } from '#src/queue/durability-gate.ts';

const unsafe: EngineProblem = { fatal: true, message: 'It forgets.', hint: 'Mend it.' };
const batch = { v: 1, deliveries: [{ body: '{}', receivedAt: '2026-01-01T00:00:00.000000Z' }] } as const;

const waiting = { timeout: 5_000, interval: 50 };

function engine(problems: readonly EngineProblem[] = []) {
  const state = { problems, refuses: false, added: 0, told: [] as string[] };
  const queue = {
    check: async () => state.problems,
    ping: async () => {},
    add: async () => {
      if (state.refuses) throw new Error('refused');
      state.added += 1;
    },
  };
  return { state, needs: { queue, onProblem: ({ message }: EngineProblem) => void state.told.push(message) } };
}

describe('the gate before the queue', () => {
  it('refuses to open before an engine that would lose what it accepts', async () => {
    await expect(openGate(engine([unsafe]).needs)).rejects.toMatchObject({ code: 'queue_unsafe', hint: 'Mend it.' });
  });

  it('lets batches through to a sound engine', async () => {
    const { state, needs } = engine();
    const gate = await openGate(needs);
    await gate.enqueue(batch);
    expect(state.added).toBe(1);
    await gate.close();
  });

  it('shuts after a refusal, and stays shut when the engine comes back unsafe, until that is mended', async () => {
    const { state, needs } = engine();
    const gate = await openGate(needs);
    state.refuses = true;
    await expect(gate.enqueue(batch)).rejects.toThrow('refused');
    Object.assign(state, { refuses: false, problems: [unsafe] });
    await vi.waitFor(() => expect(state.told).toEqual(['It forgets.']), waiting);
    await expect(gate.enqueue(batch)).rejects.toMatchObject({ code: 'queue_unavailable' });
    await expect(gate.ping()).rejects.toMatchObject({ code: 'queue_unavailable' });
    state.problems = [];
    await vi.waitFor(() => gate.ping(), waiting);
    await gate.enqueue(batch);
    expect([state.added, state.told]).toEqual([1, ['It forgets.']]);
    await gate.close();
  });
});
