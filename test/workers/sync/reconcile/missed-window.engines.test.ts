// Gaps: noted until they are repaired, the earliest first, and none is forgotten because another was repaired.
import { describe, expect, it } from 'vitest';
import { closeGap, noteGap, openGap } from '#workers/sync/reconcile/missed-window.ts';
import { oneEngine } from '../../../harness/stores.ts';

const [early, late] = ['2026-11-15T10:00:00.000000Z', '2026-11-15T11:00:00.000000Z'];

describe.each(oneEngine)('a gap on $name', ({ fresh }) => {
  it('begins at the earliest moment that was noted, in whatever order', async () => {
    for (const order of [
      [early, late],
      [late, early],
    ]) {
      await using home = await fresh();
      for (const since of order) await noteGap(home.store, since);
      expect((await openGap(home.store))?.since).toBe(early);
    }
  });

  it('is over when it is repaired, but not when another came meanwhile', async () => {
    await using home = await fresh();
    await noteGap(home.store, early);
    const first = await openGap(home.store);
    await noteGap(home.store, late);
    if (first) await closeGap(home.store, first);
    const second = await openGap(home.store);
    expect(second?.since).toBe(early);
    if (second) await closeGap(home.store, second);
    expect(await openGap(home.store)).toBeUndefined();
  });
});
