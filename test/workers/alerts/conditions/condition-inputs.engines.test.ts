// The heartbeat of a receiving process.
import { describe, expect, it } from 'vitest';
import { createHeartbeat, readProcesses } from '#workers/alerts/conditions/condition-inputs.ts';
import { freshMemory, rowsOf } from '../../../harness/stores.ts';

const healthy = {
  nowMs: () => 0,
  holder: 'a',
  spooled: () => 0,
  rejectedAsStale: () => 0,
  journal: () => ({ losses: 0, is_full: false }),
  lowDisks: async () => [],
};
const nothing = { spooled: 0, rejectedAsStale: 0, queueLosses: 0, isJournalFull: false, lowDisks: [] };

describe('the heartbeat of a receiving process', () => {
  it('records nothing while nothing is spooled and nothing is rejected as too old', async () => {
    await using made = await freshMemory();
    const { store } = made;
    const beat = createHeartbeat({ ...healthy, store });
    const before = await rowsOf(store, 'key_values');
    await beat();
    expect(await rowsOf(store, 'key_values')).toEqual(before);
  });

  it('records its spool, and that it is empty again', async () => {
    await using made = await freshMemory();
    const { store } = made;
    let spooled = 5;
    const beat = createHeartbeat({ ...healthy, store, spooled: () => spooled });
    await beat();
    expect(await readProcesses(store, 0)).toEqual({ ...nothing, spooled: 5 });
    spooled = 0;
    await beat();
    expect(await readProcesses(store, 0)).toEqual(nothing);
  });

  it('counts rejections of the last ten minutes only', async () => {
    await using made = await freshMemory();
    const { store } = made;
    let rejected = 3;
    const beat = createHeartbeat({ ...healthy, store, rejectedAsStale: () => rejected });
    await beat();
    rejected = 10;
    await beat();
    expect((await readProcesses(store, 0)).rejectedAsStale).toBe(10);
    for (let n = 0; n < 29; n += 1) await beat();
    expect((await readProcesses(store, 0)).rejectedAsStale).toBe(7);
    await beat();
    expect((await readProcesses(store, 0)).rejectedAsStale).toBe(0);
  });

  it('records losses of the queue for ten minutes, and a full journal while it is full', async () => {
    await using made = await freshMemory();
    const { store } = made;
    let journal = { losses: 1, is_full: true };
    const beat = createHeartbeat({ ...healthy, store, journal: () => journal });
    await beat();
    expect(await readProcesses(store, 0)).toEqual({ ...nothing, queueLosses: 1, isJournalFull: true });
    journal = { losses: 1, is_full: false };
    await beat();
    expect(await readProcesses(store, 0)).toEqual({ ...nothing, queueLosses: 1 });
    for (let n = 0; n < 30; n += 1) await beat();
    expect(await readProcesses(store, 0)).toEqual(nothing);
  });

  it('records a disk that is getting full, the fullest of several, and that it has room again', async () => {
    await using made = await freshMemory();
    const { store } = made;
    let lowDisks = [{ part: 'store', freeMb: 300 }];
    const beat = createHeartbeat({ ...healthy, store, lowDisks: async () => lowDisks });
    const others = [
      { part: 'store', freeMb: 100 },
      { part: 'queue', freeMb: 500 },
    ];
    await createHeartbeat({ ...healthy, holder: 'b', store, lowDisks: async () => others })();
    await beat();
    expect((await readProcesses(store, 0)).lowDisks).toEqual(others);
    lowDisks = [];
    await beat();
    expect((await readProcesses(store, 10 * 60_000)).lowDisks).toEqual([]);
  });
});
