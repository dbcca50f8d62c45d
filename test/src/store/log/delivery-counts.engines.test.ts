// Deliveries are counted by period, whatever gaps and moved entries the log has, and without counting anything twice.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EventKind } from '#schemas/events.ts';
import { hourMs, instantOf } from '#src/base/time.ts';
import { createSampler } from '#src/sandbox/sample-delivery.ts';
import type { Store } from '#src/store/contract.ts';
import { deliveryCounter, firstSeqSince } from '#src/store/log/delivery-counts.ts';
import { lastSeq } from '#src/store/log/read.ts';
import { privacyScreen } from '#workers/privacy/screen.ts';
import { contactDelivery } from '../../../harness/data/contact-deliveries.ts';
import { ingest } from '../../../harness/ingest.ts';
import { runs } from '../../../harness/runs.ts';
import { storeEngines } from '../../../harness/stores.ts';

const startMs = Date.parse('2025-04-14T00:00:00Z');
const screen = privacyScreen({ eraseOnDelete: true });

/** One delivery per time, in this order. */
async function receive(store: Store, timesMs: readonly number[], bodyOf = bodyAt): Promise<void> {
  const deliveries = timesMs.map((ms, at) => ({ body: bodyOf(at, ms), receivedAt: instantOf(ms) }));
  await ingest({ store, screen }, { v: 1, deliveries }, instantOf(startMs));
}

const bodyAt = (at: number, ms: number): string => contactDelivery({ id: `c${at}-${ms}`, version: 0 });
const sample = createSampler(1);
const sampleOf = (kind: EventKind) => (index: number, ms: number) =>
  JSON.stringify(sample(kind, { index, now: new Date(ms) }));
const kindAt = (kind: string) => (at: number, ms: number) =>
  JSON.stringify({ event: kind, payload: { uri: `${at}-${ms}` } });

for (const { name, available, fresh } of storeEngines)
  describe.runIf(available)(`the counts of deliveries on ${name}`, () => {
    it('find the first entry of a time, with gaps and with moved entries at the end', async () => {
      await using opened = await fresh();
      const { store } = opened;
      await receive(
        store,
        Array.from({ length: 300 }, (_, at) => startMs + at * 60_000),
      );
      await store.db.deleteFrom('event_log').where('seq', '>', 20).where('seq', '<', 260).execute();
      // Older than everything before it, as after a redaction.
      await receive(store, [startMs + 30_000]);
      const end = (await lastSeq(store)) + 1;
      const rows = await store.db
        .selectFrom('event_log')
        .select('seq')
        .where('seq', '<', end - 1)
        .orderBy('seq')
        .execute();
      const seqs = rows.map(({ seq }) => seq);
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: -5, max: 310 }), async (minute) => {
          const expected = seqs.find((seq) => seq - 1 >= minute) ?? end;
          expect(await firstSeqSince(store, instantOf(startMs + minute * 60_000), end)).toBe(expected);
        }),
        runs(60),
      );
      expect(await firstSeqSince(store, instantOf(startMs), 1)).toBe(1);
    });

    it('are those of the period, and grow with the log', async () => {
      await using opened = await fresh();
      const { store } = opened;
      const counter = deliveryCounter(store, () => startMs + 10 * hourMs);
      const firstHour = { fromMs: startMs, toMs: startMs + hourMs, name: 'hour' };
      const untilNow = { fromMs: startMs, name: 'day' };
      expect(await counter.count(untilNow)).toEqual([{ deliveries: 0, bookings: 0, cancellations: 0, no_shows: 0 }]);
      await receive(store, [startMs - 1, startMs, startMs + 1]);
      await receive(store, [startMs + 2], () => 'no JSON');
      await receive(store, [startMs + 3], kindAt('contact.merged'));
      await receive(store, [startMs + 4], sampleOf('invitee.created'));
      // In quarantine: it is a delivery, and no booking.
      await receive(store, [startMs + 5], kindAt('invitee.created'));
      await receive(store, [startMs + hourMs, startMs + 2 * hourMs]);
      expect(await counter.count(firstHour, untilNow)).toMatchObject([
        { deliveries: 6, bookings: 1, cancellations: 0 },
        { deliveries: 8 },
      ]);
      await receive(store, [startMs + 3 * hourMs], sampleOf('invitee.canceled'));
      await receive(store, [startMs + 4 * hourMs], sampleOf('invitee_no_show.created'));
      expect(await counter.count(firstHour)).toMatchObject([{ deliveries: 6 }]);
      expect(await deliveryCounter(store, Date.now).count(untilNow)).toEqual([
        { deliveries: 10, bookings: 1, cancellations: 1, no_shows: 1 },
      ]);
    });

    it('leave out what was read from the API', async () => {
      await using opened = await fresh();
      const { store } = opened;
      await receive(store, [startMs]);
      await store.db.updateTable('event_log').set({ source: 'backfill', event: 'contact.read' }).execute();
      const counter = deliveryCounter(store, () => startMs);
      expect(await counter.count({ fromMs: startMs, name: 'day' })).toMatchObject([{ deliveries: 0 }]);
    });
  });
