// The circuit in front of the queue: its states, and which one answers where two could.
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createLog } from '#src/observability/log.ts';
import type { EngineProblem } from '#src/queue/contract.ts';
import { openQueueCircuit } from '#src/receiver/queue-circuit.ts';
import { eventually } from '../../harness/moments.ts';

const unsafe: EngineProblem = { fatal: true, message: 'It is not durable.', hint: 'Fix it.' };
const batch = { v: 1, deliveries: [{ body: '{}', receivedAt: '2026-01-01T00:00:00.000000Z' }] } as const;

async function openScene(problems: readonly EngineProblem[] = [], { ownClock = true } = {}) {
  const lines: string[] = [];
  const log = createLog({ level: 'info', pretty: false, destination: { write: (line) => void lines.push(line) } });
  const scene = { problems, answers: true, fails: false, hasRoom: true, added: 0, nowMs: 0, lines };
  const queue = {
    check: async () => (scene.answers ? scene.problems : Promise.reject(new Error('down'))),
    ping: async () => (scene.answers ? undefined : Promise.reject(new Error('down'))),
    add: async () => {
      if (!scene.answers) return new Promise<void>(() => undefined);
      if (scene.fails) throw new Error('failed');
      scene.added += 1;
    },
  };
  const circuit = await openQueueCircuit(
    { queue, log, hasRoom: async () => scene.hasRoom, ...(ownClock && { clock: () => scene.nowMs }) },
    { timeoutMs: 20, firstPauseMs: 100, longestPauseMs: 300, checkEveryMs: 5 },
  );
  onTestFinished(() => circuit.close());
  const state = async (expected: string) => {
    await eventually(() => circuit.state()).toBe(expected);
  };
  return { scene, circuit, state };
}

describe('the circuit', () => {
  it('does not open for an engine that could lose what it accepts', async () => {
    await expect(openScene([unsafe])).rejects.toMatchObject({ code: 'queue_unsafe', hint: 'Fix it.' });
  });

  it('adds nothing to a queue of another mirror, and says whose it is, also where that is found later (S1)', async () => {
    const other: EngineProblem = { ...unsafe, isOther: true, message: 'It is of another mirror.' };
    await expect(openScene([other])).rejects.toMatchObject({ code: 'queue_unsafe', message: other.message });
    const { scene, circuit, state } = await openScene();
    scene.answers = false;
    expect(await circuit.enqueue(batch)).toBe(false);
    [scene.answers, scene.problems] = [true, [other]];
    await state('other');
    expect(await circuit.enqueue(batch)).toBe(false);
    expect(scene.added).toBe(0);
    await expect(circuit.ping()).rejects.toMatchObject({ message: other.message, hint: 'Fix it.' });
  });

  it('is unsafe after a failure until the engine was checked, then open for growing pauses, and probing after each', async () => {
    const { scene, circuit, state } = await openScene();
    scene.fails = true;
    for (const pauseMs of [100, 200, 300, 300]) {
      expect(await circuit.enqueue(batch)).toBe(false);
      expect(circuit.state()).toBe('unsafe');
      await state('open');
      expect(circuit.pauseMs()).toBe(pauseMs);
      scene.nowMs += pauseMs;
      await state('probing');
    }
    scene.fails = false;
    expect([await circuit.enqueue(batch), circuit.state()]).toEqual([true, 'closed']);
    expect(scene.lines.filter((line) => line.includes('the queue accepts deliveries again'))).toHaveLength(1);
  });

  it('is probing after its pause, also when the clock of the machine was set back meanwhile', async () => {
    const { scene, circuit, state } = await openScene([], { ownClock: false });
    onTestFinished(() => void vi.restoreAllMocks());
    const startedMs = Date.now();
    vi.spyOn(Date, 'now').mockReturnValue(startedMs + 3_600_000);
    scene.fails = true;
    expect(await circuit.enqueue(batch)).toBe(false);
    vi.spyOn(Date, 'now').mockReturnValue(startedMs);
    await state('probing');
  });

  it('stays unsafe, and tries nothing, while an engine that came back could lose data', async () => {
    const { scene, circuit, state } = await openScene();
    scene.fails = true;
    await circuit.enqueue(batch);
    Object.assign(scene, { fails: false, problems: [unsafe], nowMs: 1000 });
    await eventually(() => scene.lines.join('')).toContain('It is not durable.');
    expect([await circuit.enqueue(batch), circuit.state(), scene.added]).toEqual([false, 'unsafe', 0]);
    await expect(circuit.ping()).rejects.toMatchObject({ code: 'queue_unavailable' });
    scene.problems = [];
    await state('probing');
    expect(await circuit.enqueue(batch)).toBe(true);
    expect(scene.lines.filter((line) => line.includes('It is not durable.'))).toHaveLength(1);
  });

  it('is full while the disk of the queue is, unless it is also unsafe', async () => {
    const { scene, circuit, state } = await openScene();
    scene.hasRoom = false;
    expect([await circuit.enqueue(batch), circuit.state(), scene.added]).toEqual([false, 'full', 0]);
    await expect(circuit.ping()).rejects.toMatchObject({ hint: 'Free disk space.' });
    scene.hasRoom = true;
    await state('closed');
    scene.fails = true;
    await circuit.enqueue(batch);
    scene.hasRoom = false;
    expect(circuit.state()).toBe('unsafe');
    await state('full');
    scene.hasRoom = true;
    await state('open');
  });
});
