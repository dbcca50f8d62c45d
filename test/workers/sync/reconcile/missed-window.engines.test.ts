// Gaps: noted until they are repaired, the earliest first, and none is forgotten because another was repaired.
import { describe, expect, it } from 'vitest';
import { closeGap, noteGap, openGap } from '#src/store/jobs/missed-window.ts';
import { oneEngine } from '../../../harness/stores.ts';

const [early, late] = ['2026-11-15T10:00:00.000000Z', '2026-11-15T11:00:00.000000Z'] as const;

describe.each(oneEngine)('a gap on $name', ({ fresh }) => {
  it.each([
    [early, late],
    [late, early],
  ])(
    'begins at the earliest moment, and is over when it is repaired, but not when another came meanwhile',
    async (...order) => {
      await using home = await fresh();
      const [first, second] = order;
      await noteGap(home.store, first);
      const gap = await openGap(home.store);
      await noteGap(home.store, second);
      if (gap) await closeGap(home.store, gap);
      const left = await openGap(home.store);
      expect(left?.since).toBe(early);
      if (left) await closeGap(home.store, left);
      expect(await openGap(home.store)).toBeUndefined();
    },
  );
});
