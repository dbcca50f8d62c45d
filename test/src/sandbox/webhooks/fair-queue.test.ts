// The fair queue: limits, order, round robin.
import { describe, expect, it } from 'vitest';
import { createFairQueue } from '#src/sandbox/webhooks/fair-queue.ts';

/** A queue whose items end when the test ends them. */
function openQueue(mostPerKey: number, mostInAll: number) {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const queue = createFairQueue<string>({
    mostPerKey,
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
  return { queue, started, end };
}

describe('the fair queue', () => {
  it('limits what is in flight per key, and keeps its order', async () => {
    const { queue, started, end } = openQueue(2, 10);
    for (const item of ['a1', 'a2', 'a3', 'a4']) queue.add('a', item);
    expect(started).toEqual(['a1', 'a2']);
    await end('a2');
    expect(started).toEqual(['a1', 'a2', 'a3']);
    expect(queue.size).toBe(3);
  });

  it('serves the keys round robin when all are limited', async () => {
    const { queue, started, end } = openQueue(10, 2);
    for (const item of ['a1', 'a2', 'a3', 'a4']) queue.add('a', item);
    for (const item of ['b1', 'b2']) queue.add('b', item);
    await end('a1');
    await end('a2');
    expect(started).toEqual(['a1', 'a2', 'a3', 'b1']);
  });

  it('drops what waits, not what is in flight', async () => {
    const { queue, started, end } = openQueue(1, 10);
    for (const item of ['a1', 'a2']) queue.add('a', item);
    for (const item of ['b1', 'b2']) queue.add('b', item);
    queue.dropIf((key) => key === 'a');
    expect(queue.size).toBe(3);
    await end('a1');
    await end('b1');
    await end('b2');
    expect(started).toEqual(['a1', 'b1', 'b2']);
    expect(queue.size).toBe(0);
  });
});
