// Positions of named readers on each engine: forward by itself, back on purpose, each by its name.
import { beforeEach, describe, expect, it } from 'vitest';
import {
  advancePosition,
  listPositions,
  setPosition,
  readPosition,
  removePosition,
  type FeedPosition,
} from '#src/store/log/consumer-offsets.ts';
import { openedOnce } from '../../../harness/opened.ts';
import { availableEngines } from '../../../harness/stores.ts';

const at = (second: number) => `2026-01-01T00:00:0${second}.000000Z`;
const offsetOf = (name: string, position: number, second = 0): FeedPosition => ({
  name,
  position,
  updated_at: at(second),
});

for (const { name, fresh } of availableEngines) {
  describe(`positions on ${name}`, () => {
    const made = openedOnce(fresh);
    beforeEach(() => made.store.db.deleteFrom('feed_consumers').execute());
    const advance = (position: FeedPosition) => made.store.transaction((unit) => advancePosition(unit, position));

    it('end at the furthest of many concurrent acknowledgements', async () => {
      const others = await Promise.all([made.openAnother(), made.openAnother(), made.openAnother()]);
      const observation = Array.from({ length: 30 }, (_, n) => {
        const store = others[n % others.length] ?? made.store;
        return store.transaction((unit) => advancePosition(unit, offsetOf('race', (n * 7) % 30)));
      });
      await Promise.all(observation);
      expect(await readPosition(made.store, 'race')).toBe(29);
    });

    it('go back when they are placed, and leave their neighbours alone', async () => {
      for (const reader of ['sink:webhook', 'warehouse', 'race']) await advance(offsetOf(reader, 3));
      await made.store.transaction((unit) => setPosition(unit, offsetOf('warehouse', 2, 3)));
      await made.store.transaction((unit) => removePosition(unit, 'race'));
      expect(await listPositions(made.store)).toEqual([offsetOf('sink:webhook', 3), offsetOf('warehouse', 2, 3)]);
    });
  });
}
