// What was read of the feed and has not arrived yet: order per key, bounds, and the offset that may be stored.
import { describe, expect, it } from 'vitest';
import { createInFlight } from '#workers/out/push/in-flight.ts';
import { feedEntryOf } from '../../../harness/mirror/feed-entries.ts';

const roomy = { entries: 10, characters: 1_000 };

describe('entries in flight', () => {
  it('need a sender when they are the first of their key, and again after the key was emptied', () => {
    const inFlight = createInFlight(roomy);
    const [first, second] = [feedEntryOf(1), feedEntryOf(2)];
    expect([inFlight.add('a', first), inFlight.add('a', second), inFlight.add('b', feedEntryOf(3))]).toEqual([
      true,
      false,
      true,
    ]);
    inFlight.done('a', [first, second]);
    // The sender of the key has not looked yet, so it is still there.
    expect(inFlight.add('a', feedEntryOf(4))).toBe(false);
    inFlight.done('a', inFlight.next('a', 1));
    expect(inFlight.next('a', 1)).toEqual([]);
    expect(inFlight.add('a', feedEntryOf(5))).toBe(true);
  });

  it('are bounded in number and in size', () => {
    const inFlight = createInFlight({ entries: 3, characters: 100 });
    expect(inFlight.room()).toBe(3);
    const large = feedEntryOf(1, 'x'.repeat(100));
    inFlight.add('a', large);
    expect(inFlight.room()).toBe(0);
    inFlight.done('a', [large]);
    for (const seq of [2, 3, 4, 5]) inFlight.add('a', feedEntryOf(seq, ''));
    expect(inFlight.room()).toBe(0);
  });
});
