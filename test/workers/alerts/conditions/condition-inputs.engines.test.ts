// The heartbeat of a receiving process.
import { describe, expect, it } from 'vitest';
import { createHeartbeat, readReceivers } from '#workers/alerts/conditions/condition-inputs.ts';
import { freshMemory, rowsOf } from '../../../harness/stores.ts';

describe('the heartbeat of a receiving process', () => {
  it('records nothing while nothing is spooled and nothing is rejected as too old', async () => {
    await using made = await freshMemory();
    const { store } = made;
    const beat = createHeartbeat({ store, nowMs: () => 0, holder: 'a', spooled: () => 0, rejectedAsStale: () => 0 });
    await beat();
    expect(await rowsOf(store, 'key_values')).toEqual([]);
  });

  it('records its spool, and that it is empty again', async () => {
    await using made = await freshMemory();
    const { store } = made;
    let spooled = 5;
    const beat = createHeartbeat({
      store,
      nowMs: () => 0,
      holder: 'a',
      spooled: () => spooled,
      rejectedAsStale: () => 0,
    });
    await beat();
    expect(await readReceivers(store, 0)).toEqual({ spooled: 5, rejectedAsStale: 0 });
    spooled = 0;
    await beat();
    expect(await readReceivers(store, 0)).toEqual({ spooled: 0, rejectedAsStale: 0 });
  });

  it('counts rejections of the last ten minutes only', async () => {
    await using made = await freshMemory();
    const { store } = made;
    let rejected = 3;
    const beat = createHeartbeat({
      store,
      nowMs: () => 0,
      holder: 'a',
      spooled: () => 0,
      rejectedAsStale: () => rejected,
    });
    await beat();
    rejected = 10;
    await beat();
    expect((await readReceivers(store, 0)).rejectedAsStale).toBe(10);
    for (let n = 0; n < 29; n += 1) await beat();
    expect((await readReceivers(store, 0)).rejectedAsStale).toBe(7);
    await beat();
    expect((await readReceivers(store, 0)).rejectedAsStale).toBe(0);
  });
});
