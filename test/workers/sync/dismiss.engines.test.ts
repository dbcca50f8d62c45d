// A delivery that nothing will ever apply is dismissed: it stays in the log and no longer counts as waiting.
import { describe, expect, it } from 'vitest';
import { unprojectedCounts } from '#src/read/deliveries/unprojected-counts.ts';
import { countReasons, readDeliveries } from '#src/store/log/log-search.ts';
import type { DeliveryFilter } from '#src/store/log/log-candidates.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import { dismissEntries, dismissMatching } from '#workers/sync/dismiss.ts';
import { rebuild } from '#workers/sync/rebuild.ts';
import { replay } from '#workers/sync/replay.ts';
import { eraseFrom } from '../../harness/erasures.ts';
import { contactDelivery, contactUri } from '../../harness/data/contact-deliveries.ts';
import { ingestBodies, oneEngine, rowsOf } from '../../harness/stores.ts';

const now = '2025-04-15T12:00:00.000000Z';
const screen = privacyScreen({ eraseOnDelete: true });
const bodies = [
  contactDelivery({ id: 'one', version: 0 }),
  'no JSON',
  '["ada@example.test"]',
  '{"event":"contact.merged","created_at":"2025-04-14T12:00:00Z","payload":{}}',
];

describe.each(oneEngine)('a dismissed delivery on $name', (engine) => {
  async function openLog() {
    const opened = await engine.fresh();
    await ingestBodies(opened.store, bodies);
    const { store } = opened;
    return {
      ...opened,
      counts: async () => {
        const { quarantined, unhandled } = await unprojectedCounts(store, Date.parse(now));
        return [quarantined, unhandled];
      },
      found: async (filter: DeliveryFilter) =>
        (await readDeliveries(store, filter, { newer: true, from: 0, limit: 10 })).lines.map(({ seq }) => seq),
    };
  }

  it('is in the log with its outcome, and neither counted nor found as waiting', async () => {
    await using log = await openLog();
    expect(await log.counts()).toEqual([2, 1]);
    expect(await dismissEntries(log.store, [1, 2], now)).toBe(1);
    expect(await log.counts()).toEqual([1, 1]);
    expect((await countReasons(log.store, { limit: 9 })).map(({ newest_seq: seq }) => seq)).toEqual([4, 3]);
    expect(await log.found({ outcome: 'quarantined' })).toEqual([3]);
    expect(await log.found({ unprojected: true })).toEqual([3, 4]);
    expect(await log.found({ dismissed: true })).toEqual([2]);
    expect(await log.found({})).toEqual([1, 2, 3, 4]);
    const entries = (await rowsOf(log.store, 'event_log')).toSorted((a, b) => Number(a['seq']) - Number(b['seq']));
    expect(entries.map((entry) => [entry['outcome'], entry['dismissed_at']])).toEqual([
      ['applied', null],
      ['quarantined', now],
      ['quarantined', null],
      ['unhandled', null],
    ]);
  });

  it('is one of all that match, and is dismissed once', async () => {
    await using log = await openLog();
    for (const [filter, dismissed] of [
      [{ event: 'contact.*' }, 1],
      [{ maxSeq: 2 }, 1],
      [{}, 1],
      [{}, 0],
    ] as const)
      expect(await dismissMatching(log.store, filter, now)).toBe(dismissed);
    expect(await log.counts()).toEqual([0, 0]);
  });

  it('becomes a delivery like any other when a replay applies it, and stays dismissed when none can', async () => {
    await using log = await openLog();
    await log.store.db
      .updateTable('event_log')
      .set({ outcome: 'quarantined', reason: 'Then.', changes: null })
      .where('seq', '=', 1)
      .execute();
    await log.store.db.deleteFrom('contacts').where('uri', '=', contactUri('one')).execute();
    await dismissMatching(log.store, {}, now);
    const report = await replay({ store: log.store, screen }, { dismissed: true });
    expect(report).toMatchObject({ read: 4, changed: 1 });
    const entries = await rowsOf(log.store, 'event_log');
    expect(entries.find(({ outcome }) => outcome === 'applied')).toMatchObject({ seq: 5, dismissed_at: null });
    expect(await log.found({ dismissed: true })).toEqual([2, 3, 4]);
  });

  it('stays dismissed through an erasure and a rebuild', async () => {
    await using log = await openLog();
    await dismissMatching(log.store, {}, now);
    await eraseFrom(log.store, 'ada@example.test', { now });
    await rebuild({ store: log.store, screen });
    const entries = await rowsOf(log.store, 'event_log');
    expect(entries.filter(({ body }) => String(body).includes('ada@'))).toEqual([]);
    expect(entries.filter((entry) => entry['dismissed_at'] !== null)).toHaveLength(3);
    expect(await log.counts()).toEqual([0, 0]);
  });
});
