// The gate in front of a sink: how many sends run at a time, and in which order.
import { describe, expect, it } from 'vitest';
import { createConcurrencyGate } from '#workers/out/push/concurrency-gate.ts';

/** Lets everything run that does not wait for a timer. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const forever = new AbortController().signal;

describe('the gate', () => {
  it('lets so many through at a time, the others in the order in which they came, also after a failure', async () => {
    const gate = createConcurrencyGate(2, forever);
    const started: number[] = [];
    const ends: ((error?: Error) => void)[] = [];
    const sends = [0, 1, 2, 3].map((n) =>
      gate
        .take(() => {
          started.push(n);
          return new Promise<void>((resolve, reject) => {
            ends[n] = (error) => (error ? reject(error) : resolve());
          });
        })
        .catch(() => 'failed'),
    );
    await settle();
    expect(started).toEqual([0, 1]);
    ends[1]?.(new Error('refused'));
    await settle();
    expect(started).toEqual([0, 1, 2]);
    ends[0]?.();
    await settle();
    expect(started).toEqual([0, 1, 2, 3]);
    ends[2]?.();
    ends[3]?.();
    expect(await Promise.all(sends)).toEqual([undefined, 'failed', undefined, undefined]);
  });

  it('ends every wait after an abort', async () => {
    const over = new AbortController();
    const gate = createConcurrencyGate(1, over.signal);
    gate.hold(3_600_000);
    const sent = gate.take(async () => over.signal.aborted);
    over.abort();
    expect(await sent).toBe(true);
  });
});
