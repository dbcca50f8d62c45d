// What a receiving process notes of itself: while there is something, and once more when there is not.
import { describe, expect, it } from 'vitest';
import { clockAheadMs } from '#src/upstream/send-once.ts';
import { processesNow } from '#workers/alerts/conditions/condition-inputs.ts';
import { createSelfWatch } from '#workers/alerts/conditions/process-heartbeat.ts';
import { freshMemory, rowsOf } from '../../../harness/stores.ts';

describe('a process that receives', () => {
  it('notes nothing while nothing waits on disk and nothing is refused for its age', async () => {
    await using made = await freshMemory();
    const { store } = made;
    const look = createSelfWatch({ store, nowMs: () => 0, holder: 'a', spooled: () => 0, refusedAsStale: () => 0 });
    await look();
    expect(await rowsOf(store, 'key_values')).toEqual([]);
  });

  it('notes its spool, and that it is empty again', async () => {
    await using made = await freshMemory();
    const { store } = made;
    let spooled = 5;
    const look = createSelfWatch({
      store,
      nowMs: () => 0,
      holder: 'a',
      spooled: () => spooled,
      refusedAsStale: () => 0,
    });
    await look();
    expect(await processesNow(store, 0)).toEqual({ spooled: 5, refusedAsStale: 0 });
    spooled = 0;
    await look();
    expect(await processesNow(store, 0)).toEqual({ spooled: 0, refusedAsStale: 0 });
  });

  it('counts refusals of the last ten minutes only', async () => {
    await using made = await freshMemory();
    const { store } = made;
    let refused = 3;
    const look = createSelfWatch({
      store,
      nowMs: () => 0,
      holder: 'a',
      spooled: () => 0,
      refusedAsStale: () => refused,
    });
    await look();
    refused = 10;
    await look();
    expect((await processesNow(store, 0)).refusedAsStale).toBe(10);
    for (let n = 0; n < 29; n += 1) await look();
    expect((await processesNow(store, 0)).refusedAsStale).toBe(7);
    await look();
    expect((await processesNow(store, 0)).refusedAsStale).toBe(0);
  });
});

describe('how far our clock is ahead of the service', () => {
  const date = 'Thu, 01 Jan 2026 00:00:10 GMT';
  const told = Date.parse(date);

  it('is taken from the middle of the call and the middle of the second', () => {
    expect(clockAheadMs(date, { sentMs: told + 400, receivedMs: told + 600 })).toBe(0);
    expect(clockAheadMs(date, { sentMs: told + 60_400, receivedMs: told + 60_600 })).toBe(60_000);
    expect(clockAheadMs(date, { sentMs: told - 5_000, receivedMs: told - 4_000 })).toBe(-5_000);
  });

  it('is unknown where the answer has no date', () => {
    expect(clockAheadMs(null, { sentMs: 0, receivedMs: 1 })).toBeUndefined();
    expect(clockAheadMs('yesterday', { sentMs: 0, receivedMs: 1 })).toBeUndefined();
  });
});
