import { describe, expect, it } from 'vitest';
import { minuteMs } from '#src/base/time.ts';
import { unprojectedCounts } from '#src/read/deliveries/unprojected-counts.ts';
import { ingestBodies, receivedAt, availableEngines } from '../../../harness/stores.ts';

const nowMs = Date.parse(receivedAt) + 10 * minuteMs;

describe.each(availableEngines)('the counts of what was not projected on $name', ({ fresh }) => {
  it('follow the log, and content that was removed within a minute', async () => {
    await using opened = await fresh();
    const { store } = opened;
    expect(await unprojectedCounts(store, nowMs)).toEqual({ quarantined: 0, quarantinedLastHour: 0, unhandled: 0 });
    await ingestBodies(store, ['no JSON', '{"event": "contact.merged", "payload": {}}']);
    expect(await unprojectedCounts(store, nowMs)).toEqual({ quarantined: 1, quarantinedLastHour: 1, unhandled: 1 });
    await ingestBodies(store, ['neither']);
    const counts = { quarantined: 2, quarantinedLastHour: 2, unhandled: 1 };
    expect(await unprojectedCounts(store, nowMs)).toEqual(counts);
    await store.db.updateTable('event_log').set({ body: null }).where('outcome', '=', 'quarantined').execute();
    expect(await unprojectedCounts(store, nowMs)).toEqual(counts);
    expect(await unprojectedCounts(store, nowMs + minuteMs)).toEqual({
      quarantined: 0,
      quarantinedLastHour: 0,
      unhandled: 1,
    });
  });
});
