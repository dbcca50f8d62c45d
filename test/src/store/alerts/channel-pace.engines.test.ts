// The pace of a channel whose recipient limits messages, over all workers.
import { describe, expect } from 'vitest';
import { slowDown, takeTurn } from '#src/store/alerts/channel-pace.ts';
import type { Store } from '#src/store/contract.ts';
import { availableEngines, testWith } from '../../../harness/stores.ts';

const startMs = Date.UTC(2026, 2, 4, 12);
const turnOf = (store: Store, nowMs: number, { channel = 'slack', busy = 0 } = {}) =>
  store.transaction((unit) => takeTurn(unit, channel, { nowMs: startMs + nowMs, room: 8, busy }));
const limit = (store: Store, nowMs: number, requestedMs: number) =>
  slowDown(store, 'slack', { nowMs: startMs + nowMs, requestedMs });

describe.each(availableEngines)('the pace of a channel on $name', ({ fresh }) => {
  const it = testWith(fresh);

  it('is none until the recipient asks for one, and one message at a time from then on', async ({ opened }) => {
    const [one, other] = [opened.store, await opened.openAnother()];
    expect(await turnOf(one, 0)).toBe(8);
    expect(await limit(one, 0, 2_000)).toBe(startMs + 2_000);
    expect(await turnOf(other, 1_999)).toBe(0);
    expect(await turnOf(other, 1_999, { channel: 'email' })).toBe(8);
    expect(await turnOf(other, 2_000, { busy: 1 })).toBe(0);
    const turns = await Promise.all([turnOf(one, 2_000), turnOf(other, 2_000)]);
    expect(turns.toSorted()).toEqual([0, 1]);
    expect(await turnOf(one, 3_999)).toBe(0);
    expect(await turnOf(one, 4_000)).toBe(1);
  });

  it('pauses for as long as it is asked to, and then sends at least every five seconds', async ({ store }) => {
    await limit(store, 0, 60_000);
    // An earlier end that another worker was given does not count.
    expect(await limit(store, 1_000, 1_000)).toBe(startMs + 60_000);
    await limit(store, 1_000, 60_000);
    expect(await turnOf(store, 61_000)).toBe(1);
    expect(await turnOf(store, 65_999)).toBe(0);
    expect(await turnOf(store, 66_000)).toBe(1);
  });

  it('ends ten minutes after the last complaint', async ({ store }) => {
    await limit(store, 0, 1_000);
    expect(await turnOf(store, 599_999)).toBe(1);
    expect(await turnOf(store, 601_000)).toBe(8);
  });
});
