// How a batch is cut until the items that a store refuses stand alone.
import { describe, expect, it } from 'vitest';
import { SlotstreamError } from '#src/base/errors.ts';
import { bisect } from '#workers/fold/pipeline/bisect.ts';

const refusing = (bad: readonly number[]) => {
  const attempts: (readonly number[])[] = [];
  return {
    attempts,
    handlers: {
      async attempt(items: readonly number[]) {
        attempts.push(items);
        if (items.some((item) => bad.includes(item))) throw new Error('refused');
        return `stored ${items.join(' ')}`;
      },
      refused: async (item: number) => `refused ${item}`,
    },
  };
};

describe('bisect', () => {
  it('handles all items together when none is refused', async () => {
    const { attempts, handlers } = refusing([]);
    expect(await bisect([1, 2, 3], handlers)).toEqual(['stored 1 2 3']);
    expect(attempts).toHaveLength(1);
  });

  it('isolates each refused item, and keeps the order of the others', async () => {
    const { handlers } = refusing([2, 5]);
    expect(await bisect([1, 2, 3, 4, 5], handlers)).toEqual([
      'stored 1',
      'refused 2',
      'stored 3',
      'stored 4',
      'refused 5',
    ]);
  });

  it('throws transient errors without a second attempt', async () => {
    let attempts = 0;
    const busy = new SlotstreamError('busy', 'The store is busy.');
    const handlers = {
      async attempt(): Promise<string> {
        attempts += 1;
        throw busy;
      },
      refused: async () => 'refused',
    };
    await expect(bisect([1, 2], handlers)).rejects.toBe(busy);
    expect(attempts).toBe(1);
  });

  it('throws when even nothing is refused', async () => {
    const handlers = {
      async attempt(): Promise<string> {
        throw new Error('broken');
      },
      refused: async () => 'refused',
    };
    await expect(bisect([], handlers)).rejects.toThrow('broken');
  });
});
